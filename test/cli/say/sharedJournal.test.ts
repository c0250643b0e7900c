import { expect, test } from 'vitest';
import { inWords } from '../../../src/cli/say/inWords.ts';
import { engineFailure } from '../../../src/once/engine/facts.ts';
import { exitOf, retryOf } from '../../../src/once/failures.ts';
import { sharedFailure } from '../../../src/postgres/facts.ts';

const place = 'postgres://bots@db.example.com:5432/ledger?schema=botctl';
const ownersUrl = undefined;

test.each([
  [sharedFailure('unreachable', { place, trouble: { is: 'silent' } }), 1, 'same-command'],
  [sharedFailure('schema-missing', { place, schema: 'botctl', ownersUrl }), 1, 'after-fix'],
  [sharedFailure('schema-newer', { place, version: 3, known: 2 }), 1, 'after-fix'],
  [sharedFailure('schema-older', { place, version: 1, needed: 2, ownersUrl }), 1, 'after-fix'],
  [sharedFailure('schema-unreleased', { place }), 1, 'after-fix'],
  [sharedFailure('not-durable', { place, setting: 'fsync' }), 1, 'after-fix'],
  [sharedFailure('fenced', { place }), 1, 'same-command'],
  [engineFailure('unnamed-on-shared', { place, kind: 'transfer' }), 2, 'after-fix'],
])('%s', async (failure, exit, retry) => {
  expect([exitOf(failure.code), retryOf(failure.code)]).toEqual([exit, retry]);
  const { message, details } = await inWords(failure);
  expect(message).toContain(place);
  expect(details.hint).toBeDefined();
});
