import type { Report } from '../display/report.ts';
import type { Intent, Journal } from '../journal/journal.ts';

/** What the journal alone tells of an intent, to a command that sends nothing. */
export function storedReport(intent: Intent, command: string, journal: Journal): Report {
  return {
    command,
    intent,
    attempt: journal.tellingAttempt(intent.id),
    replayed: false,
    warnings: [],
    signature: signatureOf(intent, journal),
  };
}

/** What an operator noted when deciding that it happened. */
export function signatureOf(intent: Intent, journal: Journal): string | undefined {
  if (intent.state !== 'resolved') return undefined;
  return journal.decisionsOf(intent.id).findLast(({ kind }) => kind === 'happened')?.signature;
}
