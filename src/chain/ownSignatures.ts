import { isSignature } from '../intent/signature.ts';
import type { Attempt, Decision, Intent } from '../journal/journal.ts';
import { readReply } from '../wire/readReply.ts';

/** The signatures that replies to this intent's own key named: nothing else is ever looked for. */
export function ownSignatures(
  { state, resolvedAs }: Pick<Intent, 'state' | 'resolvedAs'>,
  attempts: readonly Attempt[],
  decisions: readonly Decision[],
): string[] {
  const accepted = attempts.filter(({ verdict }) => verdict === 'accepted');
  const telling = state === 'accepted' && accepted.length > 0 ? accepted : attempts;
  const found = telling.flatMap((attempt) => signatureIn(attempt) ?? []);
  const decided = resolvedAs === 'happened' ? decisions.flatMap(({ signature }) => signature ?? []) : [];
  return [...new Set([...found, ...decided])].filter(isSignature);
}

export function signatureIn({ reply, headers, status }: Attempt): string | undefined {
  if (reply === undefined || status === undefined || status < 200 || status > 299) return undefined;
  const signature = readReply({ body: reply, headers }).json?.signature;
  return typeof signature === 'string' ? signature : undefined;
}
