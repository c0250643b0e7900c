import type { Spending, Spent } from '../entry/amount.ts';
import type { Scope } from '../entry/naming.ts';
import type { Kind } from '../entry/wanted.ts';
import type { Failure } from '../failures.ts';
import type {
  attemptColumns,
  batchColumns,
  bodyColumns,
  closingColumns,
  decisionColumns,
  endColumns,
  entryColumns,
  keptColumns,
  needsColumn,
  Of,
  observationColumns,
  receiptColumns,
  roleColumn,
} from './columns.ts';

export type State = Entry['state'];

export type Verdict = NonNullable<Attempt['verdict']>;

export type NamedBy = NonNullable<Entry['namedBy']>;

/** The decisions: about an outcome that is not proven, and about a transfer that waits for approval. */
export type DecisionKind = Decision['kind'];

/** The decisions about an outcome that is not proven. */
export type Resolution = NonNullable<Entry['resolvedAs']>;

export function isResolution(kind: DecisionKind): kind is Resolution {
  return kind === 'happened' || kind === 'did-not-happen';
}

/** One thing to do once, with all that is known about it now. */
export type Entry = Of<typeof entryColumns> & {
  /** Whether the process that is sending it is alive. */
  readonly ownerLives: boolean;
  /** A person approved its present body, and nobody has declined it since. */
  readonly approved: boolean;
  /** When a payment was made, or may have been: at its latest attempt. Undefined if it cannot have been made. */
  readonly countsAtMs: number | undefined;
};

type EntryBody = Of<typeof bodyColumns>;

export type NewEntry = Omit<Of<typeof keptColumns>, 'columns' | 'createdAtMs'> &
  Partial<Pick<Entry, 'columns'>> &
  EntryBody;

/** One HTTP request made for an entry. Without a verdict it is in flight, or its process died. */
export type Attempt = Of<typeof attemptColumns>;

/** How far an attempt got, as its own process saw it. */
type Phase = NonNullable<Attempt['phase']>;

export type AttemptEnd = Omit<Of<typeof endColumns>, 'endedAtMs' | 'phase' | 'verdict'> & {
  readonly phase: Phase;
  readonly verdict: Verdict;
};

export type Decision = Omit<Of<typeof decisionColumns>, 'fingerprint'> &
  Partial<Of<Pick<typeof decisionColumns, 'fingerprint'> & typeof roleColumn & typeof needsColumn>>;

/** What a look at a chain proved about an entry. */
export type Observation = Of<typeof observationColumns>;

/** Selects the entries that meet all given conditions. Newest first, unless `oldestFirst` is set. */
export type Selection = {
  readonly states?: readonly State[];
  readonly kind?: Kind;
  readonly to?: string;
  readonly asset?: string;
  readonly name?: string;
  /** The batch that it is a row of. */
  readonly batch?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly oldestFirst?: true;
  readonly limit: number;
};

export type StateCounts = Readonly<Partial<Record<State, number>>>;

export type BatchInput = Of<typeof batchColumns>;

/** A group of batch rows that have all of these fields in common. */
export type RowGroup = Pick<
  Entry,
  'kind' | 'baseUrl' | 'bot' | 'state' | 'heldReason' | 'resolvedAs' | 'approved' | 'ownerLives'
> & {
  readonly rows: number;
  /** What all of them together pay; absent for messages. */
  readonly paid: { readonly asset: string; readonly units: bigint } | undefined;
  /** The name or the ID of the entry whose payment settled them, if one did. */
  readonly paidAs: string | undefined;
  /** When the first of them began, and when the last of them changed. */
  readonly begunAtMs: number;
  readonly updatedAtMs: number;
};

/** What is reported about a payment that was made, or may have been. */
export type EqualPayment = Pick<
  Entry,
  'id' | 'bot' | 'name' | 'rowId' | 'state' | 'resolvedAs' | 'countsAtMs' | 'updatedAtMs'
>;

/**
 * A payment at an origin. The entry `id` itself does not count as equal, nor do the rows of `batch` if that is not
 * empty.
 */
type EqualTo = {
  readonly payment: string;
  readonly origin: string;
  readonly id: string;
  readonly batch: string;
  readonly sinceMs: number;
};

/** How often a recipient was paid, or may have been, and when last. */
export type PaidBefore = { readonly times: number; readonly lastMs: number | undefined };

/** A payment that a row of a batch has made, or may have made, and when last. */
export type BatchPayment = { readonly payment: string; readonly batch: string; readonly atMs: number };

/** An identifier that the service or the chain gives to one entry only. */
export type Receipt = Of<typeof receiptColumns>;

export type RowKey = Pick<Entry, 'key'> & { readonly seq: number };

/** Why a journal begins no attempt, until the closing ends. */
export type Closing = Of<typeof closingColumns>;

export interface Reads {
  /** The unnamed entry with this identity that began since then: an unfinished one if there is one, else the newest. */
  findUnnamed(identity: string, sinceMs: number): Promise<Entry | undefined>;
  findByKey(scope: Scope, key: string): Promise<Entry | undefined>;
  get(id: string): Promise<Entry | undefined>;
  /** Entries whose id starts with this text. Two at most. */
  startingWith(prefix: string): Promise<Entry[]>;
  select(selection: Selection): AsyncIterable<Entry>;
  /** The recipients whose address begins with `head`, in order; at most a thousand. */
  recipients(head: string): Promise<string[]>;
  attemptsOf(id: string): Promise<Attempt[]>;
  /** The attempt that explains the entry's state: the accepted one, else the last. */
  decisiveAttempt(id: string): Promise<Attempt | undefined>;
  decisionsOf(id: string): Promise<Decision[]>;
  /** Oldest first. */
  observationsOf(id: string): Promise<Observation[]>;
  receiptsOf(id: string): Promise<Receipt[]>;
  /** Another entry that has one of these receipts, if there is one. */
  otherHolder(id: string, receipts: readonly Receipt[]): Promise<string | undefined>;
  /** The signatures among these that an entry has, from a reply, a person or a chain. */
  signaturesHeld(signatures: readonly string[]): Promise<string[]>;
  /** Ids of payments made, or perhaps made, since then, that have no signature among their receipts. */
  unsigned(sinceMs: number): Promise<string[]>;
  /** Other payments like this one that were made since then, or may have been at any time. The latest come first. */
  equalEntries(about: EqualTo): Promise<Entry[]>;
  /** What this journal has paid a recipient, at any service. */
  paidBefore(to: string): Promise<PaidBefore>;
  /** Which of these payments other batches have made since then, or may have made. */
  batchesPaying(payments: readonly string[], batch: string, sinceMs: number): Promise<BatchPayment[]>;
  latestSeq(): Promise<number>;
  /** The payments of the batch with this name whose `seq` is above `after`, in order. */
  rowsSince(name: string, after: number): Promise<RowKey[]>;
  /** The id of an entry for this payment that was resolved as happened because the entry `by` had paid it. */
  settledBy(payment: string, by: string): Promise<string | undefined>;
  /** The state of the rows of all batches with this name. */
  rowsStanding(name: string): Promise<RowGroup[]>;
  /** How many rows the files of all batches with this name had. */
  batchInputs(name: string): Promise<BatchInput[]>;
  batchNames(): Promise<string[]>;
  /** The closings in force. Within a commit, later calls get the first answer. */
  closings(): Promise<readonly Closing[]>;
  stateCounts(): Promise<StateCounts>;
  /** Accepted payments that were tried again while they were in doubt. */
  repeated(): Promise<Entry[]>;
  /** The machine and process of an owner; undefined if that is certainly this machine. */
  processOf(owner: string): Promise<Process | undefined>;
  /** What was spent of an asset since then. Within a commit, callers with the same asset get the same object. */
  spending(asset: string, sinceMs: number): Promise<Spending>;
  /** The payments in that sum, oldest first. */
  spent(asset: string, sinceMs: number): Promise<Spent[]>;
}

export interface Writes {
  /** Records an entry, claimed by this process, with its first attempt. */
  begin(entry: NewEntry, tokenHash: string, atMs: number): Promise<Entry>;
  /** Claims an entry that is not being sent. */
  claim(id: string, atMs: number): Promise<void>;
  /** Gives an entry another bot and body under its key. Not if it may have taken effect or was proposed. */
  rewrite(id: string, to: EntryBody): Promise<void>;
  /** Makes a dead owner's `sending` entry `unknown`, whatever its process had recorded. */
  recordDeath(id: string, atMs: number): Promise<void>;
  /** Records the next attempt of a claimed entry. `attempts` is then its number. */
  startAttempt(id: string, tokenHash: string, atMs: number): Promise<Entry>;
  /** Records how an attempt ended. If it may have taken effect, its entry is in doubt. */
  endAttempt(id: string, number: number, end: AttemptEnd, atMs: number): Promise<void>;
  /** Ends this process's claim. Returns false if it had lost the claim: then only `accepted` is recorded. */
  conclude(
    id: string,
    state: Exclude<State, 'sending' | 'resolved' | 'declined'>,
    why: string | undefined,
    atMs: number,
  ): Promise<boolean>;
  /** Keeps receipts, from a reply, a person or a chain. A receipt that another entry has stays with that entry. */
  keepReceipts(id: string, receipts: readonly Receipt[]): Promise<void>;
  /** Holds an entry that no process is sending, so that an operator decides. */
  hold(id: string, why: string, atMs: number): Promise<void>;
  decide(id: string, decision: Decision): Promise<void>;
  /** Records what a chain showed. A proven signature must belong to this entry. */
  observe(id: string, observation: Observation): Promise<void>;
  markReported(id: string, atMs: number): Promise<void>;
  keepBatch(input: BatchInput): Promise<void>;
  /** Records an entry that waits for a person's approval, without an attempt. */
  propose(entry: NewEntry, why: string, atMs: number): Promise<Entry>;
}

export type Transaction = Reads & Writes;

/** What the limits on spending read. */
export type SpendingReads = Pick<Reads, 'spending' | 'spent'>;

/** Runs in one commit, and again if that is rolled back. It may await only the journal. */
export type Work<Result> = (tx: Transaction) => Promise<Result>;

/** What a commit needs beyond its work. */
export type Guards = {
  /** A request follows. The commit is refused if another process has declared this one dead. */
  readonly beforeSending?: boolean;
};

export type GuardedWork<Result> = { readonly work: Work<Result>; readonly guards: Guards };

/** The durable record of entries, attempts and decisions. */
export interface Journal {
  readonly place: string;
  /** The id of a shared journal, which stays the same wherever its server is. */
  readonly id: string | undefined;
  /** Why sending is refused: the journal has lost something. It can then only be read. */
  readonly lost: Failure | undefined;
  /** Whether this machine has a note of what the journal acknowledged, to compare it with. */
  readonly isNoted: boolean;
  readonly isReadOnly: boolean;
  readonly isShared: boolean;
  /** The database role that this process has there, as the server says. */
  readonly role?: string | undefined;
  /** The clock of all times on record. */
  readonly clock: { now(): number };
  readonly reads: Reads;

  /** The name under which this process owns entries. Other processes can tell whether it is still alive. */
  self(): string;
  /**
   * Why nothing may be sent, although a commit succeeded: the journal's files are gone or were replaced, so nothing
   * counts as recorded either; or another process took over or soon may. With `isLast`, which is for the moment
   * before something is sent, every check is made again.
   */
  trouble(isLast?: boolean): Failure | 'stale-claim' | undefined;

  /** Runs `work` alone: no other process writes meanwhile. Durable when it resolves. */
  commit<Result>(work: Work<Result>, guards?: Guards): Promise<Result>;
  /** Runs several works in one durable commit. If one fails, the others are not undone. */
  commitTogether<Result>(
    works: readonly GuardedWork<Result>[],
  ): Promise<readonly PromiseSettledResult<Result>[]>;

  /** A hash of a token. The salt is this journal's own, so the hash reveals nothing elsewhere. */
  hashOf(token: string): string;
  close(): Promise<void>;
}

/** A botctl process on some machine. */
export type Process = { readonly host: string; readonly pid: number };
