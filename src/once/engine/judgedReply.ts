import { isSignature } from '../entry/signature.ts';
import type { AttemptEnd, Entry, Reads, Receipt } from '../journal/journal.ts';
import { receiptValue } from '../journal/rows.ts';
import {
  type Flight,
  type ParsedReply,
  type Reply,
  readReply,
  resultIn,
  retryAfterMs,
} from '../wire/flight.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { Claim } from './act.ts';
import type { EngineContext } from './context.ts';
import type { Stopped } from './outcome.ts';
import { judge, namesAnother, provesItHappened, type ReplyFacts, wordsIn } from './replyMeaning.ts';

/** The result of an attempt, as it is recorded, and what it proves. */
export type JudgedReply = Awaited<ReturnType<typeof judgeFlight>>;

export async function judgeFlight(flight: Flight, claim: Claim, engine: EngineContext) {
  const { entry } = claim;
  const parsed: ParsedReply | undefined = flight.came === 'reply' ? readReply(flight) : undefined;
  const json = parsed?.json;
  const facts: ReplyFacts = {
    kind: entry.kind,
    flight,
    parsed,
    words: wordsIn(flight, entry),
    isAnother: json !== undefined && namesAnother(entry, json),
    isTaken: false,
    inDoubt: entry.inDoubtSinceMs !== undefined,
    named: entry.namedBy !== undefined,
    // An earlier attempt that did not leave the entry in doubt was refused or never sent.
    sentBefore: entry.wasInDoubt,
    refusedHere: flight.came === 'reply' && flight.status === 409 && (await wasRefusedHere(claim, engine)),
  };
  return {
    ...ruleOn(facts, engine),
    facts,
    /** Identifiers from the reply that belong to one entry only. */
    receipts: receiptsIn(facts, entry),
  };
}

function ruleOn(facts: ReplyFacts, engine: EngineContext) {
  const { flight, parsed } = facts;
  const meaning = judge(facts);
  const headers = flight.came === 'reply' ? flight.headers : {};
  const end: AttemptEnd = {
    phase: phaseOf(flight),
    verdict: meaning.verdict,
    status: flight.came === 'reply' ? flight.status : undefined,
    requestId: parsed?.requestId,
    trouble: troubleIn(flight),
    retryAfterMs: retryAfterMs(headers, engine.clock.now()),
    duplicate: meaning.duplicate === true,
    reply: flight.came === 'reply' ? flight.body : undefined,
    headers: keptOf(headers),
  };
  return { end, meaning };
}

/** Judges again if the receipts belong to another entry. Runs in the commit that records them. */
export async function withReceiptsChecked(
  before: JudgedReply,
  claim: Claim,
  tx: Reads,
  engine: EngineContext,
): Promise<JudgedReply> {
  const { receipts, facts } = before;
  if (receipts.length === 0) return before;
  if ((await tx.otherHolder(claim.entry.id, receipts)) === undefined) return before;
  const theirs: ReplyFacts = { ...facts, isTaken: true };
  return { ...ruleOn(theirs, engine), facts: theirs, receipts };
}

function phaseOf(flight: Flight): AttemptEnd['phase'] {
  if (flight.came === 'reply') return 'replied';
  return flight.headersSent ? 'sent' : 'not-sent';
}

const keptHeaders =
  /^(content-type|retry-after|date|server|via|x-request-id|request-id|x-ratelimit-.*|location)$/u;

function keptOf(headers: Reply['headers']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined && keptHeaders.test(name)) kept[name] = value;
  }
  return kept;
}

function receiptsIn(facts: ReplyFacts, { baseUrl: origin }: Entry): Receipt[] {
  if (facts.kind !== 'transfer' || !provesItHappened(facts)) return [];
  const { transferId, signature } = resultIn('transfer', facts.parsed?.json ?? {}) ?? {};
  const receipts = [['transfer-id', transferId] as const, ['signature', signature] as const];
  return receipts.flatMap(([what, value]) =>
    value === undefined || (what === 'signature' && !isSignature(value))
      ? []
      : [{ origin, what, value: receiptValue(value) }],
  );
}

async function wasRefusedHere({ entry, number }: Claim, { journal }: EngineContext): Promise<boolean> {
  if (number === 1) return false;
  try {
    const attempts = await journal.reads.attemptsOf(entry.id);
    return attempts.some(
      (one) => one.number < number && (one.verdict === 'rejected' || one.verdict === 'limited'),
    );
  } catch {
    // The reply must be reported even if the journal cannot be read, so assume that less is proven.
    return true;
  }
}

function troubleIn(flight: Flight): Trouble | undefined {
  if (flight.came === 'nothing') return flight.trouble;
  if (flight.ended === 'broken') return { is: 'reply-broke-off' };
  return flight.ended === 'too-long' ? { is: 'reply-too-long' } : undefined;
}

/** How often and how long one run of a command has tried. */
export class Tries {
  readonly #engine: EngineContext;
  #attempts = 0;
  #certificatesRefused = 0;
  /**
   * Time since the end of the first attempt: pauses, flights and journal work. Added up piece by piece, each with a
   * cap, so that a clock that jumps does not count.
   */
  #sinceFirstMs = 0;

  constructor(engine: EngineContext) {
    this.#engine = engine;
  }

  count(end: AttemptEnd, tookMs: number): void {
    if (this.#attempts > 0) this.#spend(tookMs, this.#engine.limits.timeoutMs);
    if (!this.#waitsWithAll(end)) this.#attempts += 1;
    if (end.trouble?.is === 'certificate') this.#certificatesRefused += 1;
  }

  /** Counts time spent in the journal after or before an attempt: its server may have been away. */
  recorded(tookMs: number): void {
    this.#spend(tookMs, this.#engine.limits.maxWaitMs);
  }

  #spend(tookMs: number, mostMs: number): void {
    this.#sinceFirstMs += Math.min(Math.max(0, tookMs), mostMs);
  }

  /** How long to wait before the next attempt, or why no attempt follows. */
  next(end: AttemptEnd): number | Stopped {
    const { interrupts, pace, limits, chance, clock } = this.#engine;
    if (interrupts.first.aborted) return { because: 'interrupted' };
    const { retryAfterMs, trouble } = end;
    if (this.#waitsWithAll(end) && (retryAfterMs ?? 0) <= mostQuietMs) {
      pace?.limited(retryAfterMs);
      if (pace?.over.aborted !== true) return 0;
    }
    const tried = { attempts: this.#attempts, sinceFirstMs: this.#sinceFirstMs, retryAfterMs };
    const pauseMs = this.#mayTryAgain ? nextPauseMs(tried, limits, chance.fraction()) : undefined;
    if (pauseMs !== undefined) return pauseMs;
    if (trouble?.is === 'certificate') return { because: 'certificate', trouble };
    return retryAfterMs === undefined
      ? { because: 'no-tries-left' }
      : { because: 'would-wait-too-long', comeBackAtMs: clock.now() + retryAfterMs };
  }

  async wait(waitMs: number, { verdict, trouble, status }: AttemptEnd): Promise<void> {
    const { observer, clock, interrupts, pace } = this.#engine;
    observer.step({ is: 'waiting', verdict, waitMs });
    const why = trouble ?? status;
    await observer.during({ for: 'next-try', waitMs, why }, clock.sleep(waitMs, interrupts.first));
    this.#sinceFirstMs += waitMs;
    // The whole batch waits here together, so this counts against no single entry.
    await pace?.turn(interrupts.first);
  }

  /**
   * A refused certificate stays refused. But one of several servers behind a name may have the wrong one, so try twice.
   */
  get #mayTryAgain(): boolean {
    return this.#certificatesRefused < 2 && this.#engine.pace?.over.aborted !== true;
  }

  /** In a batch a rate limit is not this entry's fault: it costs no try, and the pace knows how long it lasts. */
  #waitsWithAll({ verdict }: AttemptEnd): boolean {
    return verdict === 'limited' && this.#engine.pace !== undefined;
  }
}

/** The longest rate limit that a batch waits out, whatever `--max-wait` says. Beyond it, a person decides. */
const mostQuietMs = 3_600_000;

const firstStepMs = 500;
const longestStepMs = 20_000;

/**
 * How long to wait before the next try; undefined if tries are over. Full jitter over an exponential step, or longer if
 * the service asks for that.
 */
export function nextPauseMs(
  tried: {
    readonly attempts: number;
    /** Time since the end of the first attempt, including later requests. */
    readonly sinceFirstMs: number;
    readonly retryAfterMs: number | undefined;
  },
  limits: Pick<EngineContext['limits'], 'maxWaitMs'>,
  fraction: number,
): number | undefined {
  const stepMs = Math.min(longestStepMs, firstStepMs * 2 ** (tried.attempts - 1));
  const waitMs = Math.max(Math.round(stepMs * fraction), tried.retryAfterMs ?? 0);
  const isLast = limits.maxWaitMs === 0 || tried.sinceFirstMs + waitMs > limits.maxWaitMs;
  return isLast ? undefined : waitMs;
}
