import { bodyBytes, isWhole } from '../intent/canonical.ts';
import { damage } from '../journal/damage.ts';
import type { Intent } from '../journal/journal.ts';
import type { Asked, Doing, Ended } from './doing.ts';
import { tooOldToSend } from './keyAge.ts';
import { isBeingSent, makePlan, newIntent, type Plan, type Sought, seek } from './plan.ts';
import type { HeldReason } from './verdict.ts';

/** An intent that this process owns, with its first attempt on record. */
export type Claimed = {
  readonly is: 'claimed';
  readonly intent: Intent;
  readonly number: number;
  /** This process has just created it. */
  readonly begun: boolean;
  /** What was done before, or left where it is, when this one began. */
  readonly after?: Intent;
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

export function concluded(
  intent: Intent,
  { journal }: Pick<Doing, 'journal'>,
  replayed: (Ended & { is: 'concluded' })['replayed'],
): Ended {
  return { is: 'concluded', intent, attempt: journal.tellingAttempt(intent.id), replayed, begun: false };
}

/** Asks, decides and claims, waiting for a living owner where there is one. */
export async function claim(asked: Asked, doing: Doing, consent?: Consent): Promise<Claimed | Ended> {
  const sought = seek(asked, doing.speaking, doing.journal);
  return afterWaiting(async () => {
    const agreed = consent && (await agree(sought, doing, consent));
    if (agreed !== undefined && 'is' in agreed) return agreed;
    return doing.commit(() => takeStep(sought, doing, agreed));
  }, doing);
}

/** What a person has seen and said yes to. */
export type Agreed = { readonly plan: Plan; readonly anew: boolean };

async function agree(sought: Sought, doing: Doing, consent: Consent): Promise<Agreed | Ended> {
  const look = (anew: boolean): Plan =>
    makePlan(sought, doing.speaking, doing.journal, doing.clock.now(), anew);
  const plan = look(false);
  let answer: Answer;
  try {
    answer = await consent(plan);
  } catch (unanswered) {
    const doubtful = await leaveDoubtful(plan, doing);
    if (doubtful !== undefined) return doubtful;
    throw unanswered;
  }
  if (answer === 'no') return (await leaveDoubtful(plan, doing)) ?? { is: 'refused', because: 'declined' };
  return answer === 'anew' ? { plan: look(true), anew: true } : { plan, anew: false };
}

/** Without a Yes nothing is sent; but what may have happened before is told as that, whatever was answered. */
async function leaveDoubtful({ found }: Plan, doing: Doing): Promise<Ended | undefined> {
  if (found === undefined) return undefined;
  return doing.commit(() => {
    doing.journal.recordDeath(found.id, doing.clock.now());
    const intent = reread(found, doing);
    const isDoubtful = intent.state === 'unknown' || intent.state === 'sending';
    return isDoubtful ? concluded(intent, doing, false) : undefined;
  });
}

/** Takes steps until one of them is an end or a claim, waiting for living owners in between. */
export async function afterWaiting(take: () => Promise<Step>, doing: Doing): Promise<Claimed | Ended> {
  for (;;) {
    const step = await take();
    if (step.is === 'changed') continue;
    if (step.is !== 'wait') return step;
    const waited = await waitForOwner(step.intent, doing);
    if (waited === 'owner-died' || (step.twin && waited === 'ended')) continue;
    if (step.twin) {
      const because = doing.interrupts.first.aborted ? 'interrupted' : 'twin-still-sending';
      return { is: 'refused', because, intent: step.intent };
    }
    const intent = reread(step.intent, doing);
    if (waited === 'time-is-up') return { is: 'still-sending', intent };
    return concluded(intent, doing, 'by-another-process');
  }
}

/** The answer of the journal and the claim, to be run inside one commit. */
export function takeStep(sought: Sought, doing: Doing, agreed: Agreed | undefined): Step {
  const { journal, speaking, clock } = doing;
  const nowMs = clock.now();
  const look = (): Plan => makePlan(sought, speaking, journal, nowMs, agreed?.anew);
  const seen = look();
  const plan = ownerHasDied(seen, doing, nowMs) ? look() : seen;
  if (agreed !== undefined && !isSamePlan(plan, agreed.plan)) return { is: 'changed' };
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
      return concluded(known(found), doing, 'from-journal');
    case 'leave-behind':
      journal.hold(known(found).id, 'key-age', nowMs);
      journal.leaveBehind(known(found).id);
      return { ...beginNew(sought, doing), after: reread(known(found), doing) };
    case 'resume':
      return resumeOrHold(known(found), doing);
    case 'again':
      return sendAgain(known(found), sought, doing);
    case 'new-after-done':
      return { ...beginNew(sought, doing), after: known(found) };
    case 'new':
      return beginNew(sought, doing);
  }
}

/** Nothing is ever deleted from a journal: what it names and does not find is damage. */
export function known(intent: Intent | undefined): Intent {
  if (intent !== undefined) return intent;
  throw damage('it names an intent that it does not find');
}

export function reread(intent: Intent, { journal }: Pick<Doing, 'journal'>): Intent {
  return journal.get(intent.id) ?? intent;
}

function isSamePlan(left: Plan, right: Plan): boolean {
  return (
    left.decision === right.decision && left.found?.id === right.found?.id && left.twin?.id === right.twin?.id
  );
}

/** Puts a dead owner's `sending` on record as what it is. */
function ownerHasDied({ found }: Plan, { journal }: Doing, nowMs: number): boolean {
  if (found?.state !== 'sending' || isBeingSent(found, journal)) return false;
  journal.recordDeath(found.id, nowMs);
  return true;
}

/** The next attempt of what this process has claimed. */
export function claimed(id: string, { journal, speaking, clock }: Doing): Claimed {
  const intent = journal.startAttempt(id, journal.hashOf(speaking.token.reveal()), clock.now());
  if (!isWhole(intent.body, intent.key, intent.fingerprint)) {
    const before = intent.mayHaveLandedAtMs === undefined ? '' : '; what was sent before may have happened';
    throw damage(`the request of intent ${id} is not what it was. Nothing was sent now${before}`);
  }
  return { is: 'claimed', intent, number: intent.attempts, begun: false };
}

function beginNew(sought: Sought, { journal, speaking, chance, clock }: Doing): Claimed {
  const wanted = newIntent(sought, speaking, chance.uuid);
  const intent = journal.begin(wanted, journal.hashOf(speaking.token.reveal()), clock.now());
  return { is: 'claimed', intent, number: intent.attempts, begun: true };
}

/** Why what may have landed must not be sent again without an operator's word. */
export function whyHold(intent: Intent, { journal, speaking, clock }: Doing): HeldReason | undefined {
  const tooOld = tooOldToSend(intent, speaking.keyAgeMs, clock.now());
  if (tooOld !== undefined) return tooOld;
  if (intent.kind === 'message' || intent.mayHaveLandedAtMs === undefined) return undefined;
  return intent.tokenHash === journal.hashOf(speaking.token.reveal()) ? undefined : 'other-token';
}

/** Resumes what may have landed or never left; what must not go by itself is held. */
export function resumeOrHold(intent: Intent, doing: Doing): Step {
  const { journal, clock } = doing;
  const why = whyHold(intent, doing);
  if (why !== undefined) {
    journal.hold(intent.id, why, clock.now());
    return concluded(reread(intent, doing), doing, false);
  }
  journal.claim(intent.id, clock.now());
  return claimed(intent.id, doing);
}

function sendAgain(intent: Intent, sought: Sought, doing: Doing): Claimed {
  if (intent.fingerprint !== sought.fingerprint) {
    const body = bodyBytes({ ...sought.asked.wanted.request }, intent.key);
    doing.journal.rewrite(intent.id, body, sought.fingerprint, sought.payment);
  }
  doing.journal.claim(intent.id, doing.clock.now());
  return claimed(intent.id, doing);
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
