import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run as resolve } from '../../../src/cli/commands/resolve/run.ts';
import { run as resume } from '../../../src/cli/commands/resume/run.ts';
import { reportJsonOrError, reportOf, tell } from '../../../src/cli/commands/telling.ts';
import { type Context, ParsedArgs } from '../../../src/cli/parse/command.ts';
import { suggested } from '../../../src/cli/say/phrases.ts';
import { type Problem, Told } from '../../../src/cli/say/told.ts';
import type { Display } from '../../../src/cli/show/display.ts';
import { paintOf } from '../../../src/cli/show/faces.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import { damageJournal } from '../../../testing/damageJournal.ts';
import { HeldClock } from '../../../testing/heldClock.ts';
import { lost, noRetries, paid, ScriptedEngine, transfer } from '../../../testing/scriptedEngine.ts';

let scripted: ScriptedEngine;
let said: string[];
beforeEach(() => {
  scripted = new ScriptedEngine();
  said = [];
});
afterEach(() => scripted.remove());

/** A person's display that keeps what it was told, changed as a test needs it. */
function contextWith(changes: Partial<Display>, env: Context['env'] = {}): Context {
  const say = (text: string): void => void said.push(text);
  const display: Display = {
    face: 'human',
    quiet: false,
    own: String,
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
    askLine: async () => '',
    askHidden: async () => '',
    ...changes,
  };
  const { chance, interrupts } = scripted.engine();
  return {
    env,
    stdin: process.stdin,
    display,
    clock: new HeldClock(),
    chance,
    interrupts,
    machinePolicy: '/none',
    doing: { does: 'sends', hasChanged: false, begun: false },
  };
}

const options = ['all', 'held', 'yes', 'journal', 'sandbox', 'timeout', 'retries', 'max-wait'];

const given = new ParsedArgs('transfer', [], [], new Set(['yes']));

function resuming(words: readonly string[], args: readonly string[] = []): ParsedArgs {
  const flags = words.map((name) => ({ name, value: true }) as const);
  const given = [...flags, { name: 'journal', value: scripted.path }];
  return new ParsedArgs('resume', args, given, new Set([...options, 'base-url', 'token-file', 'profile']));
}

async function makeHeld(): Promise<void> {
  await scripted.run(transfer(), [lost], noRetries);
  await scripted.run(transfer(), [], { token: 'token-2' });
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
    const context = contextWith({
      show: async () => {
        throw new Told('stdout-not-writable', 'The output could not be written: no space.');
      },
    });
    expect(await tell(ended, given, journal, context)).toBe(9);
    expect(said.join('\n')).toContain(`sig_${scripted.sent[0]?.key}`);
    expect(said.join('\n')).toMatch(/not-recorded: A reply came/u);
  });
});

// The proof flipped bits in journals: with --json nothing came on stdout.
describe('an intent whose request was damaged', () => {
  const damaged = (ended: Outcome): Outcome =>
    ended.is === 'concluded'
      ? { ...ended, intent: { ...ended.intent, body: Buffer.from('{"to_address') } }
      : ended;

  test('that was accepted is told as a failure that names it, and not kept as told', async () => {
    const ended = damaged(await scripted.run(transfer(), [paid]));
    const journal = scripted.open();
    const failed: Problem[] = [];
    const context = contextWith({
      show: async (view) => {
        view.human({
          paint: await paintOf(0),
          columns: 80,
          own: String,
          verbose: false,
          suggest: () => ({ lines: [], lacking: undefined }),
        });
        return 'written';
      },
      fail: async (problem, whole) => {
        failed.push(problem);
        expect(whole.error).toBe(problem);
      },
    });
    expect(await tell(ended, given, journal, context)).toBe(1);
    expect(failed).toMatchObject([{ code: 'journal-damaged' }]);
    const { key, reportedAtMs } = await scripted.only();
    expect(failed[0]?.message).toContain(
      `The transfer is accepted (ID ${(await scripted.only()).id}, key ${key})`,
    );
    expect(reportedAtMs).toBeUndefined();
  });

  test('that is unknown is told as unknown, whatever else is wrong', async () => {
    const ended = damaged(await scripted.run(transfer(), [lost], noRetries));
    expect(await tell(ended, given, scripted.open(), contextWith({}))).toBe(9);
    expect(said.join('\n')).toMatch(/unknown: .*\n?/u);
    expect(said.join('\n')).toMatch(/The journal is damaged/u);
  });

  // In a batch a held row lost its own problem to the damage.
  test('keeps its own problem, and has the damage as its problem where it has none', async () => {
    const ended = damaged(await scripted.run(transfer(), [lost], noRetries));
    const report = await reportOf(ended, 'transfer', scripted.open(), []);
    if (report === undefined) throw new Error('no report');
    const problem: Problem = { code: 'held', message: 'It is held.', retry: 'decide' };
    const { display } = contextWith({});
    expect((await reportJsonOrError({ ...report, problem }, display)).error).toBe(problem);
    expect(said.join()).toMatch(/The journal is damaged/u);
    expect((await reportJsonOrError(report, display)).error).toMatchObject({ code: 'journal-damaged' });
  });
});

describe('resolve', () => {
  test('never says that nothing was decided when a fault comes after the decision', async () => {
    await makeHeld();
    const { id } = await scripted.only();
    const context: Context = {
      ...contextWith({
        show: async () => {
          throw new Told('journal-busy', 'The journal is kept busy');
        },
      }),
      doing: { does: 'decides', hasChanged: false, begun: false },
    };
    const words = [
      { name: 'happened', value: true },
      { name: 'reason', value: 'seen in the explorer' },
      { name: 'journal', value: scripted.path },
    ] as const;
    const names = ['happened', 'did-not-happen', 'reason', 'signature', 'overrule', 'yes'];
    const declared = new Set([...options, ...names, 'base-url', 'token-file', 'profile']);
    expect(await resolve(new ParsedArgs('resolve', [id], words, declared), context)).toBe(1);
    expect((await scripted.only()).state).toBe('resolved');
    expect(said.join()).toContain('The journal is kept busy.');
    expect(said.join()).not.toContain('Nothing was decided');
  });
});

describe('resume', () => {
  test('interrupted at the question about a held one leaves it held, and asks of no other', async () => {
    await makeHeld();
    const { id } = await scripted.only();
    let questions = 0;
    const context = contextWith({
      // Where no balance is asked for: this intent has no profile.
      terminal: () => 'background',
      confirm: async () => {
        questions += 1;
        throw new Told('interrupted', 'Interrupted at the question');
      },
    });
    expect(await resume(resuming([], [id]), context)).toBe(10);
    expect(await resume(resuming([], [id, id]), context)).toBe(10);
    expect(questions).toBe(2);
    expect(said[0]).toContain(`Transfer ${id} is still undecided`);
  });

  test.each([
    ['a line that nobody may read along', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
    ['an empty base URL', { BOTCTL_BASE_URL: '' }],
  ])('of what may have happened exits 9 whatever keeps it from being sent: %s', async (_what, env) => {
    await scripted.run(transfer(), [lost], { ...noRetries, bot: 'env' });
    const context = contextWith({}, { BOTCTL_TOKEN: 'token-1', ...env });
    expect(await resume(resuming([], [(await scripted.only()).id]), context)).toBe(9);
    expect(said[0]).toMatch(/may have been made by an earlier attempt/u);
  });

  test('of what was damaged says of each that it may have been made, and goes on to the next', async () => {
    for (const amount of ['1', '2'])
      await scripted.run(transfer({ amount }), [lost], { ...noRetries, bot: 'env' });
    damageJournal(scripted.path, `UPDATE intents SET body = CAST('{' AS BLOB)`);
    const env = { BOTCTL_TOKEN: 'token-1', BOTCTL_BASE_URL: (await scripted.intents())[0]?.baseUrl };
    expect(await resume(resuming(['all']), contextWith({}, env))).toBe(11);
    expect(
      said.filter((text) => /journal-damaged: .* may have been made by an earlier attempt/u.test(text)),
    ).toHaveLength(2);
  });

  test('of several whose bot is gone names each by its own id', async () => {
    await scripted.run(transfer({ amount: '1' }), [lost], noRetries);
    await scripted.run(transfer({ amount: '2' }), [lost], noRetries);
    const context = contextWith({}, { XDG_CONFIG_HOME: scripted.folder });
    expect(await resume(resuming(['all']), context)).toBe(11);
    const ids = (await scripted.intents()).map(({ id }) => id);
    // On a machine that is busy it also says that it waits.
    const failures = said.filter((line) => line.startsWith('no-such-profile'));
    expect(failures).toHaveLength(2);
    for (const [nth, id] of ids.entries()) {
      expect(failures[nth]).toContain(`Transfer ${id} may have been made by an earlier attempt`);
      expect(failures[nth]).toContain(`botctl resolve ${id}`);
    }
  });
});
