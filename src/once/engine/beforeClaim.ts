import type { Failure } from '../failures.ts';
import type { Entry } from '../journal/journal.ts';
import { equalAhead } from './answers.ts';
import type { Besides, EngineContext } from './context.ts';
import { concluded, mustFind, type Outcome } from './outcome.ts';
import { type Identity, makePlan, type Plan, planOfNewJournal } from './plan.ts';
import { isBeingSent, mayHaveLanded } from './standing.ts';

/** A person's answer. `pay`: although an equal payment was shown. `again`: once more, although it was done. */
type Answer = 'go' | 'pay' | 'again' | 'no';

/** Asks a person, if there is one, before anything is journaled. `equal` is a payment that this one would repeat. */
export type Consent = (plan: Plan, equal: Entry | undefined) => Promise<Answer>;

/** What a person has agreed to, in full view of the plan. */
export type Agreed = {
  readonly plan: Plan;
  readonly again: boolean;
  /** If equal payments were shown, it is meant besides those. */
  readonly besides: Besides | undefined;
  /** Why nobody was asked. */
  readonly closed?: Failure;
};

/** Asks about the plan until a person has agreed to what will be done. */
export async function agree(
  identity: Identity,
  engine: EngineContext,
  consent: Consent,
  waitedFor: string | undefined,
): Promise<Agreed | Outcome> {
  const { closed, reads } = engine.journal;
  const plan = await makePlan(identity, engine, reads, { waitedFor });
  const unasked = { plan, again: false, besides: engine.besides };
  // Nothing will be sent, so there is nothing to ask.
  if (closed !== undefined) return { ...unasked, closed };
  // A Yes to "again?" begins a new entry.
  const mayAskAgain = plan.is === 'already-done' && identity.key === undefined;
  const equal = await equalAhead(mayAskAgain ? planOfNewJournal : plan, identity, reads, engine);
  const besides = { ids: equal.map(({ id }) => id) };
  const answer = await answerTo(plan, mayAskAgain ? undefined : equal[0], engine, consent);
  switch (answer) {
    case 'go':
      return unasked;
    case 'pay':
      return { ...unasked, besides };
    case 'again':
      return { plan: { is: 'new-entry', found: plan.found }, again: true, besides };
    default:
      return answer;
  }
}

async function answerTo(
  plan: Plan,
  equal: Entry | undefined,
  engine: EngineContext,
  consent: Consent,
): Promise<Exclude<Answer, 'no'> | Outcome> {
  try {
    const answer = await consent(plan, equal);
    if (answer !== 'no') return answer;
  } catch (unanswered) {
    const doubtful = await leaveDoubtful(plan, engine);
    if (doubtful !== undefined) return doubtful;
    throw unanswered;
  }
  return (await leaveDoubtful(plan, engine)) ?? { is: 'not-sent', because: 'declined' };
}

/** Without a Yes nothing is sent. If an earlier attempt may have landed, that is reported, whatever the answer was. */
async function leaveDoubtful({ found }: Plan, engine: EngineContext): Promise<Outcome | undefined> {
  if (found === undefined) return undefined;
  return engine.commit(async (tx) => {
    await tx.recordDeath(found.id, engine.clock.now());
    const entry = mustFind(await tx.get(found.id));
    return mayHaveLanded(entry) ? concluded(entry, tx, false) : undefined;
  });
}

const pollMs = 50;
/** Slower: each poll goes over a network, to a server with other clients. */
const sharedPollMs = 250;

/** Random on a shared journal, so that waiting processes do not poll in step. */
function pauseMs({ journal, chance }: EngineContext): number {
  return journal.isShared ? sharedPollMs * (0.75 + chance.fraction() / 2) : pollMs;
}

/** How waiting for an owner ended, and how long we have waited for all owners of this claim while they were sending. */
type Waited = { readonly is: 'ended' | 'time-is-up'; readonly inAllMs: number };

/** Waits while another living process sends it, for `ownerWaitMs` or else for `--max-wait`. */
export async function waitForOwner(
  { id, owner }: Entry,
  engine: EngineContext,
  beforeMs: number,
): Promise<Waited> {
  const { clock, limits, interrupts, observer, journal } = engine;
  const mostMs = limits.ownerWaitMs ?? limits.maxWaitMs;
  const poll = async (): Promise<Waited> => {
    const startedAtMs = clock.now();
    let waitedMs = beforeMs;
    for (;;) {
      const now = await journal.reads.get(id);
      if (now === undefined || now.owner !== owner || !isBeingSent(now))
        return { is: 'ended', inAllMs: waitedMs };
      if (waitedMs >= mostMs || interrupts.first.aborted) return { is: 'time-is-up', inAllMs: waitedMs };
      const pause = pauseMs(engine);
      await clock.sleep(pause, interrupts.first);
      waitedMs = Math.max(waitedMs + pause, beforeMs + clock.now() - startedAtMs);
    }
  };
  return observer.during({ for: 'other-process', id }, poll());
}
