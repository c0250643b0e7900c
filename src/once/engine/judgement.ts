import {
  type Attempt,
  type AttemptEnd,
  type Intent,
  type Reads,
  type Receipt,
  receiptValue,
} from '../journal/journal.ts';
import {
  type Exchange,
  type Flight,
  type ParsedReply,
  type Reply,
  readReply,
  retryAfterMs,
} from '../wire/flight.ts';
import type { Trouble } from '../wire/trouble.ts';
import type { Claim } from './claim.ts';
import type { EngineContext } from './context.ts';
import type { Stopped } from './outcome.ts';
import { type Evidence, echoOf, judge, keyFixesBody, namesWhatWasDone, type Ruling } from './verdict.ts';

/** What came back, as it goes on record, and what it proves. */
export type Judgement = {
  readonly end: AttemptEnd;
  readonly ruling: Ruling;
  readonly evidence: Evidence;
  /** What the reply gives to one intent and to no other. */
  readonly receipts: readonly Receipt[];
};

export async function judgeFlight(flight: Flight, claim: Claim, engine: EngineContext): Promise<Judgement> {
  const { intent } = claim;
  const parsed: ParsedReply | undefined = flight.came === 'reply' ? readReply(flight) : undefined;
  const json = parsed?.json;
  const evidence: Evidence = {
    kind: intent.kind,
    flight,
    parsed,
    echo: json === undefined ? 'silent' : echoOf(intent, json),
    isSomeoneElses: isTheReplyBefore(flight, parsed, intent),
    tainted: intent.tainted,
    firstHeardOfName: intent.namedBy !== undefined && (await isFirstHeard(claim, engine)),
  };
  return {
    ...ruleOn(evidence, claim, engine),
    evidence,
    receipts: receiptsIn(evidence, intent),
  };
}

function ruleOn(evidence: Evidence, claim: Claim, engine: EngineContext): Pick<Judgement, 'ruling' | 'end'> {
  const { flight, parsed } = evidence;
  const ruling = judge(evidence);
  const headers = flight.came === 'reply' ? flight.headers : {};
  const end: AttemptEnd = {
    phase: phaseOf(flight),
    verdict: ruling.verdict,
    status: flight.came === 'reply' ? flight.status : undefined,
    requestId: parsed?.requestId,
    trouble: ruling.heldReason === 'someone-elses' ? { is: 'someone-elses-reply' } : troubleIn(flight),
    retryAfterMs: retryAfterMs(askingHeaders(headers, ruling), engine.clock.now()),
    duplicate: ruling.duplicate === true,
    verified: isVerified(evidence, ruling, claim, engine.journal.isShared),
    reply: flight.came === 'reply' ? flight.body : undefined,
    headers: keptOf(headers),
  };
  return { end, ruling };
}

/** The same, now that the journal says whose the receipts are: asked in the commit that records them. */
export async function withReceiptsChecked(
  before: Judgement,
  claim: Claim,
  tx: Reads,
  engine: EngineContext,
): Promise<Judgement> {
  const { receipts, evidence } = before;
  if ((await tx.otherHolder(claim.intent.id, receipts)) === undefined) return before;
  const theirs: Evidence = { ...evidence, isSomeoneElses: true };
  return { ...ruleOn(theirs, claim, engine), evidence: theirs, receipts };
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

/** A rate limit's reset comes with every reply of some services; only where it was hit does it ask to wait. */
function askingHeaders(headers: Reply['headers'], { verdict }: Ruling): Reply['headers'] {
  if (verdict === 'limited' || headers['x-ratelimit-reset'] === undefined) return headers;
  const { 'x-ratelimit-reset': _reset, ...others } = headers;
  return others;
}

function receiptsIn({ kind, parsed, flight }: Evidence, { baseUrl: origin }: Intent): Receipt[] {
  const isReceipt = flight.came === 'reply' && flight.status >= 200 && flight.status <= 299;
  if (kind !== 'transfer' || !isReceipt || !namesWhatWasDone(kind, parsed)) return [];
  const { transfer_id: transferId, signature } = parsed?.json ?? {};
  const given = [['transfer-id', transferId] as const, ['signature', signature] as const];
  return given.flatMap(([what, value]) => {
    if (typeof value !== 'string' || value === '') return [];
    return [{ origin, what, value: receiptValue(value) }];
  });
}

/** What a connection is told of its reply when it is kept for another request. */
export function exchangeOf({ evidence: { kind, parsed } }: Judgement, { key }: Intent): Exchange {
  return { key, id: kind === 'message' ? messageIdIn(parsed) : undefined };
}

function messageIdIn(parsed: ParsedReply | undefined): string | undefined {
  const message = parsed?.json?.message;
  if (typeof message !== 'object' || message === null) return undefined;
  const { id, message_id: messageId } = message as { id?: unknown; message_id?: unknown };
  const named = id ?? messageId;
  return (typeof named === 'string' && named !== '') || typeof named === 'number' ? String(named) : undefined;
}

/** A server or a proxy that answers twice shifts every later reply of its connection by one. */
function isTheReplyBefore(flight: Flight, parsed: ParsedReply | undefined, { key, kind }: Intent): boolean {
  const before = flight.came === 'reply' ? flight.socket?.before : undefined;
  if (kind !== 'message' || before?.id === undefined || before.key === key) return false;
  return before.id === messageIdIn(parsed);
}

/**
 * A name may fix the key and not the body: what the service did under it may then be another machine's, and
 * another thing. That this journal has seen the name before proves nothing: of an attempt whose reply was lost,
 * nobody knows whether it was the first under its key. Shown only of what was accepted.
 */
function isVerified(
  { echo }: Evidence,
  { verdict, duplicate }: Ruling,
  { intent }: Claim,
  isShared: boolean,
): boolean {
  if (verdict !== 'accepted' || keyFixesBody(intent) || echo === 'same') return true;
  // All machines have their names in one journal: whoever uses one without it is told by a 409, or by the echo.
  return isShared && duplicate !== true && echo === 'silent';
}

/** Why nothing shows that what was done under a name is what was asked for. */
export type WhyMayDiffer = 'known-key' | 'other-echo';

/** Why what was accepted may not be what was asked for, where something speaks against it. */
export function whyMayDiffer(intent: Intent, attempt: Attempt | undefined): WhyMayDiffer | undefined {
  if (intent.state !== 'accepted' || attempt === undefined || attempt.verified) return undefined;
  if (attempt.duplicate) return 'known-key';
  const { json } = readReply({ body: attempt.reply ?? new Uint8Array(), headers: attempt.headers });
  return json !== undefined && echoOf(intent, json) === 'other' ? 'other-echo' : undefined;
}

/** No earlier attempt in this journal was answered by anything but "not now". */
async function isFirstHeard({ intent, number }: Claim, { journal }: EngineContext): Promise<boolean> {
  if (number === 1) return true;
  try {
    const attempts = await journal.reads.attemptsOf(intent.id);
    return attempts.every(
      (one) => one.number >= number || one.verdict === 'unsent' || one.verdict === 'limited',
    );
  } catch {
    // A reply is here and must be told: where the journal cannot say more, less is taken for proven.
    return false;
  }
}

function troubleIn(flight: Flight): Trouble | undefined {
  if (flight.came === 'nothing') return flight.trouble;
  if (flight.ended === 'broken') return { is: 'reply-broke-off' };
  return flight.ended === 'too-long' ? { is: 'reply-too-long' } : undefined;
}

/** How often, and for how long, one run of a command has tried. */
export class Tries {
  readonly #engine: EngineContext;
  #attempts = 0;
  #certificatesRefused = 0;
  /**
   * Pauses, flights and the journal's own time after the first attempt. Added up, for a clock that jumps within them
   * must not count.
   */
  #sinceFirstMs = 0;

  constructor(engine: EngineContext) {
    this.#engine = engine;
  }

  /** An attempt has ended, and took so long. */
  count(end: AttemptEnd, tookMs: number): void {
    if (this.#attempts > 0) this.#spend(tookMs, this.#engine.limits.timeoutMs);
    if (!this.#waitsWithAll(end)) this.#attempts += 1;
    if (end.trouble?.is === 'certificate') this.#certificatesRefused += 1;
  }

  /** The journal took so long, after an attempt or before the next one: its server may have been away. */
  recorded(tookMs: number): void {
    this.#spend(tookMs, this.#engine.limits.maxWaitMs);
  }

  #spend(tookMs: number, mostMs: number): void {
    this.#sinceFirstMs += Math.min(Math.max(0, tookMs), mostMs);
  }

  /** How long to wait for the next attempt, or why there is none. */
  next(end: AttemptEnd): number | Stopped {
    const { interrupts, pace, limits, chance, clock } = this.#engine;
    if (interrupts.first.aborted) return { because: 'interrupted' };
    const { retryAfterMs, trouble } = end;
    if (this.#waitsWithAll(end)) {
      pace?.limited(retryAfterMs);
      return 0;
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
    // Waited together with a whole batch, which costs nobody's own time.
    await pace?.turn(interrupts.first);
  }

  /** A certificate stays as it is; but one of several servers behind a name may be the wrong one. */
  get #mayTryAgain(): boolean {
    return this.#certificatesRefused < 2;
  }

  /** In a batch a limit is not this intent's own trouble: it costs no try, and the pace knows how long it lasts. */
  #waitsWithAll({ verdict }: AttemptEnd): boolean {
    return verdict === 'limited' && this.#engine.pace !== undefined;
  }
}

const firstStepMs = 500;
const longestStepMs = 20_000;

/**
 * How long to wait for the next try; undefined where tries end. Full jitter over an exponential step; what the
 * service asks for is obeyed even where it is longer.
 */
export function nextPauseMs(
  tried: {
    readonly attempts: number;
    /** Since the first of them ended, later flights included. */
    readonly sinceFirstMs: number;
    /** What the service asked for, if it asked. */
    readonly retryAfterMs: number | undefined;
  },
  limits: Pick<EngineContext['limits'], 'retries' | 'maxWaitMs'>,
  fraction: number,
): number | undefined {
  const stepMs = Math.min(longestStepMs, firstStepMs * 2 ** (tried.attempts - 1));
  const waitMs = Math.max(Math.round(stepMs * fraction), tried.retryAfterMs ?? 0);
  const isLast = limits.retries !== undefined && tried.attempts > limits.retries;
  return isLast || tried.sinceFirstMs + waitMs > limits.maxWaitMs ? undefined : waitMs;
}
