import type { Failure } from '../failures.ts';
import type { OwnSpending, SpendingScope, UnitsByHour } from '../intent/amount.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Scope } from '../intent/naming.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Trouble } from '../wire/trouble.ts';

export const states = [
  'open',
  'sending',
  'unknown',
  'accepted',
  'rejected',
  'held',
  'resolved',
  'declined',
] as const;
export type State = (typeof states)[number];

export const verdicts = ['accepted', 'rejected', 'unsent', 'limited', 'unknown', 'held'] as const;
export type Verdict = (typeof verdicts)[number];

export type NamedBy = 'once' | 'run' | 'key' | 'row';

/** What was decided: about an outcome that is not proven, and about a transfer that waits for approval. */
export type DecisionKind = Resolution | 'send-again' | 'proposed' | 'approved' | 'declined';

/** The decisions about an outcome that is not proven. */
export type Resolution = 'happened' | 'did-not-happen';

export function isResolution(kind: DecisionKind): kind is Resolution {
  return kind === 'happened' || kind === 'did-not-happen';
}

/** One thing to do once, with all that is known about it now. */
export type Intent = {
  readonly id: string;
  readonly kind: Kind;
  /** The URL used for identity and key: all loopback names count as one. */
  readonly baseUrl: BaseUrl;
  readonly bot: string;
  readonly namedBy: NamedBy | undefined;
  readonly name: string | undefined;
  /** The `id` of a batch's row, if the row has one. */
  readonly rowId: string | undefined;
  /** Columns of its row that are never sent, as a JSON object: as they were when it began. */
  readonly columns?: string | undefined;
  readonly key: string;
  readonly identity: string;
  readonly fingerprint: string;
  readonly payment: string | undefined;
  /** The exact bytes that are sent, idempotency key included. */
  readonly body: Uint8Array;
  readonly state: State;
  readonly tainted: boolean;
  /**
   * When the first attempt that may have landed began, or when an operator last said to send it again. Undefined if it
   * is not in doubt.
   */
  readonly mayHaveLandedAtMs: number | undefined;
  /** Salted hash of the token of the latest attempt. */
  readonly tokenHash: string | undefined;
  readonly owner: string | undefined;
  /** Whether the process that is sending it is alive. */
  readonly ownerLives: boolean;
  /** Why it is held. */
  readonly heldReason: string | undefined;
  readonly resolvedAs: Resolution | undefined;
  /** A person approved it, and nobody has declined it since. */
  readonly approved: boolean;
  readonly attempts: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When a command first reported the outcome to its caller. Kept for unnamed intents alone. */
  readonly reportedAtMs: number | undefined;
  /** When a payment was made, or may have been: at its latest claim. Undefined if it was not. */
  readonly countsAtMs: number | undefined;
};

export type NewIntent = Pick<
  Intent,
  | 'id'
  | 'kind'
  | 'baseUrl'
  | 'bot'
  | 'namedBy'
  | 'name'
  | 'rowId'
  | 'columns'
  | 'key'
  | 'identity'
  | 'fingerprint'
  | 'payment'
  | 'body'
>;

/** One HTTP request made for an intent. Without a verdict it is in flight, or its process died. */
export type Attempt = {
  readonly number: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | undefined;
  readonly phase: Phase | undefined;
  readonly verdict: Verdict | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly trouble: Trouble | undefined;
  readonly retryAfterMs: number | undefined;
  readonly duplicate: boolean;
  readonly verified: boolean;
  /** The reply's body as it came, up to a size limit. */
  readonly reply: Uint8Array | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

/** How far an attempt got, as its own process saw it. */
export type Phase = 'not-sent' | 'sent' | 'replied' | 'process-died';

export type AttemptEnd = Omit<Attempt, 'number' | 'startedAtMs' | 'endedAtMs' | 'phase' | 'verdict'> & {
  readonly phase: Phase;
  readonly verdict: Verdict;
};

export type Decision = {
  readonly kind: DecisionKind;
  readonly who: string;
  readonly atMs: number;
  readonly reason: string;
  readonly signature: string | undefined;
  /** The body that the decision is about. It does not apply to any other body. */
  readonly fingerprint?: string | undefined;
  /** The database role that made it, as the server says; never in a journal in a file. */
  readonly role?: string | undefined;
};

/** What a look at a chain proved about an intent. */
export type Observation = {
  readonly verdict: 'proven' | 'likely' | 'contradicted' | 'undecided';
  readonly atMs: number;
  readonly signature: string | undefined;
  /** The genesis hash of the chain. Always set, like the signature, if something is proven. */
  readonly genesis: string | undefined;
  /** What was seen, as JSON. */
  readonly facts: string;
};

/** Selects the intents that meet all given conditions. Newest first, unless `oldestFirst` is set. */
export type Selection = {
  readonly states?: readonly State[];
  readonly kind?: Kind;
  /** The recipient. */
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

/** The number of intents in each state. */
export type StateCounts = Readonly<Partial<Record<State, number>>>;

type BatchName = Scope & { readonly name: string };

/** How many rows a batch's file had when its latest run began. */
export type BatchInput = BatchName & {
  readonly rows: number;
  /** Those that were not valid. */
  readonly invalid: number;
};

/** A group of batch rows that have all of these fields in common. */
export type RowsStanding = Pick<
  Intent,
  'kind' | 'baseUrl' | 'bot' | 'state' | 'heldReason' | 'resolvedAs' | 'approved' | 'ownerLives'
> & {
  readonly rows: number;
  /** What all of them together pay; absent for messages. */
  readonly paid: { readonly asset: string; readonly units: bigint } | undefined;
  /** When the first of them began, and when the last of them changed. */
  readonly begunAtMs: number;
  readonly updatedAtMs: number;
};

/** What is told of a payment that was made, or may have been. */
export type EqualPayment = Pick<
  Intent,
  'id' | 'bot' | 'name' | 'rowId' | 'state' | 'resolvedAs' | 'countsAtMs' | 'updatedAtMs'
>;

/** A payment at an origin. The entry `id` and the rows of `batch`, if it is not empty, are none of the others. */
type EqualTo = {
  readonly payment: string;
  readonly origin: string;
  readonly id: string;
  readonly batch: string;
  readonly sinceMs: number;
};

type EqualSince = Pick<EqualTo, 'id' | 'origin' | 'payment'> & {
  readonly sinceMs: number;
  readonly untilMs: number;
};

/** An identifier that the service or the chain gives to one intent only. */
export type Receipt = {
  /** Who gave it: a service, by its base URL, or a chain. */
  readonly origin: string;
  readonly what: 'transfer-id' | 'signature';
  readonly value: string;
};

/** What can be read from a journal. */
export interface Reads {
  /** The unnamed intent with this identity that began since then: an unfinished one if there is one, else the newest. */
  findUnnamed(identity: string, sinceMs: number): Promise<Intent | undefined>;
  findByKey(scope: Scope, key: string): Promise<Intent | undefined>;
  get(id: string): Promise<Intent | undefined>;
  /** Intents whose id or key is this text, else those whose id or key starts with it. Two at most. */
  startingWith(prefix: string): Promise<Intent[]>;
  select(selection: Selection): AsyncIterable<Intent>;
  /** The recipients whose address begins so, in their order; at most a thousand. */
  recipients(head: string): Promise<string[]>;
  attemptsOf(id: string): Promise<Attempt[]>;
  /** The attempt that explains the intent's state: the accepted one, else the last. */
  decisiveAttempt(id: string): Promise<Attempt | undefined>;
  decisionsOf(id: string): Promise<Decision[]>;
  /** Oldest first. */
  observationsOf(id: string): Promise<Observation[]>;
  /** The receipts that belong to this intent. */
  receiptsOf(id: string): Promise<Receipt[]>;
  /** Another intent that holds one of these receipts, if there is one. */
  otherHolder(id: string, receipts: readonly Receipt[]): Promise<string | undefined>;
  /** The latest other payment like this one that was made since then, or may have been at any time. */
  equalPayment(about: EqualTo): Promise<Intent | undefined>;
  /** Other transfers of the same payment at the same origin that may have paid in that time. */
  equalPayments(of: EqualSince): Promise<string[]>;
  /** The state of the rows of all batches with this name. */
  rowsStanding(name: string): Promise<RowsStanding[]>;
  /** How many rows the files of all batches with this name had. */
  batchInputs(name: string): Promise<BatchInput[]>;
  /** The names of all batches. */
  batchNames(): Promise<string[]>;
  stateCounts(): Promise<StateCounts>;
  /** Whether the process of this owner is alive. */
  ownerLives(owner: string): Promise<boolean>;
  /** Where it runs; undefined if that is certainly this machine. */
  processOf(owner: string): Promise<Process | undefined>;
  /** What was spent of an asset. Within a commit, callers with the same scope get the same object. */
  spending(scope: SpendingScope): Promise<UnitsByHour>;
  /** The part of it that this intent spent. */
  ownSpending(id: string): Promise<OwnSpending | undefined>;
}

/** What can be written to a journal. Each is one statement about an intent. */
export interface Writes {
  /** Records an intent, claimed by this process, with its first attempt. */
  begin(intent: NewIntent, tokenHash: string, atMs: number): Promise<Intent>;
  /** Claims an intent that is not being sent. */
  claim(id: string, atMs: number): Promise<void>;
  /** Gives an intent another bot and body under the same key. Only if it never may have landed, and was never proposed. */
  rewrite(id: string, to: Pick<NewIntent, 'bot' | 'body' | 'fingerprint' | 'payment'>): Promise<void>;
  /** Makes a dead owner's `sending` intent `unknown`, whatever its process had recorded. */
  recordDeath(id: string, atMs: number): Promise<void>;
  /** Records the next attempt of a claimed intent. `attempts` is then its number. */
  startAttempt(id: string, tokenHash: string, atMs: number): Promise<Intent>;
  /** Records how an attempt ended. If it may have landed, its intent becomes tainted. */
  endAttempt(id: string, number: number, end: AttemptEnd, atMs: number): Promise<void>;
  /** Ends this process's claim. If the process is no longer the owner, only `accepted` is recorded. */
  conclude(
    id: string,
    state: Exclude<State, 'sending' | 'resolved' | 'declined'>,
    why: string | undefined,
    atMs: number,
  ): Promise<Intent | undefined>;
  /** Keeps the receipts of an accepted reply. A receipt that another intent holds stays with that intent. */
  keepReceipts(id: string, receipts: readonly Receipt[]): Promise<void>;
  /** Hands an intent that nobody is sending over to an operator. */
  hold(id: string, why: string, atMs: number): Promise<void>;
  decide(id: string, decision: Decision): Promise<void>;
  /** Records what a chain showed. A proven signature must belong to this intent. */
  observe(id: string, observation: Observation): Promise<void>;
  markReported(id: string, atMs: number): Promise<void>;
  /** Keeps how many rows a batch's file has. */
  keepBatch(input: BatchInput): Promise<void>;
  /** Records an intent without an attempt, to wait for a person's approval. */
  propose(intent: NewIntent, why: string, atMs: number): Promise<Intent>;
}

export type Transaction = Reads & Writes;

/** What the limits on spending read and write. */
export type SpendingReads = Pick<Reads, 'spending' | 'ownSpending'>;

/** Runs in one commit, and again if that is rolled back. It may await only the journal. */
export type Work<Result> = (tx: Transaction) => Promise<Result>;

/** What a commit needs beyond its work. */
export type Guards = {
  /** A request follows. The commit is refused if others take this process for dead. */
  readonly beforeSending?: boolean;
  /** Nothing depends on this fact. A power failure may lose it, and losing it is always safe. */
  readonly unsynced?: boolean;
};

export type GuardedWork<Result> = { readonly work: Work<Result>; readonly guards: Guards };

/** Why nothing may leave, or counts as recorded, although a commit succeeded. */
type JournalTrouble =
  /** Its own files disappeared or were replaced after it was opened. */
  | { readonly is: 'files'; readonly failure: Failure }
  /** This process has been silent for so long that others may soon take over. */
  | { readonly is: 'stale-claim' }
  /** Others have taken over. */
  | { readonly is: 'fenced' };

/** The durable record of intents, attempts and decisions. */
export interface Journal {
  /** Its location, for people. */
  readonly place: string;
  /** The id of a shared journal, which stays the same wherever its server is. */
  readonly id: string | undefined;
  /** Why sending is refused: the journal has lost something. It can then only be read. */
  readonly lost: Failure | undefined;
  /** Where it was copied to, if it was. It can then only be read; newer work is at that place. */
  readonly movedTo?: string | undefined;
  /** It can be read but not written. */
  readonly isReadOnly: boolean;
  /** Several machines share it. */
  readonly isShared: boolean;
  /** The database role that this process has there, as the server says. */
  readonly role?: string | undefined;
  /** The clock that dates what is on record. */
  readonly clock: { now(): number };
  readonly reads: Reads;

  /** This process as an owner. For others it is alive until it ends, however it ends. */
  self(): string;
  trouble(): JournalTrouble | undefined;

  /** Runs `work` alone: meanwhile nobody else writes what it reads. Durable when it resolves. */
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

/** A process at work on a batch, and how many rows it has in hand. */
export type Runner = Process & { readonly rows: number };
