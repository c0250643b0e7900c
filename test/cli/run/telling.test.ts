import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type App, openApp } from '../../../src/cli/app.ts';
import { Args } from '../../../src/cli/parse/args.ts';
import { jsonOfReport, reportOf, tell } from '../../../src/cli/run/telling.ts';
import type { Display } from '../../../src/cli/show/display.ts';
import { paintOf } from '../../../src/cli/show/faces.ts';
import type { Problem } from '../../../src/cli/wording/problem.ts';
import { suggested } from '../../../src/cli/wording/suggest.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import { Failure } from '../../../src/once/failures.ts';
import { HeldClock } from '../../support/heldClock.ts';
import { lost, noRetries, paid, ScriptedEngine, transfer } from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
let said: string[];
beforeEach(() => {
  scripted = new ScriptedEngine();
  said = [];
});
afterEach(() => scripted.remove());

const args = new Args<'yes'>('transfer', [], [], new Set(['yes', 'once', 'idempotency-key']));

/** A person's display that keeps what it was told, changed as a test needs it. */
function appWith(changes: Partial<Display>, env: App['env'] = {}): App<typeof args> {
  const say = (text: string): void => void said.push(text);
  const display: Display = {
    face: 'human',
    quiet: false,
    watched: true,
    show: async () => 'written',
    write: async () => 'written',
    fail: async ({ code, message, hint, next = [] }) =>
      say(`${code}: ${message} ${hint} ${suggested(next, { occurrences: [], asks: true }).lines}`),
    notice: say,
    warn: say,
    step: () => {},
    waiting: (_why, work) => work,
    meter: () => () => {},
    terminal: () => 'foreground',
    ask: async () => 'no',
    confirm: async () => false,
    askHidden: async () => '',
    ...changes,
  };
  const { chance, interrupts } = scripted.engine();
  return openApp({
    args,
    env,
    stdin: process.stdin,
    display,
    clock: new HeldClock(),
    chance,
    interrupts,
    machinePolicy: '/none',
    doing: { does: 'sends', hasChanged: false, begun: false },
  });
}

describe('a reply that the journal could not take', () => {
  test('exits 9, and is told on stderr, also where stdout takes nothing either', async () => {
    const journal = scripted.open();
    const commits = [journal.commit];
    const ended: Outcome = await scripted.run(transfer(), [paid], {
      journal,
      commit: async (work) => {
        const commit = commits.shift();
        if (commit === undefined) throw new Error('disk full');
        return commit(work);
      },
    });
    const app = appWith({
      show: async () => {
        throw new Failure('stdout-not-writable', 'The output could not be written: no space.');
      },
    });
    expect(await tell(ended, app, journal)).toBe(9);
    expect(said.join('\n')).toContain(`sig_${scripted.sent[0]?.key}`);
    expect(said.join('\n')).toMatch(/not-recorded: A reply came/u);
  });
});

// The proof flipped bits in journals: with --json nothing came on stdout.
describe('an entry whose request was damaged', () => {
  const damaged = (ended: Outcome): Outcome =>
    ended.is === 'concluded'
      ? { ...ended, entry: { ...ended.entry, body: Buffer.from('{"to_address') } }
      : ended;

  test('that was accepted is told as a failure that names it, and not kept as told', async () => {
    const ended = damaged(await scripted.run(transfer(), [paid]));
    const journal = scripted.open();
    const failed: Problem[] = [];
    const app = appWith({
      show: async (view) => {
        view.human({
          paint: await paintOf(false),
          columns: 80,
          suggest: () => ({ lines: [], lacking: undefined, by: { asks: false } }),
        });
        return 'written';
      },
      fail: async (problem, whole) => {
        failed.push(problem);
        expect(whole.error).toEqual(problem);
      },
    });
    expect(await tell(ended, app, journal)).toBe(1);
    expect(failed).toMatchObject([{ code: 'journal-damaged' }]);
    const { reportedAtMs } = await scripted.only();
    expect(failed[0]?.message).toContain(`The transfer is accepted (ID ${(await scripted.only()).id})`);
    expect(reportedAtMs).toBeUndefined();
  });

  test('that is unknown is told as unknown, whatever else is wrong', async () => {
    const ended = damaged(await scripted.run(transfer(), [lost], noRetries));
    expect(await tell(ended, appWith({}), scripted.open())).toBe(9);
    expect(said.join('\n')).toMatch(/unknown: .*\n?/u);
    expect(said.join('\n')).toMatch(/The journal is damaged/u);
  });

  // In a batch a held row lost its own problem to the damage.
  test('keeps its own problem, and has the damage as its problem where it has none', async () => {
    const ended = damaged(await scripted.run(transfer(), [lost], noRetries));
    const report = await reportOf(ended, { warnings: [] }, 'transfer', scripted.open().reads);
    if (report === undefined) throw new Error('no report');
    const problem: Problem = { code: 'held', message: 'It is held.', retry: 'decide' };
    const { display } = appWith({});
    expect(jsonOfReport({ ...report, problem }, display).error).toEqual(problem);
    expect(said.join()).toMatch(/The journal is damaged/u);
    expect(jsonOfReport(report, display).error).toMatchObject({ code: 'journal-damaged' });
  });
});
