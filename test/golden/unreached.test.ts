// The failures that no golden file comes to: they take a broken disk, a terminal, a signal or another process at the right
// moment, or a server of another make. Each is made by its own function, and shown by the program as it would be.

import { expect, test } from 'vitest';
import { batchFailure } from '../../src/batch/facts.ts';
import type { CommandSpec } from '../../src/cli/parse/command.ts';
import {
  happenedAllTheSame,
  notAMint,
  nothingOnChain,
  otherSignature,
  paysSomethingElse,
} from '../../src/cli/say/chain.ts';
import { severalIntents } from '../../src/cli/say/commandLine.ts';
import {
  interruptedBeforeChange,
  interruptedBeforeToken,
  profilesBusy,
  profilesNotWritable,
  removalDeclined,
  tokenCommandTooSlow,
  tokenStdinIsTerminal,
} from '../../src/cli/say/config.ts';
import {
  anothersToken,
  interruptedBefore,
  notReversed,
  ofTheSandbox,
  profileGone,
  reasonToFillIn,
  rowsMayHaveHappened,
} from '../../src/cli/say/decisions.ts';
import { metricsNotWritten } from '../../src/cli/say/doctor.ts';
import { inWords } from '../../src/cli/say/inWords.ts';
import { noUserName } from '../../src/cli/say/open.ts';
import { batchAtWork } from '../../src/cli/say/rows.ts';
import { declined, endedEarly, interrupted, interruptedAtQuestion } from '../../src/cli/say/told.ts';
import { nothingToAcknowledge } from '../../src/cli/say/verify.ts';
import { diskTroubleOf } from '../../src/machine/disk.ts';
import { NoHomeFolder } from '../../src/machine/folders.ts';
import type { ChainView } from '../../src/once/chain/standing.ts';
import { engineFailure } from '../../src/once/engine/facts.ts';
import { asFailure, type Failure } from '../../src/once/failures.ts';
import { inputFailure } from '../../src/once/input.ts';
import { journalFailure } from '../../src/once/journal/facts.ts';
import type { Intent } from '../../src/once/journal/journal.ts';
import { wireFailure } from '../../src/once/wire/connecting.ts';
import { sharedFailure } from '../../src/postgres/facts.ts';
import { runMain } from '../../testing/inProcess.ts';

const id = '3f9a00000001';
const path = '/home/ada/journal.db';
const place = 'postgres://bots@db.example.com/ledger?schema=botctl';
const address = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const cause = new Error('the cause');
const full = { is: 'failed', code: 'ENOSPC', said: '' } as const;
const said = (text: string) => ({ is: 'said', text }) as const;
const view = { verdict: 'proven', signature: 'SIGNATURE', reasons: [] } as unknown as ChainView;
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
  declined(),
  interruptedAtQuestion(),
  batchFailure('report-not-finished', { path: 'report.csv', trouble: full }, cause),
  anothersToken(intent, 'resume'),
  anothersToken({ ...intent, tokenHash: 'hash' }, 'resume'),
  ofTheSandbox(id, '/home/ada/journal.db', 'resume'),
  profileGone({ ...intent, state: 'open', tainted: false }),
  batchFailure('line-too-long', { source: 'rows.jsonl', line: 7, mostBytes: 1000 }),
  engineFailure('being-sent', { id }),
  happenedAllTheSame(intent, view),
  notAMint('USDC', address),
  nothingOnChain(id),
  otherSignature(intent, 'ONE', 'ANOTHER'),
  paysSomethingElse(intent, view),
  nothingToAcknowledge(id),
  interruptedBeforeChange(),
  profilesBusy(10_000, '/home/ada/lock'),
  profilesNotWritable({
    folder: '/home/ada/config',
    nearest: '/home/ada',
    reason: 'the disk is full',
    isFull: true,
  }),
  journalFailure('copy-interrupted', { path, copied: 3 }),
  journalFailure('may-not-adopt', { place }),
  journalFailure('owners-alive', { path, count: 2 }),
  sharedFailure('sent-there-now', { place }),
  engineFailure('intent-changed', { id, wasDone: true }),
  engineFailure('intent-changed', { id, wasDone: false }),
  engineFailure('intent-missing', {}),
  rowsMayHaveHappened(await inWords(engineFailure('intent-missing', {})), 3),
  asFailure(new NoHomeFolder('', { cause })),
  inputFailure('interrupted', { name: 'rows.csv' }),
  severalIntents('3f9a', ['3f9a00000001', '3f9a00000002']),
  interrupted('before the wait'),
  journalFailure('busy', { path }, cause),
  journalFailure('mounted-alone', { path }),
  journalFailure('no-locks', { folder: '/home/ada' }),
  journalFailure('no-shared-memory', { path }),
  journalFailure('not-durable', {}),
  journalFailure('set-up-unfinished', { path }),
  journalFailure('taken-away', { path, how: 'gone' }),
  noUserName(),
  engineFailure('policy-changed', {}),
  sharedFailure('no-channel-binding', { place }),
  sharedFailure('unseen-in-setting', {
    origin: { variable: 'The password' },
    unseen: { is: 'hidden', codePoint: 0x200b, position: 3 },
  }),
  metricsNotWritten('/home/ada/botctl.prom', 'the disk is full', cause),
  removalDeclined('prod'),
  notReversed(),
  reasonToFillIn('WHAT YOU SAW'),
  engineFailure('begun-again', { id, later: '3f9a00000002' }),
  engineFailure('is-proposal', { id, tainted: true }),
  engineFailure('not-a-proposal', { id, state: 'unknown', tainted: true }),
  engineFailure('own-proposal', { id, proposed: undefined }),
  interruptedBefore(id),
  batchAtWork('november', [{ host: 'one', pid: 7, rows: 3 }]),
  sharedFailure('may-not-accept', { place }, cause),
  sharedFailure('no-salt', { place }),
  sharedFailure('may-only-look', { place }, cause),
  sharedFailure('certificate-refused', { place, trouble: said('it has expired') }, cause),
  sharedFailure('fenced', { place }),
  sharedFailure('not-on-standby', { place }),
  sharedFailure(
    'notes-unreadable',
    { path: '/home/ada/notes', trouble: diskTroubleOf(new Error('the disk is broken')) },
    cause,
  ),
  sharedFailure('rules-refused', { place, trouble: said('a body is never changed') }, cause),
  sharedFailure('disk-full', { place }, cause),
  sharedFailure('schema-older', {
    ...{ place, version: 1, needed: 2 },
    ownersUrl: 'postgres://owner@db.example.com/ledger?schema=botctl',
  }),
  sharedFailure('server-too-old', { place, version: 14, least: 15 }),
  sharedFailure('busy', { place }, cause),
  sharedFailure('standby-only', { place }),
  sharedFailure('through-pooler', { place }, cause),
  sharedFailure('unchanged-on-standby', { place }),
  tokenCommandTooSlow({ program: 'op', secret: 'token' }, 30_000),
  interruptedBeforeToken(),
  tokenStdinIsTerminal('token'),
  wireFailure('unchecked-certificates', {}),
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
