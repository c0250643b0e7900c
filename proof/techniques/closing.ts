import { setTimeout as after } from 'node:timers/promises';
import type { Job } from '../jobs.ts';
import type { Play, RunOptions } from '../play.ts';

/**
 * A person closes the journal while these machines run one batch. When that has returned, no attempt is begun any more,
 * and at most one request of each place is still on its way. Opened again, each row has happened once.
 */
export async function closeMeanwhile(
  { argv, stdin, effects }: Job,
  places: number,
  whenDone: number,
  play: Play,
  machines: readonly RunOptions[],
): Promise<void> {
  const { lane } = play.stage;
  const begun = async (): Promise<number> =>
    (await lane.kept(play.home)).reduce((sum, { attempts }) => sum + attempts, 0);
  const [first = {}, second = first] = machines;
  let isOver = false;
  const running = Promise.all(
    machines.map((machine) => play.run(argv, { ...machine, stdin: stdin ?? '', isOneOfMany: true })),
  ).finally(() => {
    isOver = true;
  });
  while (!isOver && (await play.effects()).length < whenDone) await after(5);
  play.expectExit(await play.run(['journal', 'close', '--reason', 'a look'], first), 0);
  const [attempts, requests] = [await begun(), play.heard.length];
  // What is in doubt makes it 11.
  for (const ran of await running) play.expectExit(ran, 0, 10, 11);
  const late = (await begun()) - attempts;
  if (late > 0) play.wrong(`${late} attempts were begun after the journal was closed`);
  const arrived = play.heard.length - requests;
  if (arrived > places * machines.length) play.wrong(`${arrived} requests came after the journal was closed`);
  play.expectExit(await play.run(['journal', 'open'], second), 0);
  play.expectExit(await play.run(argv, { ...second, stdin: stdin ?? '' }), 0);
  await play.over(effects);
}
