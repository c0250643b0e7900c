import type { Report } from '../display/report.ts';
import type { Intent, Reads } from '../journal/journal.ts';
import { chainStandingOf } from './chainProblem.ts';

/** What the journal alone tells of an intent, to a command that sends nothing. */
export async function storedReport(intent: Intent, command: string, reads: Reads): Promise<Report> {
  return {
    command,
    intent,
    attempt: await reads.decisiveAttempt(intent.id),
    replayed: false,
    warnings: [],
    signature: await signatureOf(intent, reads),
    chain: await chainStandingOf(intent, reads),
  };
}

/** What an operator noted when deciding that it happened; nothing where that was overruled. */
export async function signatureOf(
  intent: Intent,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<string | undefined> {
  if (intent.state !== 'resolved' || intent.resolvedAs !== 'happened') return undefined;
  const decisions = await reads.decisionsOf(intent.id);
  return decisions.findLast(({ kind }) => kind === 'happened')?.signature;
}
