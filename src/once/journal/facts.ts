import type { DiskTrouble } from '../../machine/disk.ts';
import { Failure, type FailureCode, failing } from '../failures.ts';
import type { Known } from './known.ts';

/** How a journal in a file fails. */
export type JournalFacts = {
  busy: { readonly path: string };
  damaged: { readonly path: string; readonly aside: readonly Move[] };
  /** Another botctl made it. */
  'other-version': { readonly path: string; readonly version: number; readonly known: number };
  /** Somebody changed its tables or rules by hand. */
  'schema-changed': { readonly path: string };
  'not-a-file': { readonly path: string; readonly is: 'folder' | 'device' | 'other' };
  'hard-linked': { readonly path: string };
  /** It lacks what it acknowledged to this machine. */
  lost: { readonly path: string; readonly loss: Loss };
  /** It was copied into another journal. */
  moved: { readonly path: string; readonly place: string };
  /** One of its files disappeared or was replaced while the journal was open. */
  'taken-away': { readonly path: string; readonly how: 'gone' | 'replaced' };
  'no-journal': { readonly path: string };
  'not-writable': { readonly path: string; readonly trouble: DiskTrouble };
  /** The commit succeeded nevertheless, so its work must not be repeated. */
  'note-not-writable': { readonly note: string; readonly trouble: DiskTrouble };
  'no-locks': { readonly folder: string };
  'no-shared-memory': { readonly path: string };
  'not-durable': Record<never, never>;
  'set-up-unfinished': { readonly path: string };
  'backup-there': { readonly path: string };
  'backup-not-made': { readonly path: string; readonly trouble: DiskTrouble };
  /** These processes are alive and may be sending through it. */
  'owners-alive': { readonly path: string; readonly count: number };
  /** Entries that are sending, unknown or held; `shown` has the ids of the first of them. */
  unfinished: { readonly path: string; readonly shown: readonly string[]; readonly count: number };
};

/** What a journal is known to have lost: attempts and decisions, or, where its file is gone or empty, everything. */
export type Loss = { readonly isGone: boolean; readonly missing: readonly Known[] };

/** A file and the place to move it to. */
export type Move = { readonly from: string; readonly to: string };

const codes: Readonly<Record<keyof JournalFacts, FailureCode>> = {
  busy: 'journal-busy',
  damaged: 'journal-damaged',
  'other-version': 'journal-schema',
  'schema-changed': 'journal-schema',
  'not-a-file': 'journal-unusable',
  'hard-linked': 'journal-unusable',
  lost: 'journal-lost',
  moved: 'journal-moved',
  'taken-away': 'journal-gone',
  'no-journal': 'no-such-journal',
  'not-writable': 'journal-not-writable',
  'note-not-writable': 'journal-not-writable',
  'no-locks': 'journal-not-writable',
  'no-shared-memory': 'journal-not-writable',
  'not-durable': 'journal-not-writable',
  'set-up-unfinished': 'journal-not-writable',
  'backup-there': 'usage',
  'backup-not-made': 'machine-fault',
  'owners-alive': 'not-allowed-now',
  unfinished: 'not-allowed-now',
};

export const journalFailure = failing<JournalFacts>('journal', codes);

/** The fields of a thrown failure, if it is of this kind. */
export function factsOf<K extends keyof JournalFacts & string>(
  thrown: unknown,
  kind: K,
): JournalFacts[K] | undefined {
  const isIt = thrown instanceof Failure && thrown.room === 'journal' && thrown.kind === kind;
  return isIt ? (thrown.fields as JournalFacts[K]) : undefined;
}
