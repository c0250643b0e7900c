import { intentsIn, journalOf } from '../../look.ts';
import { playAtPace } from '../../pace.ts';
import { command, Play } from '../../play.ts';
import type { Tally } from '../../tally.ts';
import type { Arena } from '../technique.ts';

/** A payment that a person approved, then the same name with another amount: the approval is not for that one. */
export async function playApproved({ lanes, programs, pace }: Arena, tally: Tally): Promise<void> {
  const [lane] = lanes;
  if (lane === undefined) throw new Error('no lane');
  await playAtPace(pace, tally, async (own) => {
    const play = new Play('an approval, then another amount under its name', { lane, tally: own, programs });
    await lane.service.fresh();
    const home = lane.home();
    const rent = command('transfer', '--once', 'rent', '--propose');
    const larger = rent.map((word) => (word === '0.001' ? '2' : word));
    play.expectExit(await play.run(rent, home), 10);
    const [{ id } = { id: '' }] = intentsIn(journalOf(home));
    play.expectExit(await play.run(['approve', id, '--yes', '--json'], home), 0);
    play.expectExit(await play.run(larger, home), 6);
    play.expectExit(await play.run(rent, home), 0);
    const amounts = (await play.effects()).map(({ request }) => request.amount);
    if (amounts.join() !== '0.001') play.wrong(`what was paid is ${amounts.join()}, and 0.001 was approved`);
    await play.over(1);
    home.remove();
  });
}
