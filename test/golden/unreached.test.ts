// The failures that no golden file comes to: they take a broken disk, a signal or a reply at the right moment, a user
// without a name, or a server of another make. Each is made by its own function, and shown by the program as it would be.

import { expect, test } from 'vitest';
import type { CommandSpec } from '../../src/cli/parse/command.ts';
import { otherSignature } from '../../src/cli/say/chain.ts';
import { profilesBusy, profilesNotWritable, tokenCommandTooSlow } from '../../src/cli/say/config.ts';
import { noUserName } from '../../src/cli/say/open.ts';
import { endedEarly } from '../../src/cli/say/told.ts';
import { NoHomeFolder } from '../../src/machine/folders.ts';
import { engineFailure } from '../../src/once/engine/facts.ts';
import { asFailure, type Failure } from '../../src/once/failures.ts';
import { journalFailure } from '../../src/once/journal/facts.ts';
import type { Intent } from '../../src/once/journal/journal.ts';
import { sharedFailure } from '../../src/postgres/facts.ts';
import { runMain } from '../../testing/inProcess.ts';

const id = '3f9a00000001';
const path = '/home/ada/journal.db';
const place = 'postgres://bots@db.example.com/ledger?schema=botctl';
const cause = new Error('the cause');
const said = (text: string) => ({ is: 'said', text }) as const;
const intent = {
  id,
  kind: 'transfer',
  bot: 'payer',
  baseUrl: 'https://bots.example.com',
  spelledUrl: 'https://bots.example.com',
  state: 'unknown',
  tainted: true,
  key: 'KEY',
  attempts: 1,
} as unknown as Intent;

const failures: readonly Failure[] = [
  otherSignature(intent, 'ONE', 'ANOTHER'),
  profilesBusy(10_000, '/home/ada/lock'),
  profilesNotWritable({
    folder: '/home/ada/config',
    nearest: '/home/ada',
    reason: 'the disk is full',
    isFull: true,
  }),
  engineFailure('intent-changed', { id, wasDone: false }),
  engineFailure('intent-missing', {}),
  asFailure(new NoHomeFolder('', { cause })),
  journalFailure('busy', { path }, cause),
  journalFailure('mounted-alone', { path }),
  journalFailure('no-locks', { folder: '/home/ada' }),
  journalFailure('no-shared-memory', { path }),
  journalFailure('not-durable', {}),
  journalFailure('set-up-unfinished', { path }),
  noUserName(),
  engineFailure('own-proposal', { id, proposed: undefined }),
  engineFailure('changed-since-shown', { id }),
  sharedFailure('certificate-refused', { place, trouble: said('it has expired') }, cause),
  sharedFailure('fenced', { place }),
  sharedFailure('not-on-standby', { place }),
  sharedFailure('server-too-old', { place, version: 14, least: 15 }),
  sharedFailure('through-pooler', { place }, cause),
  tokenCommandTooSlow({ program: 'op', secret: 'token' }, 30_000),
  endedEarly(undefined),
  endedEarly({ intents: 2, lastId: id }),
];

async function shown(failure: Failure): Promise<string> {
  const fails: CommandSpec = {
    name: 'do',
    about: 'fails',
    does: 'looks',
    examples: [],
    exits: [],
    load: async () => async () => {
      throw failure;
    },
  };
  const human = await runMain(['do'], { tree: [fails] });
  const json = await runMain(['do', '--json'], { tree: [fails] });
  expect([human.stdout, json.stderr, human.code]).toEqual(['', '', json.code]);
  return `exit ${human.code}\n${human.stderr}${json.stdout}`;
}

test('the failures that no golden file comes to read as they did', async () => {
  const texts = await Promise.all(failures.map(shown));
  await expect(texts.join('\n')).toMatchFileSnapshot('unreached.txt');
});
