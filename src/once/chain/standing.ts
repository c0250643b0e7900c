import type { Attempt, Decision, Intent, Observation } from '../journal/journal.ts';
import { readReply } from '../wire/flight.ts';
import type { Reason } from './transaction.ts';
import type { ChainVerdict, Commitment } from './verdict.ts';

/** The look that counts: one that proved the payment, or else the latest. */
export function standingOf(observations: readonly Observation[]): ChainView | undefined {
  const counts = observations.findLast(({ verdict }) => verdict === 'proven') ?? observations.at(-1);
  return counts && viewOf(counts);
}

/** Whether another look cannot change the result. */
export function isFinal(view: ChainView): boolean {
  return isFinalMatch(view) || view.verdict === 'contradicted';
}

/** It was paid, as far as can be known: without a wallet, nobody can say whose money it was. */
export function isFinalMatch(view: ChainView): view is ChainView & { readonly instruction: string } {
  const { verdict, commitment, instruction } = view;
  return (
    instruction !== undefined &&
    (verdict === 'proven' || (verdict === 'likely' && commitment === 'finalized'))
  );
}

/** The view as it was kept; undefined if it is damaged. */
function viewOf({ verdict, facts }: Observation): ChainView | undefined {
  try {
    return { ...(JSON.parse(facts) as ChainView), verdict };
  } catch {
    return undefined;
  }
}

/** What a look at the chain says about an intent, as `--json` shows it and the journal keeps it. */
export type ChainView = {
  readonly verdict: ChainVerdict;
  readonly commitment?: Commitment;
  readonly signature?: string;
  /** The instruction that makes the payment, by its place in the transaction. */
  readonly instruction?: string;
  readonly slot?: number;
  readonly block_time?: number;
  readonly cluster: string;
  /** The host of the node that was asked. */
  readonly rpc: string;
  readonly paid?: Paid;
  /** Whether the memo that was asked for is there. */
  readonly memo?: boolean;
  readonly reasons: readonly Reason[];
};

export type Paid = {
  readonly to: string;
  readonly mint?: string;
  readonly units: string;
  readonly decimals: number;
  readonly received: string;
  readonly fee_units: string;
};

/** The signatures that replies to this intent's own key named. Nothing else is ever looked up. */
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

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const shape = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/u;
const signatureBytes = 64;

/** Whether a text is a transaction's signature as Solana writes it: 64 bytes in base58. */
export function isSignature(text: string): boolean {
  if (!shape.test(text)) return false;
  // Each leading 1 stands for one byte of zeros.
  const zeros = text.length - text.replace(/^1+/u, '').length;
  let value = 0n;
  for (const character of text) value = value * 58n + BigInt(alphabet.indexOf(character));
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return zeros + bytes === signatureBytes;
}
