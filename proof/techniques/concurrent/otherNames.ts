import { randomFaults } from '../../../test/support/randomFaults.ts';
import { otherRecipient, recipient } from '../../../test/support/sandbox.ts';
import { type Arena, playOne } from '../../arena.ts';
import { begin, type Play } from '../../play.ts';
import type { Ran } from '../../run.ts';
import { shortened } from '../../told.ts';
import { patient, redirectedIds } from '../crowd.ts';

/** Every third row is the same payment as the one before it: two invoices. */
function payments(rows: number): string[] {
  return Array.from({ length: rows }, (_, row) => {
    const payment = row % 3 === 2 ? row - 1 : row;
    return `${payment % 2 === 0 ? recipient : otherRecipient},SOL,0.0${100 + payment}1`;
  });
}

const mostRuns = 8;

/**
 * One payday under two names at once, while replies are lost; then under one of them with other ids, and under a third.
 * Everybody is paid once.
 */
export async function playOtherNames(arena: Arena): Promise<void> {
  const { dice, share } = arena;
  const rounds = Math.max(1, Math.round(12 * share));
  for (let round = 1; round <= rounds; round += 1) {
    const rows = 12 + 3 * dice.below(8);
    const seed = String(dice.fraction());
    await playOne(arena, async (stage) => {
      const play = await begin(`a payday of ${rows} under two names at once, round ${round}`, stage);
      await stage.lane.service.faults(...randomFaults({ seed, rate: 0.1, requests: 4 * rows }));
      await playPayday(payments(rows), play);
    });
  }
}

async function playPayday(wanted: readonly string[], play: Play): Promise<void> {
  const pay = (name: string, { ids = 'r', more = ['--skip-repeats'] } = {}): Promise<Ran> => {
    const rows = wanted.map((payment, row) => `${ids}${row},${payment}`);
    const stdin = `id,to_address,asset,amount\n${rows.join('\n')}\n`;
    const argv = ['batch', 'transfer', '-', '--once', name, '--yes', ...more, ...patient, '--json'];
    return play.run(argv, { stdin, isOneOfMany: true });
  };
  const names = ['payday', 'pay-day'];
  await Promise.all(names.map((name) => pay(name)));
  await play.stage.lane.service.clearFaults();
  // Until a person has decided, both names leave these alone.
  for (const id of await redirectedIds(play))
    play.expectExit(await play.run(['resume', id, '--yes', '--json']), 0);
  for (const name of names) {
    let ran = await pay(name);
    for (let run = 1; ran.code !== 0 && run < mostRuns; run += 1) ran = await pay(name);
    // What the other name has in doubt is settled by its own run.
    if (ran.code !== 0 && ran.code !== 10) play.unmet(`${name} does not end well: ${shortened(ran)}`);
  }
  play.expectExit(await pay('payday'), 0, 10);
  play.expectExit(await pay('payday', { ids: 'n', more: [] }), 10);
  play.expectExit(await pay('payday', { ids: 'n' }), 0, 10);
  play.expectExit(await pay('third', { more: [] }), 10);
  play.expectExit(await pay('third'), 0, 10);
  await play.over(wanted.length);
  const paid = (await play.effects()).map(({ request }) => `${request.to_address},SOL,${request.amount}`);
  if (paid.sort().join() !== [...wanted].sort().join()) play.wrong(`what was paid is ${paid.join(' ')}`);
}
