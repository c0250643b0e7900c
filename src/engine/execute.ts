import { Failure } from '../errors.ts';
import type { Order } from '../intent/order.ts';
import type { Transaction } from '../journal/journal.ts';
import type { Flight } from '../wire/flight.ts';
import type { Consent } from './agree.ts';
import { type Claim, claim, whyHold } from './claim.ts';
import type { EngineContext } from './context.ts';
import { Door } from './door.ts';
import { exchangeOf, type Judgement, judgeFlight } from './judgement.ts';
import { concluded, mustFind, type Outcome, type Stopped } from './outcome.ts';
import { notRecorded, type Recorded, record, stateAtEnd } from './record.ts';
import { send } from './send.ts';
import { Tries } from './tries.ts';
import type { Ruling } from './verdict.ts';

/** Does what is wanted, once: whatever happened before, and whatever happens meanwhile. */
export async function execute(order: Order, engine: EngineContext, consent?: Consent): Promise<Outcome> {
  const claimed = await claim(order, engine, consent);
  if (claimed.is !== 'claim') return claimed;
  if (claimed.after !== undefined) engine.observer.beginsAnew(claimed.after);
  return carryOut(claimed, engine);
}

/**
 * Send, judge, record; and again, until the intent has its outcome or trying must end. `onAccepted` is told before that
 * is on record: what it commits shares the record's commit. Where that finds that the reply was another's, it is told again.
 */
export async function carryOut(
  first: Claim,
  engine: EngineContext,
  onAccepted: () => void = () => {},
): Promise<Outcome> {
  const tries = new Tries(engine);
  let claim = first;
  let hasLeft = false;
  for (;;) {
    const startedAtMs = engine.clock.now();
    const door = new Door(claim.intent, engine);
    const flight = await send(claim, door, engine);
    hasLeft ||= flight.came === 'reply' || flight.headersSent;
    const seen = atTheDoor(await judgeFlight(flight, claim, engine), door);
    const cameBackAtMs = engine.clock.now();
    tries.count(seen.end, cameBackAtMs - startedAtMs);
    const isAccepted = seen.ruling.verdict === 'accepted';
    // The commit can only still find out whose a reply's receipts are: without any, the connection is free at once.
    const isFree = isAccepted && seen.receipts.length === 0;
    if (isFree) keepConnection(flight, seen, claim);
    if (isAccepted) onAccepted();
    const recorded = await record(claim, seen, startedAtMs, tries, engine);
    tries.recorded(engine.clock.now() - cameBackAtMs);
    if (!isFree) await leaveConnection(flight, recorded, claim);
    if (door.shut?.because === 'journal' && !claim.intent.tainted) throw door.shut.failure;
    const { judgement, follows } = recorded;
    const told = (end: Outcome): Outcome => (hasLeft ? end : asOthersDidIt(end));
    if (follows.is !== 'try-again') return told(follows);
    // What leaves again are the bytes that left, whatever has become of the disk.
    claim = { ...claim, intent: { ...follows.intent, body: first.intent.body } };
    await tries.wait(follows.waitMs, judgement.end);
    const goesOnAtMs = engine.clock.now();
    const next = await claimNext(claim, judgement, startedAtMs, engine);
    tries.recorded(engine.clock.now() - goesOnAtMs);
    if (next.is !== 'claim') return told(next);
    claim = next;
  }
}

/** Nothing left here, and yet it is done: whoever took over has done it. */
function asOthersDidIt(outcome: Outcome): Outcome {
  if (outcome.is !== 'concluded' || outcome.intent.state !== 'accepted') return outcome;
  return { ...outcome, replayed: 'by-another-process' };
}

/** What stood at the door ends it, whatever tries are left: what may have landed waits for an operator. */
function atTheDoor(judgement: Judgement, { shut }: Door): Judgement {
  if (shut === undefined || shut.because === 'claim') return judgement;
  const held = shut.because === 'too-old' ? ({ heldAtEnd: true, why: shut.why } as const) : {};
  return { ...judgement, ruling: { ...judgement.ruling, next: 'stop', ...held } };
}

/** Only a reply that was taken for this request's own lets its connection carry another. */
async function leaveConnection(
  flight: Flight,
  { judgement, follows }: Recorded,
  claim: Claim,
): Promise<void> {
  const isOurs = follows.is === 'concluded' && judgement.end.verdict === 'accepted';
  if (isOurs) keepConnection(flight, judgement, claim);
  else if (flight.came === 'reply') await flight.socket?.drop();
}

function keepConnection(flight: Flight, judgement: Judgement, { intent }: Claim): void {
  if (flight.came === 'reply') flight.socket?.keep(exchangeOf(judgement, intent));
}

async function claimNext(
  claim: Claim,
  judgement: Judgement,
  startedAtMs: number,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  try {
    return await engine.commit((tx) => startNext(claim, judgement.ruling, tx, engine), {
      beforeSending: true,
    });
  } catch (cause) {
    if (cause instanceof Failure && cause.code === 'fenced') return asOthersLeftIt(claim, engine);
    return notRecorded(claim, judgement, startedAtMs, cause, engine);
  }
}

/** Others took this process for dead: what came back is on record, and the intent is in their hands. */
async function asOthersLeftIt(
  { intent: { id }, createdNow }: Claim,
  { journal }: EngineContext,
): Promise<Outcome> {
  const intent = mustFind(await journal.reads.get(id));
  const stopped: Stopped = { because: 'nothing-to-gain' };
  return { ...(await concluded(intent, journal.reads, false)), createdNow, stopped };
}

/** The next attempt on record; unless a person, the key's age or somebody else's proof forbids it. */
async function startNext(
  { intent: { id, body }, createdNow }: Claim,
  last: Ruling,
  tx: Transaction,
  engine: EngineContext,
): Promise<Claim | Outcome> {
  const { journal, clock, interrupts, bot } = engine;
  const intent = mustFind(await tx.get(id));
  const end = async (stopped: Stopped): Promise<Outcome> => ({
    ...(await concluded(mustFind(await tx.get(id)), tx, false)),
    createdNow,
    stopped,
  });
  if (intent.state !== 'sending' || intent.owner !== journal.self())
    return end({ because: 'nothing-to-gain' });
  if (interrupts.first.aborted) {
    const stopped: Stopped = { because: 'interrupted' };
    await tx.conclude(id, stateAtEnd(last, intent.tainted, stopped), undefined, clock.now());
    return end(stopped);
  }
  const why = whyHold(intent, engine);
  if (why !== undefined) {
    await tx.conclude(id, 'held', why, clock.now());
    return end({ because: 'nothing-to-gain' });
  }
  const begun = await tx.startAttempt(id, journal.hashOf(bot.token.reveal()), clock.now());
  return { is: 'claim', intent: { ...begun, body }, number: begun.attempts, createdNow };
}
