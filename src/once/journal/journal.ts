import { createHash } from 'node:crypto';
import type { Failure } from '../failures.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Scope } from '../intent/naming.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { OwnSpending, PaidAddress, Spender, Spending, SpendingScope } from './spending.ts';

export const states = ['open', 'sending', 'unknown', 'accepted', 'rejected', 'held', 'resolved'] as const;
export type State = (typeof states)[number];

export const verdicts = ['accepted', 'rejected', 'unsent', 'limited', 'unknown', 'held'] as const;
export type Verdict = (typeof verdicts)[number];

export type NamedBy = 'once' | 'run' | 'key' | 'row';

/** What an operator can decide of an intent whose outcome is not proven. */
export type DecisionKind = 'happened' | 'did-not-happen' | 'send-again';

/** One thing to be done once, as it is known now. */
export type Intent = {
  readonly id: string;
  readonly kind: Kind;
  /** Of its identity and key: loopback has one name in it. */
  readonly baseUrl: BaseUrl;
  /** As it was given: where it is sent. */
  readonly spelledUrl: BaseUrl;
  readonly bot: string;
  readonly namedBy: NamedBy | undefined;
  readonly name: string | undefined;
  /** The `id` of a batch's row, where it has one. */
  readonly rowId: string | undefined;
  readonly key: string;
  readonly identity: string;
  readonly fingerprint: string;
  readonly payment: string | undefined;
  /** The exact bytes that are sent, idempotency key included. */
  readonly body: Uint8Array;
  readonly state: State;
  readonly tainted: boolean;
  /** When the first attempt that may have landed began; or when an operator last said to send it again. */
  readonly mayHaveLandedAtMs: number | undefined;
  /** Salted hash of the token of the latest attempt. */
  readonly tokenHash: string | undefined;
  readonly owner: string | undefined;
  /** While it is `sending`: whether the process that sends it lives. */
  readonly ownerLives: boolean;
  /** Why it is held. */
  readonly heldReason: string | undefined;
  readonly resolvedAs: 'happened' | 'did-not-happen' | undefined;
  readonly attempts: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When a command first told its caller the outcome. */
  readonly reportedAtMs: number | undefined;
};

export type NewIntent = Pick<
  Intent,
  | 'id'
  | 'kind'
  | 'baseUrl'
  | 'spelledUrl'
  | 'bot'
  | 'namedBy'
  | 'name'
  | 'rowId'
  | 'key'
  | 'identity'
  | 'fingerprint'
  | 'payment'
  | 'body'
>;

/** One HTTP request made for an intent. Without a verdict it is still in flight, or its process died. */
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
  /** The reply's body as it came, capped. */
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
  /** Of the body that was to be sent again: for another one it is no word. */
  readonly fingerprint?: string | undefined;
};

/**
 * What a look at a chain proved of an intent; or that a person has dealt with a contradiction; or how far the chain had
 * come `before` the first attempt, kept with that attempt.
 */
export type Observation = {
  readonly verdict: 'proven' | 'likely' | 'contradicted' | 'undecided' | 'acknowledged' | 'before';
  /** `chain`, or the operator who acknowledges. */
  readonly who: string;
  readonly atMs: number;
  readonly signature: string | undefined;
  /** Which chain, by its genesis hash, and which instruction of the transaction: always of what is proven. */
  readonly genesis: string | undefined;
  readonly instruction: string | undefined;
  /** What was seen, as JSON. */
  readonly facts: string;
};

/** Which intents are meant: all that is given must be so. Newest first, unless the oldest are wanted first. */
export type Selection = {
  readonly states?: readonly State[];
  readonly kind?: Kind;
  readonly bot?: string;
  /** Who is paid. */
  readonly to?: string;
  /** How its name begins. */
  readonly nameStart?: string;
  /** The batch whose row it is. */
  readonly batch?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly oldestFirst?: true;
  readonly limit: number;
};

/** How many intents stand how; and of what is open, being sent, unknown or held, when the oldest began. */
export type Overview = {
  readonly intents: Readonly<Partial<Record<State, number>>>;
  readonly oldestUnsettledMs: number | undefined;
  readonly lastAcceptedMs: number | undefined;
};

/** Rows of a batch that stand in the same way. */
export type RowsStanding = Pick<
  Intent,
  'kind' | 'baseUrl' | 'bot' | 'state' | 'resolvedAs' | 'ownerLives'
> & {
  readonly rows: number;
  /** When the first of them began, and when the last of them was written to. */
  readonly begunAtMs: number;
  readonly updatedAtMs: number;
};

/** What the service or the chain gives to one intent and to no other. */
export type Receipt = {
  /** Whose it is: a base URL, or a chain. */
  readonly origin: string;
  readonly what: 'transfer-id' | 'signature' | 'instruction';
  readonly value: string;
};

/** What can be asked of a journal. */
export interface Reads {
  /** The unnamed intent of this identity: an unfinished one if there is one, else the newest. */
  findUnnamed(identity: string): Promise<Intent | undefined>;
  findByKey(scope: Scope, key: string): Promise<Intent | undefined>;
  /** The other base URLs of this one’s origin that intents of this journal have. */
  otherUrls(baseUrl: BaseUrl): Promise<BaseUrl[]>;
  get(id: string): Promise<Intent | undefined>;
  /** Intents whose id or key is this word, else those whose id or key begins so; two at most. */
  startingWith(prefix: string): Promise<Intent[]>;
  /** Unfinished transfers of the same payment at the same origin, under another identity. */
  unfinishedTwins(scope: Scope, payment: string, identity: string): Promise<Intent[]>;
  select(selection: Selection): AsyncIterable<Intent>;
  attemptsOf(id: string): Promise<Attempt[]>;
  /** The attempt that tells where the intent stands: the accepted one, else the last. */
  decisiveAttempt(id: string): Promise<Attempt | undefined>;
  decisionsOf(id: string): Promise<Decision[]>;
  /** Oldest first. */
  observationsOf(id: string): Promise<Observation[]>;
  /** What was given to this intent alone. */
  receiptsOf(id: string): Promise<Receipt[]>;
  /** The intent that holds one of these receipts, if it is another one than this. */
  otherHolder(id: string, receipts: readonly Receipt[]): Promise<string | undefined>;
  /** Transfers of the same payment at the same origin that have no name of their own (unnamed, or `--run`), newest first. */
  unnamedOfPayment(baseUrl: BaseUrl, payment: string, sinceMs: number): Promise<Intent[]>;
  /** How many rows of the batch of this name are known. */
  countRows(scope: Scope, name: string): Promise<number>;
  /** How the rows of all batches of this name stand. */
  rowsStanding(name: string): Promise<RowsStanding[]>;
  /** How all of it stands. */
  overview(): Promise<Overview>;
  /** Whether this process, which owned an intent, lives. */
  ownerLives(owner: string): Promise<boolean>;
  /** Where it runs; undefined where that is this machine for sure. */
  processOf(owner: string): Promise<Process | undefined>;
  /** What was spent of an asset; within a commit, the same object for all who ask for the same. */
  spending(scope: SpendingScope): Promise<Spending>;
  /** What of it is this intent's. */
  ownSpending(id: string): Promise<OwnSpending | undefined>;
  /** The bots that lately spent of an asset. */
  spenders(asset: string, sinceMs: number): Promise<Spender[]>;
  /** Addresses that were paid, and that begin or end as this one does. */
  paidLike(address: string): Promise<PaidAddress[]>;
  /** The number of the journal's own policy; absent where it has none. */
  policyNumber(): Promise<number | undefined>;
}

/** What can be put on record. Each is one statement about an intent. */
export interface Writes {
  /** Records an intent, claimed for this process, with its first attempt. */
  begin(intent: NewIntent, tokenHash: string, atMs: number): Promise<Intent>;
  /** Claims an intent that is not being sent. */
  claim(id: string, atMs: number): Promise<void>;
  /** Gives a rejected or undone intent that never may have landed another body, under the same key. */
  rewrite(id: string, body: Uint8Array, fingerprint: string, payment: string | undefined): Promise<void>;
  /** A dead owner's `sending` is `unknown`, whatever it had noted. */
  recordDeath(id: string, atMs: number): Promise<void>;
  /** Puts the next attempt of a claimed intent on record; `attempts` is then its number. */
  startAttempt(id: string, tokenHash: string, atMs: number): Promise<Intent>;
  /** Records how an attempt ended; what may have landed taints its intent. */
  endAttempt(id: string, number: number, end: AttemptEnd, atMs: number): Promise<void>;
  /** Ends this process's claim. Nothing where it is no longer the owner: then only `accepted` is recorded. */
  conclude(
    id: string,
    state: Exclude<State, 'sending' | 'resolved'>,
    why: string | undefined,
    atMs: number,
  ): Promise<Intent | undefined>;
  /** Keeps what an accepted reply gave to this intent; what another one holds is left to it. */
  keepReceipts(id: string, receipts: readonly Receipt[]): Promise<void>;
  /** Puts an `unknown` intent into an operator's hands. */
  hold(id: string, why: string, atMs: number): Promise<void>;
  decide(id: string, decision: Decision): Promise<void>;
  /** Keeps what a chain was seen to say. Of what is proven the instruction must be this intent's own. */
  observe(id: string, observation: Observation): Promise<void>;
  markReported(id: string, atMs: number): Promise<void>;
  /** The same of all rows that a batch of this name has done. */
  markRowsReported(scope: Scope, name: string, atMs: number): Promise<void>;
  supersede(id: string): Promise<void>;
  /** From now on what is spent is counted. */
  startCounting(atMs: number): Promise<void>;
  /** Records an intent that waits for a person's word, without an attempt. */
  propose(intent: NewIntent, why: string, atMs: number): Promise<Intent>;
  /** The same of one of which nothing is on its way. */
  holdBack(id: string, why: string, atMs: number): Promise<void>;
}

export type Transaction = Reads & Writes;

/** What is asked, and put on record, for the sake of what may be spent. */
export type SpendingReads = Pick<
  Reads,
  'spending' | 'spenders' | 'ownSpending' | 'paidLike' | 'policyNumber'
>;
export type SpendingWrites = Pick<Writes, 'startCounting' | 'propose' | 'holdBack'>;

/** To be run in one commit; where that is rolled back it may run again. Awaits nothing but the journal. */
export type Work<Result> = (tx: Transaction) => Promise<Result>;

/** What a commit needs beyond its work. */
export type Guards = {
  /** Nobody else's commit that names one of these comes in between. */
  readonly alone?: readonly string[];
  /** The same, but others that say so too do not mind each other. */
  readonly alongside?: readonly string[];
  /** What it spends of: nobody who is limited by the sum of it comes in between, but for those of the same commit. */
  readonly spends?: { readonly of: string; readonly isLimited: boolean };
  /** A request follows it: refused where others take this process for dead. */
  readonly beforeSending?: boolean;
  /** A fact that nothing depends on: it may be lost if the power fails, and is only ever lost to the safe side. */
  readonly unsynced?: boolean;
};

export type GuardedWork<Result> = { readonly work: Work<Result>; readonly guards: Guards };

/** Why nothing may leave, or counts as recorded, although a commit went well. */
type JournalTrouble =
  /** Its own files are gone or were replaced since it was opened. */
  | { readonly is: 'files'; readonly failure: Failure }
  /** This process has not been heard of for so long that others may soon take over. */
  | { readonly is: 'stale-claim' }
  /** Others have taken over. */
  | { readonly is: 'fenced' };

/** How an attempt ended that the journal could not be told of. */
export type LateEnd = {
  readonly id: string;
  readonly number: number;
  readonly end: AttemptEnd;
  readonly receipts: readonly Receipt[];
  readonly state: Exclude<State, 'sending' | 'resolved'>;
  readonly why: string | undefined;
  readonly atMs: number;
};

/** A policy as its text, and the number that it has in its journal. */
export type JournalPolicy = { readonly number: number; readonly text: string };

/** The durable record of intents, attempts and decisions. */
export interface Journal {
  /** Where it is, for people. */
  readonly place: string;
  /** A shared one has a name that it keeps, wherever its server is. */
  readonly id: string | undefined;
  /** What sending is refused with because it has lost something: then it can be read only. */
  readonly lost: Failure | undefined;
  /** Where it was copied to, if it was: then it can be read only, and what was done since is there. */
  readonly movedTo?: string | undefined;
  /** It can be shown, and takes nothing. */
  readonly isReadOnly: boolean;
  /** Several machines have it in common. */
  readonly isShared: boolean;
  /** By which what is on record is dated. */
  readonly clock: { now(): number };
  readonly reads: Reads;

  /** This process as an owner: alive for others until it ends, however it ends. */
  self(): string;
  trouble(): JournalTrouble | undefined;
  /** Asks the process that owns an intent to give back what it has claimed and not begun to send. */
  askOwner(owner: string): Promise<void>;
  /** Whether another process has asked this one. */
  isAsked(): Promise<boolean>;

  /** Keeps it on this machine's own disk until a command reaches the journal; gives back the file, if it could. */
  keepForLater(late: LateEnd): string | undefined;

  /** Runs `work` alone: nobody else writes what it reads in between. Durable when it resolves. */
  commit<Result>(work: Work<Result>, guards?: Guards): Promise<Result>;
  /** Several in one durable commit. Each ends for itself: where one fails the others are not undone. */
  commitTogether<Result>(
    works: readonly GuardedWork<Result>[],
  ): Promise<readonly PromiseSettledResult<Result>[]>;

  /** How the runners of a batch divide its rows; absent where a batch's rows are not divided. */
  readonly shares: Shares | undefined;

  /** The policy that is kept in the journal itself, for everybody who sends through it. */
  policy(): Promise<JournalPolicy | undefined>;

  /** A hash of a token that says nothing about it elsewhere: salted for this journal alone. */
  hashOf(token: string): string;
  close(): Promise<void>;
}

/** A botctl on some machine. */
export type Process = { readonly host: string; readonly pid: number };

const longestBytes = 512;

/** What a service calls something, so that every journal can hold it: text without a NUL, and no longer than an index takes. */
export function receiptValue(given: string): string {
  const value = given.replaceAll('\0', '\ufffd').toWellFormed();
  if (Buffer.byteLength(value) <= longestBytes) return value;
  return `sha256:${createHash('sha256').update(value).digest('hex')}`;
}

/** Of two that are given the same at the same time, one must see that the other has it. */
export function receiptGuards(receipts: readonly Receipt[]): Guards {
  return { alone: receipts.map(({ origin, what, value }) => `receipt ${origin} ${what} ${value}`) };
}

/** What a batch is called, and what its input was. */
export type SharedBatch = Scope & {
  readonly name: string;
  /** SHA-256 of the input's bytes. */
  readonly digest: string;
  readonly rows: number;
};

/** Of some rows: how many they are, and the sums of the first and the last 32 bits of their keys. */
export type KeySums = { readonly rows: number; readonly first: number; readonly last: number };

/** Rows of a batch by their place in its input. */
export type Range = { readonly first: number; readonly last: number };

/** In each round of a batch every row is some runner's. */
export type Round = { readonly batch: number; readonly round: number };

/** A process at work on a batch, and how many rows it has in hand. */
export type Runner = Process & { readonly rows: number };

export type Joined =
  | { readonly is: 'joined'; readonly round: Round }
  | { readonly is: 'other-file' }
  /** Another file was to take the place of the one that they are at work on. */
  | { readonly is: 'at-work'; readonly runners: readonly Runner[] };

export type Taken =
  /** `left` are the rows that nobody has been given yet. */
  | { readonly is: 'range'; readonly range: Range; readonly left: number }
  /** Nothing to be had now: every row has ended, or is in the hands of these, as `theirs`, or of who asks. */
  | { readonly is: 'nothing'; readonly others: readonly Runner[]; readonly theirs: readonly Range[] };

/**
 * How the runners of a batch divide its rows. It keeps nobody from anything: whoever sends a row must have claimed it
 * first, whosever it is.
 */
export interface Shares {
  /** Whether this is another input than the one on record under the name. */
  isOtherFile(batch: SharedBatch): Promise<boolean>;
  /** The rows of that name that are done, in this input or in an earlier one. */
  doneRows(batch: SharedBatch): Promise<KeySums>;
  /** Takes part. `changedFile` may take the place of the one on record while nobody is at work on that. */
  join(batch: SharedBatch, changedFile: boolean): Promise<Joined>;
  /** Gives back what has `ended`, and takes rows: new ones, at most `size`, or those of a runner that is gone. */
  take(round: Round, size: number, ended: readonly Range[], holding: readonly Range[]): Promise<Taken>;
}
