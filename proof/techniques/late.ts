import { recipient } from '../../testing/sandbox.ts';
import { intentsIn, journalOf } from '../look.ts';
import { Play, type Stage } from '../play.ts';
import type { Ran } from '../run.ts';

const rows = 2;
const stdin = ['id,to_address,asset,amount', `r1,${recipient},SOL,0.011`, `r2,${recipient},SOL,0.012`].join(
  '\n',
);

/**
 * A payday whose requests never arrived is paid by a person's word most of a day later. Soon after, the same file under
 * another name stops; the next day it is another payday.
 */
export async function playLate(stage: Stage): Promise<void> {
  const { lane, programs } = stage;
  await lane.service.fresh();
  const play = new Play('a payday that is late, then the same under another name', stage);
  const home = lane.home();
  const after = (hours: number, argv: readonly string[]): Promise<Ran> => {
    const env = { BOTCTL_PROOF_CLOCK: JSON.stringify([[0, hours * 3_600_000]]) };
    return play.run([...argv, '--json'], home, { program: programs.hooked, env, stdin, isOneOfMany: true });
  };
  const pay = (name: string): string[] => [
    'batch',
    'transfer',
    '-',
    '--once',
    name,
    '--yes',
    '--max-wait',
    '0s',
  ];
  await lane.service.faults(...Array(rows).fill({ kind: 'drop', when: 'before' }));
  play.expectExit(await after(0, pay('monday')), 11);
  const ids = intentsIn(journalOf(home)).map(({ id }) => id);
  for (const exit of [10, 0]) play.expectExit(await after(13, ['resume', ...ids, '--yes']), exit);
  play.expectExit(await after(22, pay('mon-day')), 10);
  await play.over(rows);
  play.expectExit(await after(26, pay('tuesday')), 0);
  await play.over(2 * rows);
  home.remove();
}
