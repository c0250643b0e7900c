import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOf } from '../../../testing/program.ts';
import { intentsIn, journalOf } from '../../look.ts';
import { playAtPace } from '../../pace.ts';
import { command, Play, type Stage } from '../../play.ts';
import type { Tally } from '../../tally.ts';
import type { Arena } from '../technique.ts';

type Case = {
  readonly name: string;
  readonly begin: readonly string[];
  /** The service's replies do not say whether it was done. */
  readonly isUnproven?: true;
  readonly decision: readonly string[];
  /** What others do between what was shown and the decision. */
  readonly meanwhile: readonly string[];
  readonly state: string;
  readonly effects: number;
};

const rent = command('transfer', '--once', 'rent', '--profile', 'payer', '--max-wait', '0s');

const cases: readonly Case[] = [
  {
    name: 'the word to send again what others have tried again meanwhile',
    begin: rent,
    isUnproven: true,
    decision: ['resume'],
    meanwhile: ['resolve ID --did-not-happen --reason unseen', rent.join(' ')],
    state: 'held',
    effects: 1,
  },
];

/** A decision whose token is fetched after the entry was shown: meanwhile others do something with the entry. */
export async function playShown({ lanes, programs, pace }: Arena, tally: Tally): Promise<void> {
  const [lane] = lanes;
  if (lane === undefined) throw new Error('no lane');
  for (const one of cases)
    await playAtPace(pace, tally, (own) => playCase(one, { lane, tally: own, programs }));
}

async function playCase(one: Case, stage: Stage): Promise<void> {
  const { lane, programs } = stage;
  const play = new Play(one.name, stage);
  await lane.service.fresh();
  const home = lane.home();
  const script = join(home.path, 'token.sh');
  const others = (lines: readonly string[]): void => {
    const run = lines.map((line) => `${startOf(programs.plain.bin).join(' ')} ${line} >/dev/null`);
    // The others fetch a token, too.
    const once = ['if [ -z "$OTHERS" ]; then', 'export OTHERS=1', ':', ...run, 'fi'];
    writeFileSync(script, [...once, `echo '${lane.service.token}'`, ''].join('\n'));
  };
  others([]);
  const token = { kind: 'command', command: `/bin/sh ${script}` };
  home.writeConfig({ version: 1, profiles: { payer: { 'base-url': lane.service.baseUrl, token } } });
  const silent = { kind: 'reply', status: 200, body: 'OK', when: 'after' } as const;
  if (one.isUnproven === true) await lane.service.faults(silent, silent);
  play.expectExit(await play.run(one.begin, home), 10);
  const [begun] = intentsIn(journalOf(home));
  const id = begun?.id ?? '';
  others(one.meanwhile.map((line) => line.replace('ID', id)));
  const [verb = '', ...options] = one.decision;
  play.expectExit(await play.run([verb, id, ...options, '--yes', '--json'], home), 10);
  const [left] = intentsIn(journalOf(home));
  if (left?.state !== one.state) play.wrong(`it was left ${left?.state}, and should be ${one.state}`);
  await play.over(one.effects);
  home.remove();
}
