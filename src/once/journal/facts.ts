import type { DiskTrouble } from '../../machine/disk.ts';
import { Failure, type FailureCode, failing } from '../failures.ts';

/** How a journal in a file fails. */
export type JournalFacts = {
  busy: { readonly path: string };
  damaged: { readonly path: string; readonly aside: readonly Move[] };
  dumped: { readonly path: string };
  newer: { readonly path: string; readonly version: number; readonly known: number };
  unreleased: { readonly path: string };
  /** Somebody changed it by hand. */
  'schema-changed': { readonly path: string; readonly lacks: readonly SchemaPart[] };
  'not-a-file': { readonly path: string; readonly is: 'folder' | 'device' | 'other' };
  'hard-linked': { readonly path: string };
  'mounted-alone': { readonly path: string };
  lost: { readonly path: string; readonly loss: Loss };
  /** It was copied into another journal. */
  moved: { readonly path: string; readonly place: string };
  /** One of its files disappeared or was replaced while the journal was open. */
  'taken-away': { readonly path: string; readonly how: 'gone' | 'replaced' };
  'no-journal': { readonly path: string };
  'not-writable': { readonly path: string; readonly trouble: DiskTrouble };
  /** The commit succeeded nevertheless, so its work must not be repeated. */
  'mark-not-writable': { readonly mark: string; readonly trouble: DiskTrouble };
  'no-locks': { readonly folder: string };
  'no-shared-memory': { readonly path: string };
  'not-durable': Record<never, never>;
  'salt-changed': Record<never, never>;
  'set-up-unfinished': { readonly path: string };
  'backup-there': { readonly path: string };
  'backup-not-made': { readonly path: string; readonly trouble: DiskTrouble };
  /** These processes are alive and may be sending through it. */
};

/** A part of a journal's schema: `intents`, `intents.why`, `insert_on_intents_keeps`. */
export type SchemaPart = {
  readonly is: 'table' | 'column' | 'rule' | 'index' | 'constraint' | 'list';
  readonly name: string;
};

/** What a journal's file is known to have lost. */
export type Loss =
  /** The journal holds fewer rows than its mark says. */
  | { readonly is: 'rows'; readonly rows: readonly LostRows[] }
  /** Its mark is missing, unreadable or another journal's, so we do not know what the journal held. */
  | { readonly is: 'mark'; readonly found: 'missing' | 'damaged' | 'anothers' }
  /** There is a mark, but the journal is older than it, or gone. `rows` are the rows that the mark knows. */
  | { readonly is: 'journal'; readonly found: 'older' | 'gone'; readonly rows: readonly LostRows[] }
  /** The database file is older than its log: changes that moved from the log into the database are missing. */
  | { readonly is: 'base' };

export type LostRows = {
  readonly what: 'intents' | 'attempts' | 'decisions';
  readonly first: number;
  readonly last: number;
};

/** A file and the place to move it to. */
export type Move = { readonly from: string; readonly to: string };

const codes: Readonly<Record<keyof JournalFacts, FailureCode>> = {
  busy: 'journal-busy',
  damaged: 'journal-damaged',
  dumped: 'journal-damaged',
  newer: 'journal-newer',
  unreleased: 'journal-schema',
  'schema-changed': 'journal-schema',
  'not-a-file': 'journal-unusable',
  'hard-linked': 'journal-unusable',
  'mounted-alone': 'journal-unusable',
  lost: 'journal-lost',
  moved: 'journal-moved',
  'taken-away': 'journal-gone',
  'no-journal': 'no-such-journal',
  'not-writable': 'journal-not-writable',
  'mark-not-writable': 'journal-not-writable',
  'no-locks': 'journal-not-writable',
  'no-shared-memory': 'journal-not-writable',
  'not-durable': 'journal-not-writable',
  'salt-changed': 'journal-damaged',
  'set-up-unfinished': 'journal-not-writable',
  'backup-there': 'usage',
  'backup-not-made': 'machine-fault',
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
