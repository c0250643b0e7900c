import type { Attempt, Intent, State } from '../journal/journal.ts';
import { nextPause } from './backoff.ts';
import { type Claimed, type Consent, claim, known, whyHold } from './claim.ts';
import type { Asked, Doing, Ended, Stopped } from './doing.ts';
import { type Judged, judgeFlight } from './judged.ts';
import { noticeOf } from './notices.ts';
import { send } from './send.ts';
import type { Judgement } from './verdict.ts';

/** Does what is asked, once: whatever happened before, and whatever happens meanwhile. */
export async function execute(asked: Asked, doing: Doing, consent?: Consent): Promise<Ended> {
  const claimed = await claim(asked, doing, consent);
  if (claimed.is !== 'claimed') return claimed;
  if (claimed.after !== undefined) doing.observer.notice(noticeOf(claimed.after));
  return carryOut(claimed, doing);
}

/** Record, send, judge, conclude; and again, until the intent has its outcome or trying must end. */
export async function carryOut(
  { intent: claimedIntent, number: firstNumber, begun }: Claimed,
  doing: Doing,
): Promise<Ended> {
  const run: Run = { intent: claimedIntent, begun, attempts: 0, waitedMs: 0 };
  let number = firstNumber;
  for (;;) {
    const startedAtMs = doing.clock.now();
    const flight = await send(run.intent, number, doing);
    const judged = judgeFlight(flight, run.intent, number, doing);
    if (!waitsWithAll(judged, doing)) run.attempts += 1;
    const pause = judged.judgement.next === 'try-again' ? pauseAfter(judged, run, doing) : undefined;
    const stopped = pause?.is === 'wait' ? undefined : (pause?.stopped ?? reasonToStop(judged.judgement));
    const recorded = await record(run, number, judged, stopped, startedAtMs, doing);
    if (recorded.is !== 'go-on') return recorded;
    // What leaves again are the bytes that left, whatever has become of the disk.
    run.intent = { ...recorded.intent, body: claimedIntent.body };
    await wait(pause?.is === 'wait' ? pause.waitMs : 0, judged, run, doing);
    const next = await goOn(run, judged.judgement, doing);
    if (next.is === 'not-recorded') return notRecorded(run, number, judged, startedAtMs, next.cause, doing);
    if (next.is === 'over') return { ...next.ended, begun };
    number = next.number;
  }
}

type Run = { intent: Intent; readonly begun: boolean; attempts: number; waitedMs: number };

/** In a batch a limit is not this intent's own trouble: it costs no try, and the pace knows how long it lasts. */
function waitsWithAll({ end }: Judged, { pace }: Doing): boolean {
  return end.verdict === 'limited' && pace !== undefined;
}

type PauseOrStop = { is: 'wait'; waitMs: number } | { is: 'stop'; stopped: Stopped };

function pauseAfter(judged: Judged, run: Run, doing: Doing): PauseOrStop {
  const { end } = judged;
  if (doing.interrupts.first.aborted) return { is: 'stop', stopped: { because: 'interrupted' } };
  if (waitsWithAll(judged, doing)) {
    doing.pace?.limited(end.retryAfterMs);
    return { is: 'wait', waitMs: 0 };
  }
  const tried = { attempts: run.attempts, waitedMs: run.waitedMs, retryAfterMs: end.retryAfterMs };
  const pause = nextPause(tried, doing.limits, doing.chance.fraction());
  if (pause.is === 'wait') return pause;
  if (pause.because === 'no-tries-left' && end.retryAfterMs === undefined) {
    return { is: 'stop', stopped: { because: 'no-tries-left' } };
  }
  const waitMs = pause.because === 'no-tries-left' ? (end.retryAfterMs ?? 0) : pause.waitMs;
  return {
    is: 'stop',
    stopped: { because: 'would-wait-too-long', comeBackAtMs: doing.clock.now() + waitMs },
  };
}

function reasonToStop({ next }: Judgement): Stopped | undefined {
  return next === 'stop' ? { because: 'nothing-to-gain' } : undefined;
}

/** Where the intent stands if trying ends with this judgement. */
function stateAtEnd(
  judgement: Judgement,
  tainted: boolean,
  stopped: Stopped | undefined,
): Exclude<State, 'sending' | 'resolved'> {
  const { verdict, heldAtEnd } = judgement;
  if (verdict === 'accepted' || verdict === 'rejected' || verdict === 'held') return verdict;
  if (heldAtEnd === true && stopped?.because !== 'interrupted') return 'held';
  return tainted || verdict === 'unknown' ? 'unknown' : 'open';
}

type Recorded = Ended | { readonly is: 'go-on'; readonly intent: Intent };

/** Puts what came back on record; with the outcome in the same commit, where there is one. */
async function record(
  run: Run,
  number: number,
  { end, judgement }: Judged,
  stopped: Stopped | undefined,
  startedAtMs: number,
  doing: Doing,
): Promise<Recorded> {
  const { journal, clock } = doing;
  const { id, tainted } = run.intent;
  const over = judgement.next === 'done' || stopped !== undefined;
  try {
    return await doing.commit((): Recorded => {
      const nowMs = clock.now();
      journal.endAttempt(id, number, end, nowMs);
      if (!over) return { is: 'go-on', intent: journal.get(id) ?? run.intent };
      const state = stateAtEnd(judgement, tainted, stopped);
      const why = state === 'held' ? judgement.why : undefined;
      const intent = journal.conclude(id, state, why, nowMs) ?? journal.get(id) ?? run.intent;
      // Only an earlier attempt's proof tells more than this one does.
      const tells = intent.state !== 'accepted' || end.verdict === 'accepted';
      return {
        is: 'concluded',
        intent,
        attempt: tells ? { ...end, number, startedAtMs, endedAtMs: nowMs } : journal.tellingAttempt(id),
        replayed: false,
        begun: run.begun,
        ...(stopped && { stopped }),
      };
    });
  } catch (cause) {
    return notRecorded(run, number, { end, judgement }, startedAtMs, cause, doing);
  }
}

/** What came back must be told even where the journal can hold no more. */
function notRecorded(
  { intent }: Run,
  number: number,
  { end }: Judged,
  startedAtMs: number,
  cause: unknown,
  { clock }: Doing,
): Ended & { is: 'not-recorded' } {
  const attempt: Attempt = { ...end, number, startedAtMs, endedAtMs: clock.now() };
  return { is: 'not-recorded', intent, attempt, cause };
}

async function wait(waitMs: number, { end }: Judged, run: Run, doing: Doing): Promise<void> {
  const { observer, clock, interrupts, pace } = doing;
  const why = end.trouble ?? `status ${end.status}`;
  const seconds = (waitMs / 1000).toFixed(1);
  observer.step(`${end.verdict}: waiting ${waitMs} ms`);
  await observer.during(`Trying again in ${seconds} s (${why})`, clock.sleep(waitMs, interrupts.first));
  run.waitedMs += waitMs;
  await pace?.turn(interrupts.first);
}

type Next =
  | { readonly is: 'next'; readonly number: number }
  | { readonly is: 'over'; readonly ended: Ended & { is: 'concluded' } };

async function goOn(
  { intent }: Run,
  last: Judgement,
  doing: Doing,
): Promise<Next | { readonly is: 'not-recorded'; readonly cause: unknown }> {
  try {
    return await doing.commit(() => startNext(intent, last, doing));
  } catch (cause) {
    return { is: 'not-recorded', cause };
  }
}

/** The next attempt on record; unless a person, the key's age or somebody else's proof forbids it. */
function startNext({ id }: Intent, last: Judgement, doing: Doing): Next {
  const { journal, clock, interrupts, speaking } = doing;
  const intent = known(journal.get(id));
  const end = (stopped: Stopped): Next => ({
    is: 'over',
    ended: {
      is: 'concluded',
      intent: journal.get(id) ?? intent,
      attempt: journal.tellingAttempt(id),
      replayed: false,
      begun: false,
      stopped,
    },
  });
  if (intent.state !== 'sending' || intent.owner !== journal.self())
    return end({ because: 'nothing-to-gain' });
  if (interrupts.first.aborted) {
    const stopped: Stopped = { because: 'interrupted' };
    journal.conclude(id, stateAtEnd(last, intent.tainted, stopped), undefined, clock.now());
    return end(stopped);
  }
  const why = whyHold(intent, doing);
  if (why !== undefined) {
    journal.conclude(id, 'held', why, clock.now());
    return end({ because: 'nothing-to-gain' });
  }
  const { attempts } = journal.startAttempt(id, journal.hashOf(speaking.token.reveal()), clock.now());
  return { is: 'next', number: attempts };
}
