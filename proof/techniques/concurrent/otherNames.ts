import type { Home } from '../../../testing/home.ts';
import { randomFaults } from '../../../testing/randomFaults.ts';
import { otherRecipient, recipient } from '../../../testing/sandbox.ts';
import { playAtPace } from '../../pace.ts';
import { Play, type Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import type { Tally } from '../../tally.ts';
import { shortened } from '../../told.ts';
import type { Arena } from '../technique.ts';
import { redirectedIds } from './redirected.ts';

const people = [recipient, otherRecipient];

/** Every third row is the same payment as the one before it: two invoices. */
function payday(rows: number): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    const payment = row % 3 === 2 ? row - 1 : row;
    return `r${row},${people[payment % people.length]},SOL,0.0${100 + payment}1`;
  });
  return `id,to_address,asset,amount\n${lines.join('\n')}\n`;
}

const mostRuns = 8;

/**
 * One payday under two names at once, while replies are lost; then under one of them with other ids, and under a third.
 * Everybody is paid once.
 */
export async function playOtherNames(arena: Arena, tally: Tally): Promise<void> {
  const { lanes, programs, dice, share, pace } = arena;
  const [lane] = lanes;
  if (lane === undefined) throw new Error('no lane');
  const rounds = Math.max(2, Math.round(12 * share));
  for (let round = 1; round <= rounds; round += 1) {
    const rows = 12 + 3 * dice.below(8);
    const seed = String(dice.fraction());
    await playAtPace(pace, tally, async (own) => {
      const stage: Stage = { lane, tally: own, programs };
      const play = new Play(`a payday of ${rows} under two names at once, round ${round}`, stage);
      await lane.service.fresh();
      const fromLine = lane.service.heard.length;
      await lane.service.faults(...randomFaults({ seed, rate: 0.1, requests: 4 * rows }));
      const home = lane.home();
      await playPayday(rows, play, home, stage, fromLine);
      home.remove();
    });
  }
}

async function playPayday(
  rows: number,
  play: Play,
  home: Home,
  { lane }: Stage,
  fromLine: number,
): Promise<void> {
  const stdin = payday(rows);
  const payFile = (file: string, name: string, ...words: string[]): Promise<Ran> => {
    const argv = ['batch', 'transfer', '-', '--once', name, '--yes', ...words, '--timeout', '20s', '--json'];
    return play.run(argv, home, { stdin: file, isOneOfMany: true });
  };
  const pay = (name: string, ...words: string[]): Promise<Ran> => payFile(stdin, name, ...words);
  const names = ['payday', 'pay-day'];
  await Promise.all(names.map((name) => pay(name, '--skip-repeats')));
  await lane.service.clearFaults();
  // Until a person has decided, both names leave these alone.
  for (const id of redirectedIds(home, lane.service, fromLine))
    play.expectExit(await play.run(['resume', id, '--yes', '--json'], home), 0);
  for (const name of names) {
    let ran = await pay(name, '--skip-repeats');
    for (let run = 1; ran.code !== 0 && run < mostRuns; run += 1) ran = await pay(name, '--skip-repeats');
    // What the other name has in doubt is settled by its own run.
    if (ran.code !== 0 && ran.code !== 10) play.unmet(`${name} does not end well: ${shortened(ran)}`);
  }
  play.expectExit(await pay('payday', '--skip-repeats'), 0, 10);
  const anew = stdin.replaceAll(/^r/gmu, 'n');
  play.expectExit(await payFile(anew, 'payday'), 10);
  play.expectExit(await payFile(anew, 'payday', '--skip-repeats'), 0, 10);
  const effects = await play.effects();
  play.expectExit(await pay('third'), 10);
  play.expectExit(await pay('third', '--skip-repeats'), 0, 10);
  await play.over(rows);
  await judge(
    stdin,
    effects.map(({ request }) => `${request.to_address},SOL,${request.amount}`),
    play,
  );
}

/** Each payment as often as the file has it. */
async function judge(stdin: string, paid: readonly string[], play: Play): Promise<void> {
  const wanted = stdin
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.slice(line.indexOf(',') + 1));
  const counted = (all: readonly string[], one: string): number =>
    all.filter((other) => other === one).length;
  for (const payment of new Set(wanted)) {
    const [should, was] = [counted(wanted, payment), counted(paid, payment)];
    if (was < should) play.unmet(`${payment} was paid ${was} times instead of ${should}`);
    if (was > should) play.wrong(`${payment} was paid ${was} times instead of ${should}`);
  }
}
