import type { Dice } from '../dice.ts';
import { intentsIn, journalOf } from '../look.ts';
import { command, Play, type Stage } from '../play.ts';
import { type Ran, run } from '../run.ts';
import type { Tally } from '../tally.ts';
import { misbehaviour, shortened, toldBy } from '../told.ts';
import type { Arena, Technique } from './technique.ts';

/** Something that is to happen so many times, however many processes ask for it. */
type Wish = { readonly argv: readonly string[]; readonly stdin?: string; readonly effects: number };

const hasty = ['--timeout', '20s', '--json'];
const rows = (name: string): string =>
  `conversation_id,content\n${[1, 2, 3, 4, 5].map((row) => `conv_demo,${name} ${row}`).join('\n')}\n`;

/** Few enough that many ask for the same, many enough that they also ask for different things. */
function wishes(share: number): Wish[] {
  const numbers = Array.from({ length: Math.max(2, Math.round(12 * share)) }, (_, index) => index + 1);
  return numbers.flatMap((number): Wish[] => [
    { argv: command('message', '--once', `m${number}`, ...hasty.slice(0, 2)), effects: 1 },
    { argv: ['send', '--conversation', 'conv_demo', '--content', `unnamed ${number}`, ...hasty], effects: 1 },
    { argv: pay(`0.0${100 + number}`, '--once', `t${number}`), effects: 1 },
    { argv: pay(`0.0${200 + number}`, '--run', `r${number}`), effects: 1 },
    { argv: pay(`0.0${300 + number}`), effects: 1 },
    ...(number > 3
      ? []
      : [
          {
            argv: ['batch', 'send', '-', '--once', `b${number}`, '--yes', ...hasty],
            stdin: rows(`b${number}`),
            effects: 5,
          },
        ]),
  ]);
}

function pay(amount: string, ...naming: readonly string[]): string[] {
  const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
  return ['transfer', '--to', to, '--asset', 'SOL', '--amount', amount, ...naming, ...hasty];
}

const others: readonly (readonly string[])[] = [
  ['history', '--json'],
  ['history', '--state', 'unknown', '--json'],
  ['resume', '--all', '--json'],
  ['doctor', '--json'],
];

type Crowd = { readonly play: Play; readonly stage: Stage; readonly env: Record<string, string> };

/** One of the many: command after command, until the time is over. */
async function member(dice: Dice, asked: readonly Wish[], untilMs: number, crowd: Crowd): Promise<Ran[]> {
  const rans: Ran[] = [];
  while (Date.now() < untilMs) {
    const wish: Pick<Wish, 'argv' | 'stdin'> =
      dice.below(5) === 0 ? { argv: dice.pick(others) } : dice.pick(asked);
    rans.push(await once(wish, crowd));
  }
  return rans;
}

async function once(
  { argv, stdin }: Pick<Wish, 'argv' | 'stdin'>,
  { play, stage, env }: Crowd,
): Promise<Ran> {
  const { bin } = stage.programs.plain;
  const ran = await run(bin, argv, { env, limitMs: 180_000, ...(stdin === undefined ? {} : { stdin }) });
  for (const what of misbehaviour(ran)) play.wrong(`botctl ${argv.join(' ')}: ${what}`);
  if (ran.code === 1 && argv[0] !== 'doctor') play.wrong(`botctl ${argv.join(' ')}: ${shortened(ran)}`);
  return ran;
}

/** With fair weather every command must come to its end, and all of them to as many effects as were asked for. */
async function settle(asked: readonly Wish[], crowd: Crowd): Promise<void> {
  const { play, stage } = crowd;
  await stage.lane.service.clearFaults();
  await once({ argv: ['resume', '--all', '--json'] }, crowd);
  const queue = [...asked];
  await Promise.all(
    [1, 2, 3, 4].map(async () => {
      for (let wish = queue.shift(); wish !== undefined; wish = queue.shift()) {
        const ran = await once(wish, crowd);
        if (ran.code !== 0) play.wrong(`botctl ${wish.argv.join(' ')} does not end well: ${shortened(ran)}`);
      }
    }),
  );
}

async function play({ lanes, programs, dice, share }: Arena, tally: Tally): Promise<void> {
  const [lane] = lanes;
  if (lane === undefined) throw new Error('no lane');
  const processes = Math.max(6, Math.round(50 * share));
  const durationMs = Math.max(3_000, 60_000 * share);
  await lane.service.fresh();
  await lane.service.randomFaults({ seed: String(dice.fraction()), rate: 0.05 });
  const stage = { lane, tally, programs };
  const story = new Play(`${processes} processes for ${durationMs / 1000} s`, stage);
  const home = lane.home();
  const crowd: Crowd = { play: story, stage, env: lane.env(home) };
  const asked = wishes(share);
  const untilMs = Date.now() + durationMs;
  const members = Array.from({ length: processes }, (_, index) =>
    member(dice.for(`member ${index}`), asked, untilMs, crowd),
  );
  const rans = (await Promise.all(members)).flat();
  await settle(asked, crowd);
  await compare(rans, asked, story, stage, home);
  home.remove();
}

async function compare(
  rans: readonly Ran[],
  asked: readonly Wish[],
  story: Play,
  { lane, tally }: Stage,
  home: ReturnType<Stage['lane']['home']>,
): Promise<void> {
  const effects = await lane.service.effects();
  const keys = new Set(effects.map(({ key }) => key));
  for (const told of rans.map(toldBy)) {
    if (told.exit === 0 && told.key !== undefined && told.outcome === 'accepted' && !keys.has(told.key))
      story.wrong(`${told.key} was said to be accepted, and had not happened`);
  }
  const kept = intentsIn(journalOf(home));
  const expected = asked.reduce((sum, wish) => sum + wish.effects, 0);
  const accepted = kept.filter(({ state }) => state === 'accepted').length;
  if (accepted !== expected) story.wrong(`the journal has ${accepted} accepted rows instead of ${expected}`);
  for (const { key, state } of kept) {
    if (state === 'accepted') {
      if (!keys.has(key)) tally.find('lost', story.where, `${key} is accepted, and had not happened`);
    }
    // What the dice redirected was not done: the same command again, where it has no name, is another intent.
    else if (state !== 'rejected') story.wrong(`${key} ended as ${state}`);
    else if (keys.has(key)) story.wrong(`${key} was said to be rejected, and had happened`);
  }
  await story.over(expected);
  tally.count(0, 0, rans.length - 1);
}

export const crowd: Technique = { name: 'crowd', title: '7. Many at once', play };
