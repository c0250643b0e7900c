import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Lane, overLanes } from '../../proof/lane.ts';
import { readOptions } from '../../proof/options.ts';
import { inTime, type Pace, playAtPace, startPace } from '../../proof/pace.ts';
import { Play } from '../../proof/play.ts';
import type { Ran } from '../../proof/run.ts';
import { Tally } from '../../proof/tally.ts';
import { ranOutOfTime } from '../../proof/told.ts';
import { HeldClock } from '../../testing/heldClock.ts';
import { root } from '../../testing/root.ts';

describe('the pace of a machine', () => {
  /** Watches while one beat's work takes this long. */
  async function isSlowIfWorkTakes(ms: number): Promise<boolean> {
    const clock = new HeldClock();
    const pace = startPace(async () => void clock.advance(ms), clock);
    const watch = pace.watch();
    await pace.stop();
    return watch.isSlow();
  }

  test('is slow if a beat is late by more than half of what a command has, and else is not', async () => {
    expect([await isSlowIfWorkTakes(376), await isSlowIfWorkTakes(375)]).toEqual([true, false]);
  });

  test('is slow while a beat that is late has not ended', async () => {
    const clock = new HeldClock();
    let begin: () => void = () => {};
    let end: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const work = (): Promise<void> =>
      new Promise((resolve) => {
        begin();
        end = resolve;
      });
    const pace = startPace(work, clock);
    const watch = pace.watch();
    await begun;
    const before = watch.isSlow();
    clock.advance(376);
    expect([before, watch.isSlow()]).toEqual([false, true]);
    const stopped = pace.stop();
    end();
    await stopped;
  });

  test('is slow for no one who began to watch after it', async () => {
    const clock = new HeldClock();
    const works = [376, 0];
    let watch: { isSlow(): boolean } | undefined;
    const pace = startPace(async () => {
      if (works.length === 1) watch = pace.watch();
      clock.advance(works.shift() ?? 0);
    }, clock);
    while (works.length > 0) await new Promise(setImmediate);
    await pace.stop();
    expect(watch?.isSlow()).toBe(false);
  });
});

describe('a case that went wrong', () => {
  const slow: Pace = { watch: () => ({ isSlow: () => true }) };
  const steady: Pace = { watch: () => ({ isSlow: () => false }) };
  type Play = (own: Tally) => void;

  const clean: Play = (own) => own.count(1, 1);
  const late: Play = (own) => {
    own.count(1, 0);
    own.find('wrongly reported', 'here', 'it was late', true);
    own.find('lost', 'here', '0 effects instead of 1');
  };
  const also =
    (wrong: 'duplicated' | 'wrongly reported'): Play =>
    (own) => {
      late(own);
      own.find(wrong, 'here', 'it was wrong');
    };
  const onlyLost: Play = (own) => own.find('lost', 'here', '0 effects instead of 1');

  /** What is counted when it is played so, the last play as often as it takes. */
  async function counted(pace: Pace, ...plays: readonly Play[]) {
    const tally = new Tally('any');
    let played = 0;
    await playAtPace(pace, tally, async (own) => {
      (plays[played] ?? plays.at(-1))?.(own);
      played += 1;
    });
    const { cases, found, duplicated, lost, wronglyReported, tooSlow } = tally.row();
    return { played, cases, found, duplicated, lost, wronglyReported, tooSlow };
  }

  const nothing = { cases: 0, found: 0, duplicated: 0, lost: 0, wronglyReported: 0, tooSlow: 0 };

  test('only because the machine was slow is played again, and counts as it went then', async () => {
    expect(await counted(slow, late, clean)).toEqual({ ...nothing, played: 2, cases: 1, found: 1 });
  });

  test('and was too slow in three plays is not counted as a case, clean or not, but as too slow', async () => {
    expect(await counted(slow, late)).toEqual({ ...nothing, played: 3, tooSlow: 1 });
  });

  test.each<[string, Pace, Play, object]>([
    ['late on a steady machine', steady, late, { cases: 1, wronglyReported: 1, lost: 1 }],
    ['duplicated', slow, also('duplicated'), { cases: 1, wronglyReported: 1, lost: 1, duplicated: 1 }],
    ['wrong otherwise', slow, also('wrongly reported'), { cases: 1, wronglyReported: 2, lost: 1 }],
    ['lost, and nobody said it was late', slow, onlyLost, { lost: 1 }],
  ])('is judged at once: %s', async (_what, pace, play, wrong) => {
    expect(await counted(pace, play)).toEqual({ ...nothing, ...wrong, played: 1 });
  });

  test('says in its notes how often it was played for nothing', async () => {
    const tally = new Tally('any');
    await playAtPace(slow, tally, async (own) => late(own));
    expect(tally.row().notes).toEqual([
      'too slow to judge: 3 plays, each played again up to twice',
      'too slow to judge in every play: here',
    ]);
  });
});

const ended = (code: number | null, ...lines: readonly object[]): Ran => ({
  ...{ argv: ['send', '--max-wait', '4s'], code, signal: null, stderr: '', hung: false, tookMs: 3999 },
  stdout: lines.map((line) => JSON.stringify(line)).join('\n'),
});
const lateReply = { code: 'unknown', message: 'It may have been sent: no complete reply came in time.' };

describe('that a command ran out of time', () => {
  const silent = {
    code: 'journal-unreachable',
    message: 'The journal x: its server did not answer in time.',
  };
  const refused = { code: 'journal-unreachable', message: 'The journal x: connect ECONNREFUSED' };

  test.each([
    ['its server was silent', ended(1, { error: silent }), true],
    ['its claim was too old', ended(1, { outcome: 'open', error: { code: 'fenced' } }), true],
    ['one of its rows was late', ended(11, { outcome: 'accepted' }, { error: { code: 'fenced' } }), true],
    ['its server refused it', ended(1, { error: refused }), false],
    ['nothing is known', ended(9, { outcome: 'unknown', error: { code: 'unknown' } }), false],
    ['all is well', ended(0, { outcome: 'accepted', error: silent }), false],
    ['it was killed', ended(null, { error: silent }), false],
    ['the reply came too late', ended(9, { error: lateReply }), true],
    ['its tries ended', { ...ended(9, { error: { code: 'unknown' } }), tookMs: 4000 }, true],
    ['it was refused, and slowly', { ...ended(3, { error: { code: 'rejected' } }), tookMs: 4000 }, false],
    ['it had to be ended', { ...ended(null), hung: true }, true],
  ])('is what it says itself: %s', (_what, ran, isLate) => {
    expect(ranOutOfTime(ran)).toBe(isLate);
  });
});

describe('a story on a slow machine', () => {
  const slow: Pace = { watch: () => ({ isSlow: () => true }) };
  const lane = { service: { effects: async () => [] } } as unknown as Lane;
  const programs = { plain: { name: '', bin: '' }, hooked: { name: '', bin: '' } };
  const late = ended(9, { error: lateReply });
  type Story = (play: Play) => void;

  /** Played in a lane, as often as it takes. */
  async function played(...stories: readonly Story[]) {
    const tally = new Tally('any');
    let plays = 0;
    await overLanes({ lanes: [lane], pace: slow }, tally, ['a case'], async (where, _lane, own) => {
      const play = new Play(where, { lane, tally: own, programs });
      stories[Math.min(plays, stories.length - 1)]?.(play);
      plays += 1;
      await play.over(0);
    });
    const { wronglyReported, tooSlow } = tally.row();
    return { plays, wronglyReported, tooSlow };
  }

  const undone: Story = (play) => {
    play.judge(late);
    // What came after a late command was asked of what that had not done.
    play.expectExit(ended(0), 10);
  };

  test('is played again where what is wrong comes after a command that ran out of time', async () => {
    expect(await played(undone, () => {})).toEqual({ plays: 2, wronglyReported: 0, tooSlow: 0 });
    expect(await played(undone)).toEqual({ plays: 3, wronglyReported: 0, tooSlow: 1 });
  });

  test('is judged where a command said what is not so, or none ran out of time', async () => {
    const lied: Story = (play) => {
      undone(play);
      play.wrong('it said accepted, and it had not happened');
    };
    expect(await played(lied)).toEqual({ plays: 1, wronglyReported: 2, tooSlow: 0 });
    expect(await played((play) => play.expectExit(ended(3), 0))).toMatchObject({
      plays: 1,
      wronglyReported: 1,
    });
  });

  test('counts what a play itself was too slow for', async () => {
    const tally = new Tally('any');
    await overLanes({ lanes: [lane], pace: slow }, tally, ['a case'], async (where, _lane, own) => {
      own.slowPlay();
      own.slowCase(where);
    });
    expect(tally.row()).toMatchObject({
      tooSlow: 1,
      notes: [expect.stringContaining('1 plays'), expect.anything()],
    });
  });

  test('runs a command again that ran out of time, three times in all', async () => {
    const tries = async (pace: Pace, ...rans: Ran[]) => {
      let runs = 0;
      const ran = await inTime(pace, new Tally('any'), async () => {
        runs += 1;
        return rans[Math.min(runs, rans.length) - 1] ?? late;
      });
      return [runs, ran.code];
    };
    expect(await tries(slow, late, ended(0))).toEqual([2, 0]);
    expect(await tries(slow, late)).toEqual([3, 9]);
    expect(await tries(slow, ended(9))).toEqual([1, 9]);
    expect(await tries({ watch: () => ({ isSlow: () => false }) }, late)).toEqual([1, 9]);
  });
});

describe('npm run proof', () => {
  const names = { techniques: ['killed', 'wire'], variants: ['new-key'] };

  test.each([
    [['--only', 'killed', '--only', 'wires'], 'No technique is called “wires”: there are killed, wire'],
    [['--sabotage', '--only', 'wire'], 'No broken variant is called “wire”: there are new-key'],
    [['--share', '2'], '--share takes a number above 0, 1 at most'],
    [['--fast'], "Unknown option '--fast'"],
  ])('refuses %j', (words, why) => {
    expect(() => readOptions(words, names)).toThrow(why);
    expect(readOptions(['--only', 'wire'], names).only).toEqual(['wire']);
  });

  test('says so in a sentence and exits with 2', () => {
    const words = ['scripts/run.mjs', 'proof/main', '--only', 'nothing'];
    const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      2,
      'No technique is called “nothing”: there are killed, failing, wire, faults, clocks, input, concurrent, hurt, machines, chain. `npm run proof -- --help` shows what it takes.\n',
    ]);
  });
});
