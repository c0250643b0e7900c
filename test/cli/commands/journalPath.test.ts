import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isJournalThere,
  journalLocation,
  openJournalOf,
  shownLocation,
} from '../../../src/cli/commands/openJournal.ts';
import type { ParsedArgs } from '../../../src/cli/parse/command.ts';
import { failureOf } from '../../../testing/failure.ts';
import { freePort } from '../../../testing/postgres/freePort.ts';

function given(journal?: string, sandbox = false): ParsedArgs {
  return { text: () => journal, flag: () => sandbox, takes: () => false } as unknown as ParsedArgs;
}

const url = 'postgres://bots@db.example.com/ledger';
const place = 'postgres://bots@db.example.com:5432/ledger?schema=botctl';
const env = (BOTCTL_JOURNAL?: string) => ({ env: { XDG_DATA_HOME: '/data', BOTCTL_JOURNAL } });

test.each([
  [undefined, undefined, false, '/data/botctl/journal.db'],
  [undefined, '/srv/j.db', false, '/srv/j.db'],
  ['./j.db', '/srv/j.db', false, './j.db'],
  ['./j.db', undefined, true, './j.db'],
  [undefined, '/srv/j.db', true, join('/data/botctl/sandbox/journal.db')],
  [undefined, url, false, place],
  [undefined, url, true, '/data/botctl/sandbox/journal.db'],
  [url, '/srv/j.db', false, place],
  ['/srv/j.db', url, false, '/srv/j.db'],
])('--journal %s, BOTCTL_JOURNAL=%s, --sandbox %s: %s', async (option, variable, sandbox, shown) => {
  const location = await journalLocation(given(option, sandbox), env(variable));
  expect(await shownLocation(location)).toBe(shown);
});

test.each(['../journal.db', './j.db', '~/j.db'])('BOTCTL_JOURNAL=%s is refused', async (path) => {
  const { code, message } = await failureOf(() => journalLocation(given(), env(path)));
  expect([code, message]).toEqual(['usage', expect.stringContaining('not an absolute path')]);
});

test.each(['mysql://db/x', 'https://x.example.com', 'postgres:/db', 'postgresql:db', 'file:///srv/j.db'])(
  '--journal %s is no file’s name',
  async (text) => {
    const { code, message } = await failureOf(() => journalLocation(given(text), env()));
    expect([code, message]).toEqual(['usage', expect.stringContaining('not a postgres:// one')]);
  },
);

test('a shared journal is always there to be asked', async () => {
  expect(await isJournalThere(given(), env(url))).toBe(true);
});

test('a shared journal whose server is not there is named without its password, and not waited for', async () => {
  const context = {
    ...env(`postgres://bots:canary-77@127.0.0.1:${await freePort()}/ledger`),
    display: { waiting: (_words: string, work: unknown) => work } as never,
    clock: { now: Date.now, sleep: () => Promise.reject(new Error('it waited')) },
    interrupts: { first: new AbortController().signal, second: new AbortController().signal },
  };
  const failure = await failureOf(() => openJournalOf(given(), context, 'send'));
  expect(failure.code).toBe('journal-unreachable');
  expect(failure.message).toContain('postgres://bots@127.0.0.1');
  expect(JSON.stringify([failure.message, failure.details])).not.toContain('canary');
});
