import { describe, expect, test } from 'vitest';
import {
  exitOfPlan,
  type Found as Met,
  meaningOf,
  type PlanKind,
  type RerunRow,
  rerunRowFor,
  rerunTable,
  rerunWindowMs,
} from '../../../src/once/engine/planKinds.ts';
import { states } from '../../../src/once/journal/journal.ts';
import {
  exitOfOtherUrl,
  exitOfStep,
  exitOfTwinInTheWay,
  type Found,
  type Step,
  stepFor,
  windows,
} from './design.ts';

/** The program's decisions, in the words of the hand-written table. */
const steps: Record<PlanKind, Step | 'a twin is no re-run' | keyof typeof exitOfOtherUrl> = {
  'other-bot': 'refuse-bot',
  'other-body': 'refuse-body',
  wait: 'wait',
  resume: 'resume',
  'needs-decision': 'hold',
  declined: 'refuse-declined',
  'leave-behind': 'new',
  replay: 'replay',
  again: 'again',
  'new-after-done': 'new',
  'reported-ahead': 'hold',
  new: 'new',
  'other-url': 'settled at another URL',
  'unknown-at-other-url': 'unknown at another URL',
  'held-at-other-url': 'held at another URL',
  'wait-for-twin': 'a twin is no re-run',
  'unfinished-twin': 'a twin is no re-run',
  'recently-done': 'a twin is no re-run',
};

const yesNo = [true, false];

/** Every intent that the journal's own rules let be, however a command may meet it. */
function* everyMeeting(): Generator<Found> {
  for (const kind of ['message', 'transfer'] as const)
    for (const state of states)
      for (const named of yesNo)
        for (const tainted of yesNo)
          for (const happened of yesNo)
            for (const ownerLives of yesNo)
              for (const otherBot of yesNo)
                for (const otherBody of yesNo)
                  for (const pastKeyAge of yesNo)
                    for (const reported of ['never', 'inside', 'outside', 'ahead'] as const)
                      for (const [proposed, declined] of [
                        [false, false],
                        [true, false],
                        [true, true],
                      ] as const) {
                        // An unnamed intent is its bot and its body; no untainted one has an age.
                        if (!named && (otherBot || otherBody)) continue;
                        if (!tainted && (state === 'unknown' || state === 'held' || pastKeyAge)) continue;
                        if (tainted && (state === 'open' || state === 'rejected')) continue;
                        if (ownerLives && state !== 'sending') continue;
                        if (happened && state !== 'resolved') continue;
                        if (proposed && kind === 'message') continue;
                        // Only what never may have landed is declined, and what was declined did not happen.
                        if (declined && (tainted || happened || state !== 'resolved')) continue;
                        yield {
                          kind,
                          state,
                          named,
                          tainted,
                          happened,
                          ownerLives,
                          otherBot,
                          otherBody,
                          pastKeyAge,
                          reported,
                          proposed,
                          declined,
                        };
                      }
}

const reportedAs: Record<Found['reported'], Met['reported']> = {
  never: 'never',
  inside: 'within-window',
  outside: 'long-ago',
  ahead: 'ahead',
};

function resolvedAs({ happened, declined }: Found): Met['resolvedAs'] {
  if (happened) return 'happened';
  return declined ? 'declined' : 'did-not-happen';
}

function meetingOf(found: Found): Met {
  return {
    kind: found.kind,
    named: found.named,
    sameBot: !found.otherBot,
    sameBody: !found.otherBody,
    state: found.state,
    tainted: found.tainted,
    ownerAlive: found.ownerLives,
    resolvedAs: found.state === 'resolved' ? resolvedAs(found) : undefined,
    proposed: found.proposed,
    declined: found.declined,
    reported: reportedAs[found.reported],
    pastKeyAge: found.pastKeyAge,
  };
}

/**
 * "Later it is held": a message past its key age counts as held even before somebody has looked, so that
 * an unnamed one is left behind at once, and not only by the second command.
 */
function isHeldByAge({ kind, named, state, ownerLives, pastKeyAge }: Found): boolean {
  const inDoubt = state === 'unknown' || (state === 'sending' && !ownerLives);
  return kind === 'message' && !named && pastKeyAge && inDoubt;
}

describe('a command that meets an intent of its own identity', () => {
  const hit = new Set<RerunRow>();

  test('does what the design says, whatever it meets', () => {
    let met = 0;
    for (const found of everyMeeting()) {
      const row = rerunRowFor(meetingOf(found));
      hit.add(row);
      met += 1;
      const expected = isHeldByAge(found) ? stepFor({ ...found, state: 'held' }) : stepFor(found);
      expect({ found, step: steps[row.plan] }).toEqual({ found, step: expected });
    }
    expect(met).toBeGreaterThan(300);
  });

  test('meets nothing that a row of the table is not hit by', () => {
    expect(rerunTable.filter((row) => !hit.has(row)).map(({ found }) => found)).toEqual([]);
  });

  test('never sends what may have landed with a new key, but for an unnamed message that is too old', () => {
    for (const found of everyMeeting()) {
      const inDoubt = found.state === 'unknown' || found.state === 'held' || found.state === 'sending';
      if (!inDoubt) continue;
      const { plan } = rerunRowFor(meetingOf(found));
      const anew = plan === 'new' || plan === 'new-after-done' || plan === 'again';
      expect({ found, anew }).toEqual({ found, anew: false });
      if (plan === 'leave-behind') {
        expect(found).toMatchObject({ kind: 'message', named: false, pastKeyAge: true });
      }
    }
  });

  test('exits as the design says, by every plan that it makes and by every twin', () => {
    const exits = Object.fromEntries(
      Object.keys(steps).map((plan) => [
        plan,
        exitOfPlan(meaningOf({ is: plan as PlanKind })) ?? 'as it ends',
      ]),
    );
    const expected = Object.entries(steps).map(([plan, step]) => [
      plan,
      step === 'a twin is no re-run' ? exitOfTwinInTheWay : { ...exitOfStep, ...exitOfOtherUrl }[step],
    ]);
    expect(exits).toEqual({ ...Object.fromEntries(expected), 'wait-for-twin': 'as it ends' });
  });

  test('counts as a re-run for 20 hours for a transfer and 2 minutes for a message', () => {
    expect(rerunWindowMs).toEqual(windows);
  });
});
