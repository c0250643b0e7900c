import { bodyBytes } from '../intent/canonical.ts';
import type { Intent } from '../journal/journal.ts';
import type { Asked, Doing, Ended } from './doing.ts';
import { tooOldToSend } from './keyAge.ts';
import { isBeingSent, lookUp, makePlan, newIntent, type Plan, type Sought, seek } from './plan.ts';
import type { HeldReason } from './verdict.ts';

/** An intent that this process owns, with its first attempt on record. */
export type Claimed = {
  readonly is: 'claimed';
  readonly intent: Intent;
  readonly number: number;
  readonly begun: boolean;
};

/** What a person says to a plan. `anew`: not the replay, do it once more. */
export type Answer = 'go' | 'anew' | 'no';

/** Asks a person, where there is one, before anything is journaled. */
export type Consent = (plan: Plan) => Promise<Answer>;

/** What one look at the journal, and one commit, led to. */
export type Step =
  | Claimed
  | Ended
  | { readonly is: 'wait'; readonly intent: Intent; readonly twin: boolean }
  | { readonly is: 'changed' };

const concluded = (intent: Intent, doing: Pick<Doing, 'journal'>, replayed: boolean): Ended => ({
  is: 'concluded',
  intent,
  attempt: doing.journal.tellingAttempt(intent.id),
  replayed: replayed && 'from-journal',
  begun: false,
});

/** Asks, decides and claims, waiting for a living owner where there is one. */
export async function claim(
  asked: Asked,
  doing: Doing,
  consent: Consent | undefined,
): Promise<Claimed | Ended> {
  const sought = seek(asked, doing.speaking, doing.journal);
  for (;;) {
    const plan = consent && makePlan(sought, doing.speaking, doing.journal, doing.clock.now());
    const answer = plan && consent ? await consent(plan) : 'go';
    if (answer === 'no')
      return { is: 'refused', because: 'declined', ...(plan?.found && { intent: plan.found }) };
    const step = await doing.commit(() => takeStep(sought, doing, answer, plan));
    if (step.is === 'changed') continue;
    if (step.is !== 'wait') return step;
    const waited = await waitForOwner(step.intent, doing);
    if (waited === 'owner-died') continue;
    if (step.twin) {
      if (waited === 'ended') continue;
      return { is: 'refused', because: 'twin-still-sending', intent: step.intent };
    }
    const intent = reread(step.intent, doing);
    if (waited === 'time-is-up') return { is: 'still-sending', intent };
    return {
      is: 'concluded',
      intent,
      attempt: doing.journal.tellingAttempt(intent.id),
      replayed: 'by-another-process',
      begun: false,
    };
  }
}

/** The answer of the journal and the claim, to be run inside one commit. */
export function takeStep(sought: Sought, doing: Doing, answer: Answer, agreed: Plan | undefined): Step {
  const { journal, speaking, clock } = doing;
  const nowMs = clock.now();
  recordDeathOfOwner(sought, doing, nowMs);
  const plan = makePlan(sought, speaking, journal, nowMs);
  if (agreed !== undefined && !isSamePlan(plan, agreed)) return { is: 'changed' };
  const { found, twin } = plan;
  switch (plan.decision) {
    case 'other-bot':
    case 'other-body':
      return { is: 'refused', because: plan.decision, ...(found && { intent: found }) };
    case 'unfinished-twin':
      return { is: 'refused', because: plan.decision, ...(twin && { intent: twin }) };
    case 'wait-for-twin':
      return { is: 'wait', intent: known(twin), twin: true };
    case 'wait':
      return { is: 'wait', intent: known(found), twin: false };
    case 'needs-decision':
      return concluded(known(found), doing, false);
    case 'replay':
      return answer === 'anew' ? beginNew(sought, doing) : concluded(known(found), doing, true);
    case 'leave-behind':
      journal.hold(known(found).id, 'key-age', nowMs);
      journal.leaveBehind(known(found).id);
      return beginNew(sought, doing);
    case 'resume':
      return resumeOrHold(known(found), doing);
    case 'again':
      return sendAgain(known(found), sought, doing);
    case 'new':
    case 'new-after-done':
      return beginNew(sought, doing);
  }
}

function known(intent: Intent | undefined): Intent {
  if (intent === undefined) throw new Error('the plan names no intent');
  return intent;
}

function reread(intent: Intent, { journal }: Pick<Doing, 'journal'>): Intent {
  return journal.get(intent.id) ?? intent;
}

function isSamePlan(left: Plan, right: Plan): boolean {
  return (
    left.decision === right.decision && left.found?.id === right.found?.id && left.twin?.id === right.twin?.id
  );
}

function recordDeathOfOwner(sought: Sought, { journal }: Doing, nowMs: number): void {
  const found = lookUp(sought, journal);
  if (found?.state === 'sending' && !isBeingSent(found, journal)) journal.recordDeath(found.id, nowMs);
}

function claimed(id: string, begun: boolean, doing: Doing): Claimed {
  const { journal, speaking, clock } = doing;
  const number = journal.startAttempt(id, journal.hashOf(speaking.token.reveal()), clock.now());
  return { is: 'claimed', intent: known(journal.get(id)), number, begun };
}

function beginNew(sought: Sought, doing: Doing): Claimed {
  const intent = newIntent(sought, doing.speaking, doing.chance.uuid);
  doing.journal.begin(intent, doing.clock.now());
  return claimed(intent.id, true, doing);
}

/** Why what may have landed must not be sent again without an operator's word. */
export function whyHold(intent: Intent, { journal, speaking, clock }: Doing): HeldReason | undefined {
  const tooOld = tooOldToSend(intent, speaking.keyAgeMs, clock.now());
  if (tooOld !== undefined) return tooOld;
  if (intent.kind === 'message' || intent.mayHaveLandedAtMs === undefined) return undefined;
  return intent.tokenHash === journal.hashOf(speaking.token.reveal()) ? undefined : 'other-token';
}

export function resumeOrHold(intent: Intent, doing: Doing): Step {
  const { journal, clock } = doing;
  const why = whyHold(intent, doing);
  if (why !== undefined) {
    journal.hold(intent.id, why, clock.now());
    return concluded(reread(intent, doing), doing, false);
  }
  journal.claim(intent.id, clock.now());
  return claimed(intent.id, false, doing);
}

function sendAgain(intent: Intent, sought: Sought, doing: Doing): Claimed {
  if (intent.fingerprint !== sought.fingerprint) {
    const body = bodyBytes({ ...sought.asked.wanted.request }, intent.key);
    doing.journal.rewrite(intent.id, body, sought.fingerprint, sought.payment);
  }
  doing.journal.claim(intent.id, doing.clock.now());
  return claimed(intent.id, false, doing);
}

const pollMs = 50;

/** Waits while another living process sends it: `--max-wait` at most. */
export async function waitForOwner(
  intent: Intent,
  doing: Doing,
): Promise<'ended' | 'owner-died' | 'time-is-up'> {
  const { journal, clock, limits, interrupts, observer } = doing;
  const poll = async (): Promise<'ended' | 'owner-died' | 'time-is-up'> => {
    const startedAtMs = clock.now();
    let waitedMs = 0;
    for (;;) {
      const now = journal.get(intent.id);
      if (now?.state !== 'sending' || now.owner !== intent.owner) return 'ended';
      if (!isBeingSent(now, journal)) return 'owner-died';
      if (waitedMs >= limits.maxWaitMs || interrupts.first.aborted) return 'time-is-up';
      await clock.sleep(pollMs, interrupts.first);
      waitedMs = Math.max(waitedMs + pollMs, clock.now() - startedAtMs);
    }
  };
  return observer.during(`Another botctl is sending ${intent.id}; waiting for its outcome`, poll());
}
