import type { DiskTrouble } from '../../machine/disk.ts';
import { Failure, type FailureCode, failing } from '../failures.ts';

/** How a journal in a file fails, and its copying into a shared one. */
export type JournalFacts = {
  busy: { readonly path: string };
  damaged: { readonly path: string; readonly aside: readonly Move[] };
  dumped: { readonly path: string };
  newer: { readonly path: string; readonly version: number; readonly known: number };
  unreleased: { readonly path: string };
  'not-a-file': { readonly path: string; readonly is: 'folder' | 'device' | 'other' };
  'hard-linked': { readonly path: string };
  'mounted-alone': { readonly path: string };
  lost: { readonly path: string; readonly loss: Loss };
  /** It was copied into another journal. */
  moved: { readonly path: string; readonly place: string; readonly isWhole: boolean };
  /** One of its files, while it was open. */
  'taken-away': { readonly path: string; readonly how: 'gone' | 'replaced' };
  'no-journal': { readonly path: string };
  'not-writable': { readonly path: string; readonly trouble: DiskTrouble };
  /** What was to be done is committed all the same, and must not be done once more. */
  'mark-not-writable': { readonly mark: string; readonly trouble: DiskTrouble };
  'no-locks': { readonly folder: string };
  'no-shared-memory': { readonly path: string };
  'not-durable': Record<never, never>;
  'salt-changed': Record<never, never>;
  'set-up-unfinished': { readonly path: string };
  'backup-there': { readonly path: string };
  'backup-not-made': { readonly path: string; readonly trouble: DiskTrouble };
  'nothing-to-copy': { readonly path: string };
  /** Processes that may be sending through it. */
  'owners-alive': { readonly path: string; readonly count: number };
  'moved-elsewhere': { readonly path: string; readonly place: string };
  /** The role may not give the empty journal there the salt of the one that is copied. */
  'may-not-adopt': { readonly place: string };
  /** Intents that cannot be one with those of the same key there; `shown` are the first of them. */
  'bodies-differ': {
    readonly path: string;
    readonly place: string;
    readonly shown: readonly [ShownConflict, ...ShownConflict[]];
    readonly count: number;
  };
  'copy-interrupted': { readonly path: string; readonly copied: number };
};

/** What a journal's file is known to have lost. */
export type Loss =
  /** It holds fewer rows than its mark. */
  | { readonly is: 'rows'; readonly rows: readonly LostRows[] }
  /** Its mark is not there, cannot be read, or is another journal's: what it held is not known. */
  | { readonly is: 'mark'; readonly found: 'missing' | 'damaged' | 'anothers' }
  /** There is a mark, but the journal is older than that, or gone altogether. `rows` are those that the mark knows. */
  | { readonly is: 'journal'; readonly found: 'older' | 'gone'; readonly rows: readonly LostRows[] }
  /** The database is older than its log: what was moved from the log into it in between is missing. */
  | { readonly is: 'base' };

export type LostRows = {
  readonly what: 'intents' | 'attempts' | 'decisions';
  readonly first: number;
  readonly last: number;
};

/** What has one key in the file and on the server, where it is another intent. */
export type ShownConflict = {
  readonly name: string;
  readonly idInFile: string;
  readonly idOnServer: string;
  /** By the server's journal. */
  readonly isSending: boolean;
};

/** A file, and where it is to be kept. */
export type Move = { readonly from: string; readonly to: string };

const codes: Readonly<Record<keyof JournalFacts, FailureCode>> = {
  busy: 'journal-busy',
  damaged: 'journal-damaged',
  dumped: 'journal-damaged',
  newer: 'journal-newer',
  unreleased: 'journal-schema',
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
  'nothing-to-copy': 'no-such-journal',
  'owners-alive': 'not-allowed-now',
  'moved-elsewhere': 'usage',
  'may-not-adopt': 'journal-schema',
  'bodies-differ': 'other-body',
  'copy-interrupted': 'interrupted',
};

export const journalFailure = failing<JournalFacts>('journal', codes);

/** The fields of what was thrown, where it is a failure of this kind. */
export function factsOf<K extends keyof JournalFacts & string>(
  thrown: unknown,
  kind: K,
): JournalFacts[K] | undefined {
  const isIt = thrown instanceof Failure && thrown.room === 'journal' && thrown.kind === kind;
  return isIt ? (thrown.fields as JournalFacts[K]) : undefined;
}
