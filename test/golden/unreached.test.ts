// The failures that no golden file comes to: they take a broken disk, a terminal, a signal or another process at the right
// moment, or a server of another make. Each is made by its own function, and shown by the program as it would be.

import { expect, test } from 'vitest';
import { batchFailure } from '../../src/batch/facts.ts';
import type { ChainView } from '../../src/chain/proof.ts';
import type { CommandSpec } from '../../src/cli/spec.ts';
import { engineFailure } from '../../src/engine/facts.ts';
import { asFailure, type Failure } from '../../src/errors.ts';
import { inputFailure } from '../../src/input/facts.ts';
import { journalFailure } from '../../src/journal/facts.ts';
import type { Intent } from '../../src/journal/journal.ts';
import { sharedFailure } from '../../src/journal/postgres/facts.ts';
import { diskTroubleOf } from '../../src/machine/disk.ts';
import { NoHomeFolder } from '../../src/machine/folders.ts';
import { wireFailure } from '../../src/wire/facts.ts';
import { declined, interruptedAtQuestion } from '../../src/words/asking.ts';
import { anothersToken, ofTheSandbox, profileGone } from '../../src/words/botsOfIntents.ts';
import {
  happenedAllTheSame,
  notAMint,
  nothingOnChain,
  otherSignature,
  paysSomethingElse,
} from '../../src/words/chain.ts';
import { nothingToAcknowledge } from '../../src/words/chainOptions.ts';
import {
  interruptedBeforeChange,
  profilesBusy,
  profilesNotWritable,
} from '../../src/words/changeProfiles.ts';
import { rowsMayHaveHappened } from '../../src/words/earlierRun.ts';
import { severalIntents } from '../../src/words/intentIds.ts';
import { interrupted } from '../../src/words/interrupted.ts';
import { inWords } from '../../src/words/inWords.ts';
import { noUserName } from '../../src/words/journalPath.ts';
import { endedEarly } from '../../src/words/machine.ts';
import { metricsNotWritten } from '../../src/words/metrics.ts';
import { removalDeclined } from '../../src/words/profileChanges.ts';
import { severalMessages } from '../../src/words/replyTo.ts';
import { notReversed, reasonToFillIn } from '../../src/words/resolving.ts';
import { approvedByItself, interruptedBefore } from '../../src/words/resuming.ts';
import { folderNotUsable } from '../../src/words/sandbox.ts';
import { batchAtWork } from '../../src/words/sharedBatch.ts';
import { tokenCommandTooSlow } from '../../src/words/tokenCommand.ts';
import { interruptedBeforeToken, tokenStdinIsTerminal } from '../../src/words/tokenInput.ts';
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
  anothersToken(intent),
  anothersToken({ ...intent, tokenHash: 'hash' }),
  ofTheSandbox(id, '/home/ada/journal.db'),
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
  severalMessages('a', ['3f9a00000001', '3f9a00000002']),
  notReversed(),
  reasonToFillIn('WHAT YOU SAW'),
  approvedByItself(id),
  interruptedBefore(id),
  folderNotUsable('/home/ada/sandbox', 'the disk is full', cause),
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
  tokenCommandTooSlow('op', 30_000),
  interruptedBeforeToken(),
  tokenStdinIsTerminal(),
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
