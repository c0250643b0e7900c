import { expect, test } from 'vitest';
import { exitOf, retryOf } from '../../src/errors.ts';
import {
  fenced,
  journalUnreachable,
  schemaMissing,
  schemaNewer,
  schemaOlder,
  schemaUnreleased,
  serverNotDurable,
  unnamedOnShared,
} from '../../src/words/sharedJournal.ts';

const place = 'postgres://bots@db.example.com:5432/ledger?schema=botctl';

test.each([
  [journalUnreachable(place, 'connect ECONNREFUSED'), 1, 'same-command'],
  [schemaMissing(place, 'botctl'), 1, 'after-fix'],
  [schemaNewer(place, 3, 2), 1, 'after-fix'],
  [schemaOlder(place, 1, 2), 1, 'after-fix'],
  [schemaUnreleased(place), 1, 'after-fix'],
  [serverNotDurable(place, 'fsync is off'), 1, 'after-fix'],
  [fenced(place), 1, 'same-command'],
  [unnamedOnShared(place, 'transfer'), 2, 'after-fix'],
])('%s', (failure, exit, retry) => {
  expect([exitOf(failure.code), retryOf(failure.code)]).toEqual([exit, retry]);
  expect(failure.message).toContain(place);
  expect(failure.details.hint).toBeDefined();
});
