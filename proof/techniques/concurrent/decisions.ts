import { startOf } from '../../../test/support/program.ts';
import { type Arena, playOne, type Stage } from '../../arena.ts';
import { command, onceOnly, operations, unnamed } from '../../jobs.ts';
import { begin, lostReply } from '../../play.ts';

export async function playDecisions(arena: Arena): Promise<void> {
  await playOne(arena, approvedOtherwise);
  await playOne(arena, shownOtherwise);
  await playOne(arena, wronglyUndone);
}

/**
 * A payment that a person approved and the service refused, then the same name with another amount: the approval is not
 * for that one.
 */
async function approvedOtherwise(stage: Stage): Promise<void> {
  const { kept, service } = stage.lane;
  const play = await begin('an approval, then another amount under its name', stage);
  const rent = command('transfer', '--once', 'rent', '--propose');
  const larger = rent.map((word) => (word === '0.001' ? '2' : word));
  play.expectExit(await play.run(rent), 10);
  const [{ id } = { id: '' }] = await kept(play.home);
  await service.faults({ kind: 'reply', status: 402, when: 'before' });
  const approved = await play.run(['approve', id, '--yes', '--json']);
  play.expectExit(approved.code === 0 ? await play.run(rent) : approved, 5);
  play.expectExit(await play.run(larger, { isOneOfMany: true }), 6);
  play.expectExit(await play.run(rent), 0);
  const amounts = (await play.effects()).map(({ request }) => request.amount);
  if (amounts.join() !== '0.001') play.wrong(`what was paid is ${amounts.join()}, and 0.001 was approved`);
  await play.over(1);
}

/**
 * A person’s word to send a payment in doubt again. Its token is fetched after the entry was shown: meanwhile others
 * decide that it did not happen and try again, and it is in doubt as before.
 */
async function shownOtherwise(stage: Stage): Promise<void> {
  const { programs, lane } = stage;
  const { baseUrl, token: secret } = lane.service;
  const play = await begin('the word to send again what others have tried again meanwhile', stage);
  const { home } = play;
  const rent = command('transfer', '--once', 'rent', '--profile', 'payer', '--max-wait', '0s');
  const others = (...lines: readonly string[]): string => {
    const run = lines.map((line) => `${startOf(programs.plain).join(' ')} ${line} >/dev/null`);
    // The others fetch a token, too.
    const once = ['if [ -z "$OTHERS" ]; then', 'export OTHERS=1', ':', ...run, 'fi'];
    return home.file('token.sh', [...once, `echo '${secret}'`, ''].join('\n'));
  };
  const token = { kind: 'command', command: `/bin/sh ${others()}` };
  home.writeConfig({ version: 1, profiles: { payer: { 'base-url': baseUrl, token } } });
  const silent = { kind: 'reply', status: 200, body: 'OK', when: 'after' } as const;
  await lane.service.faults(silent, silent);
  play.expectExit(await play.run(rent), 10);
  const [{ id } = { id: '' }] = await lane.kept(home);
  others(`resolve ${id} --did-not-happen --reason unseen`, rent.join(' '));
  play.expectExit(await play.run(['resume', id, '--yes', '--json']), 10);
  const [left] = await lane.kept(home);
  if (left?.state !== 'held') play.wrong(`it was left ${left?.state}, and should be held`);
  await play.over(1);
}

/** What happened, has no name, and is said not to have happened goes again under the key that the service knows. */
async function wronglyUndone(stage: Stage): Promise<void> {
  for (const operation of operations) {
    const play = await begin(`a ${operation} that a person wrongly says did not happen`, stage);
    const words = unnamed(operation);
    await stage.lane.service.faults(lostReply);
    play.expectExit(await play.run(onceOnly(words)), 9);
    const [{ id } = { id: '' }] = await stage.lane.kept(play.home);
    const undone = ['resolve', id, '--did-not-happen', '--reason', 'unseen', '--yes', '--json'];
    play.expectExit(await play.run(undone), 0);
    play.expectExit(await play.run(words), 0);
    await play.over(1);
  }
}
