import { setMaxListeners } from 'node:events';
import type { Interrupts } from '../../machine/process.ts';
import type { Order } from '../entry/naming.ts';
import { Failure } from '../failures.ts';
import type { Transaction } from '../journal/journal.ts';
import { endpoint, type Flight } from '../wire/flight.ts';
import type { Claim } from './act.ts';
import { closedFor } from './answers.ts';
import type { Consent } from './beforeClaim.ts';
import { claim } from './claim.ts';
import type { EngineContext } from './context.ts';
import { type JudgedReply, judgeFlight, Tries } from './judgedReply.ts';
import { LastCheck } from './lastCheck.ts';
import { becauseClosed, concluded, mustFind, type Outcome, type Stopped } from './outcome.ts';
import { whyHold } from './plan.ts';
import { notRecorded, type Recorded, record, stateAtEnd } from './recordResult.ts';
import type { HeldReason, ReplyMeaning } from './replyMeaning.ts';

/** Carries out an order once, whatever happened before and whatever happens meanwhile. */
export async function execute(order: Order, engine: EngineContext, consent?: Consent): Promise<Outcome> {
  const claimed = await claim(order, engine, consent);
  return claimed.is === 'claim' ? carryOut(claimed, engine) : claimed;
}

/**
 * Sends, judges and records until the entry has its outcome or no tries are left. `onAccepted` is called before the
 * acceptance is recorded, so that what the caller claims next can share its commit.
 */
export async function carryOut(
  first: Claim,
  engine: EngineContext,
  onAccepted: () => void = () => {},
): Promise<Outcome> {
  const tries = new Tries(engine);
  let claim = first;
  let hasLeft = false;
  let holds: HeldReason | undefined;
  for (;;) {
    const startedAtMs = engine.clock.now();
    const lastCheck = new LastCheck(claim.entry, engine);
    const flight = await makeAttempt(claim, lastCheck, engine);
    hasLeft ||= flight.came === 'reply' || flight.headersSent;
    const judged = afterLastCheck(await judgeFlight(flight, claim, engine), lastCheck);
    const seen = withHold(judged, holds);
    holds = seen.meaning.heldAtEnd ? seen.meaning.heldReason : undefined;
    const cameBackAtMs = engine.clock.now();
    tries.count(seen.end, cameBackAtMs - startedAtMs);
    // The commit can reject an accepted reply only because of its receipts. Without receipts the connection is free
    // now.
    const isAccepted = seen.meaning.verdict === 'accepted';
    const isFree = isAccepted && seen.receipts.length === 0;
    if (isFree) keepConnection(flight);
    if (isAccepted) onAccepted();
    const recorded = await record(claim, seen, startedAtMs, tries, engine);
    tries.recorded(engine.clock.now() - cameBackAtMs);
    if (!isFree) await leaveConnection(flight, recorded);
    if (lastCheck.blocked?.because === 'journal' && claim.entry.inDoubtSinceMs === undefined)
      throw lastCheck.blocked.failure;
    const { judged: recordedReply, follows } = recorded;
    const ended = (end: Outcome): Outcome => (hasLeft ? end : asOthersDidIt(end));
    if (follows.is !== 'try-again') return ended(follows);
    // A retry sends the bytes that were sent first, even if the disk has damaged them since.
    claim = { ...claim, entry: { ...follows.entry, body: first.entry.body } };
    await tries.wait(follows.waitMs, recordedReply.end);
    const goesOnAtMs = engine.clock.now();
    const next = await claimNext(claim, recordedReply, startedAtMs, engine);
    tries.recorded(engine.clock.now() - goesOnAtMs);
    if (next.is !== 'claim') return ended(next);
    claim = next;
  }
}

/** If this process sent nothing and the entry is accepted, the process that took over has sent it. */
function asOthersDidIt(outcome: Outcome): Outcome {
  if (outcome.is !== 'concluded' || outcome.entry.state !== 'accepted') return outcome;
  return { ...outcome, replayed: true };
}

/** If an earlier reply of this run is a reason to hold, a later one that tells nothing new changes nothing. */
function withHold(judged: JudgedReply, heldReason: HeldReason | undefined): JudgedReply {
  const { meaning } = judged;
  const tellsNothing = meaning.verdict === 'unknown' || meaning.verdict === 'limited';
  if (heldReason === undefined || meaning.heldAtEnd || !tellsNothing) return judged;
  return { ...judged, meaning: { ...meaning, heldAtEnd: true, heldReason } };
}

/**
 * If the last check forbids sending, all tries end, unless only this claim is stale. An entry that is too old to send
 * waits for an operator.
 */
function afterLastCheck(judged: JudgedReply, { blocked }: LastCheck): JudgedReply {
  if (blocked === undefined) return judged;
  const held = blocked.because === 'too-old' ? ({ heldAtEnd: true, heldReason: 'too-old' } as const) : {};
  return { ...judged, meaning: { ...judged.meaning, next: 'stop', ...held } };
}

/** A connection may carry another request only if its reply was accepted as this request's own. */
async function leaveConnection(flight: Flight, { judged: recordedReply, follows }: Recorded): Promise<void> {
  if (follows.is === 'concluded' && recordedReply.end.verdict === 'accepted') keepConnection(flight);
  else if (flight.came === 'reply') await flight.socket?.drop();
}

function keepConnection(flight: Flight): void {
  if (flight.came === 'reply') flight.socket?.keep();
}

async function claimNext(
  claim: Claim,
  judged: JudgedReply,
  startedAtMs: number,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  try {
    return await engine.commit((tx) => startNext(claim, judged.meaning, tx, engine), {
      beforeSending: true,
    });
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'fenced') return asOthersLeftIt(claim, engine);
    return notRecorded(claim, judged, startedAtMs, cause, engine);
  }
}

/** Another process thought that this one was dead and has the entry now. The result of the attempt is on record. */
async function asOthersLeftIt({ entry: { id } }: Claim, { journal }: EngineContext): Promise<Outcome> {
  const entry = mustFind(await journal.reads.get(id));
  const stopped: Stopped = { because: 'nothing-to-gain' };
  return { ...(await concluded(entry, journal.reads, false)), stopped };
}

/** Starts the next attempt, unless a person, a closing, the key's age or another process forbids it. */
async function startNext(
  { entry: { id, body } }: Claim,
  last: ReplyMeaning,
  tx: Transaction,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  const { journal, clock, interrupts, bot, pace } = engine;
  const entry = mustFind(await tx.get(id));
  const end = async (stopped: Stopped): Promise<Outcome> => ({
    ...(await concluded(mustFind(await tx.get(id)), tx, false)),
    stopped,
  });
  if (entry.state !== 'sending' || entry.owner !== journal.self()) return end({ because: 'nothing-to-gain' });
  const closed = await closedFor(tx, journal);
  if (interrupts.first.aborted || closed !== undefined || pace?.over.aborted === true) {
    const others = interrupts.first.aborted ? 'interrupted' : 'no-tries-left';
    const stopped: Stopped = closed === undefined ? { because: others } : becauseClosed(closed);
    const state = stateAtEnd(last, entry.inDoubtSinceMs !== undefined, stopped);
    await tx.conclude(id, state, state === 'held' ? last.heldReason : undefined, clock.now());
    return end(stopped);
  }
  const why = whyHold(entry, engine);
  if (why !== undefined) {
    await tx.conclude(id, 'held', why, clock.now());
    return end({ because: 'nothing-to-gain' });
  }
  const begun = await tx.startAttempt(id, journal.hashOf(bot.token.reveal()), clock.now());
  return { is: 'claim', entry: { ...begun, body }, number: begun.attempts };
}

/** Sends the entry's own bytes once. Never rejects. */
export async function makeAttempt(
  { entry, number }: Claim,
  lastCheck: LastCheck,
  engine: EngineContext,
): Promise<Flight> {
  const { connection, bot, limits, clock, observer } = engine;
  const url = endpoint(connection.url, entry.kind);
  if (engine.interrupts.first.aborted)
    return { came: 'nothing', headersSent: false, trouble: { is: 'interrupted' } };
  const startedAtMs = clock.now();
  const grace = graceOf(engine);
  const cut = grace.begin();
  observer.step({ is: 'sending', number, url });
  try {
    const flight = await observer.during(
      { for: 'reply', kind: entry.kind },
      connection.channel
        .fly(
          { url, token: bot.token, body: entry.body },
          { timeoutMs: limits.timeoutMs, cut, lastCheck: () => lastCheck.ask() },
        )
        .catch(brokenChannel),
    );
    const what = flight.came === 'reply' ? flight.status : flight.trouble;
    observer.step({ is: 'came-back', number, what, tookMs: clock.now() - startedAtMs });
    return flight;
  } finally {
    grace.end();
  }
}

/** A channel that throws does not say how far it got, so assume that the request went out. */
function brokenChannel(error: unknown): Flight {
  const text = error instanceof Error ? error.message : String(error);
  return { came: 'nothing', headersSent: true, trouble: { is: 'attempt-failed', text } };
}

const lastRepliesMs = 5000;

/**
 * After the first signal, requests in flight may finish for a while; the second signal ends them now. All flights of a
 * process share one AbortSignal: one for each row of a batch would take a twentieth of the row's time.
 */
class Grace {
  readonly #cut = new AbortController();
  #inFlight = 0;
  #allReplied: AbortController | undefined;

  constructor({ interrupts: { first, second }, clock }: Pick<EngineContext, 'interrupts' | 'clock'>) {
    const cut = (): void => this.#cut.abort();
    // Every flight adds a listener. Without this, Node warns of a leak.
    setMaxListeners(0, this.#cut.signal);
    const onFirst = (): void => {
      if (this.#inFlight === 0) return;
      this.#allReplied = new AbortController();
      void clock.sleep(lastRepliesMs, this.#allReplied.signal).then(cut);
    };
    first.addEventListener('abort', onFirst);
    second.addEventListener('abort', cut);
  }

  begin(): AbortSignal {
    this.#inFlight += 1;
    return this.#cut.signal;
  }

  end(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#allReplied?.abort();
  }
}

const graces = new WeakMap<Interrupts, Grace>();

function graceOf(engine: Pick<EngineContext, 'interrupts' | 'clock'>): Grace {
  const known = graces.get(engine.interrupts);
  if (known !== undefined) return known;
  const grace = new Grace(engine);
  graces.set(engine.interrupts, grace);
  return grace;
}
