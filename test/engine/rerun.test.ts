import { describe, expect, it } from 'vitest';
import {
  type Meeting,
  type RerunDecision,
  type RerunRow,
  rerunRowFor,
  rerunTable,
  rerunWindowMs,
} from '../../src/engine/rerun.ts';
import { states } from '../../src/journal/journal.ts';
import { type Found, type Step, stepFor, windows } from './design.ts';

/** The program's decisions, in the words of the hand-written table. */
const steps: Record<RerunDecision, Step> = {
  'other-bot': 'refuse-bot',
  'other-body': 'refuse-body',
  wait: 'wait',
  resume: 'resume',
  'needs-decision': 'hold',
  'leave-behind': 'new',
  replay: 'replay',
  again: 'again',
  'new-after-done': 'new',
  new: 'new',
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
                    for (const reported of ['never', 'inside', 'outside'] as const) {
                      // An unnamed intent is its bot and its body; no untainted one has an age.
                      if (!named && (otherBot || otherBody)) continue;
                      if (!tainted && (state === 'unknown' || state === 'held' || pastKeyAge)) continue;
                      if (tainted && (state === 'open' || state === 'rejected')) continue;
                      if (ownerLives && state !== 'sending') continue;
                      if (happened && state !== 'resolved') continue;
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
                      };
                    }
}

function meetingOf(found: Found): Meeting {
  return {
    kind: found.kind,
    named: found.named,
    sameBot: !found.otherBot,
    sameBody: !found.otherBody,
    state: found.state,
    tainted: found.tainted,
    ownerAlive: found.ownerLives,
    resolvedAs: found.state === 'resolved' ? (found.happened ? 'happened' : 'did-not-happen') : undefined,
    reported: found.reported !== 'never',
    withinWindow: found.reported === 'inside',
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

  it('does what the design says, whatever it meets', () => {
    let met = 0;
    for (const found of everyMeeting()) {
      const row = rerunRowFor(meetingOf(found));
      hit.add(row);
      met += 1;
      const expected = isHeldByAge(found) ? stepFor({ ...found, state: 'held' }) : stepFor(found);
      expect({ found, step: steps[row.decision] }).toEqual({ found, step: expected });
    }
    expect(met).toBeGreaterThan(300);
  });

  it('meets nothing that a row of the table is not hit by', () => {
    expect(rerunTable.filter((row) => !hit.has(row)).map(({ found }) => found)).toEqual([]);
  });

  it('never sends what may have landed with a new key, but for an unnamed message that is too old', () => {
    for (const found of everyMeeting()) {
      const inDoubt = found.state === 'unknown' || found.state === 'held' || found.state === 'sending';
      if (!inDoubt) continue;
      const { decision } = rerunRowFor(meetingOf(found));
      const anew = decision === 'new' || decision === 'new-after-done' || decision === 'again';
      expect({ found, anew }).toEqual({ found, anew: false });
      if (decision === 'leave-behind') {
        expect(found).toMatchObject({ kind: 'message', named: false, pastKeyAge: true });
      }
    }
  });

  it('reads the rows in the design’s words and order', () => {
    expect(rerunTable.map(({ found }) => found)).toEqual([
      'a name held by another bot',
      'named, other canonical body, and neither rejected untainted nor resolved as did-not-happen',
      'sending, its owner alive',
      'unknown or sending with a dead owner, an unnamed message past its key age',
      'open, unknown, sending with a dead owner',
      'held, an unnamed message past its key age',
      'held',
      'accepted, or resolved as happened: named, not yet reported, or reported within the window',
      'the same, unnamed, outside the window',
      'rejected, or resolved as did-not-happen, unnamed',
      'the same, named, tainted, with another body',
      'the same, named',
    ]);
  });

  it('counts as a re-run for 20 hours for a transfer and 2 minutes for a message', () => {
    expect(rerunWindowMs).toEqual(windows);
  });
});
