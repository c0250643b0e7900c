import { expect, test } from 'vitest';
import { refusalOfServer, refusalToSend } from '../../../src/journal/postgres/checks.ts';
import type { JournalFacts, ServerFacts } from '../../../src/journal/postgres/hello.ts';

const place = 'postgres://bots@db.example.com:5432/ledger?schema=botctl';
const server: ServerFacts = {
  versionNumber: 150_004,
  isStandby: false,
  isReadOnly: false,
  settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', server_encoding: 'UTF8' },
  systemId: '7',
  timeline: 1,
  startedAtMs: 1,
  nowMs: 2,
};
const journal: JournalFacts = {
  id: '00',
  salt: Buffer.from('salt'),
  leaseMs: 30_000,
  acceptedDurability: false,
  policy: undefined,
  servers: [],
};
const set = (settings: Partial<ServerFacts['settings']>): Partial<ServerFacts> => ({
  settings: { ...server.settings, ...settings },
});

test('a server that is as it should be is refused nothing', () => {
  expect(refusalOfServer(server, place)).toBeUndefined();
  expect(refusalToSend(server, journal, place)).toBeUndefined();
});

test.each<[string, Partial<ServerFacts>, string, string]>([
  [
    'older than 15',
    { versionNumber: 140_011 },
    'journal-schema',
    'is PostgreSQL 14, and botctl needs 15 or newer',
  ],
  ['in another encoding', set({ server_encoding: 'SQL_ASCII' }), 'journal-schema', 'is encoded in SQL_ASCII'],
])('a server %s is asked nothing', (_what, change, code, said) => {
  const refused = refusalOfServer({ ...server, ...change }, place);
  expect(refused).toMatchObject({ code, message: expect.stringContaining(said) });
});

test.each<[string, Partial<ServerFacts>, Partial<JournalFacts>, string, string]>([
  ['a standby', { isStandby: true }, {}, 'journal-unreachable', 'is a standby'],
  [
    'a role that may only read',
    { isReadOnly: true },
    {},
    'journal-not-writable',
    'its setting default_transaction_read_only is on',
  ],
  ['fsync off', set({ fsync: 'off' }), {}, 'journal-not-durable', 'its setting fsync is off'],
  [
    'full_page_writes off',
    set({ full_page_writes: 'off' }),
    {},
    'journal-not-durable',
    'full_page_writes is off',
  ],
  [
    'a synchronous_commit that cannot be set on',
    set({ synchronous_commit: 'off' }),
    { acceptedDurability: true },
    'journal-not-durable',
    'synchronous_commit is off',
  ],
  ['a role without the salt', {}, { salt: undefined }, 'journal-schema', 'may look at the journal'],
])('nothing is sent with %s', (_what, ofServer, ofJournal, code, said) => {
  const refused = refusalToSend({ ...server, ...ofServer }, { ...journal, ...ofJournal }, place);
  expect(refused).toMatchObject({ code, message: expect.stringContaining(said) });
});

test('settings that were accepted are accepted', () => {
  const off = { ...server, ...set({ fsync: 'off', full_page_writes: 'off' }) };
  expect(refusalToSend(off, { ...journal, acceptedDurability: true }, place)).toBeUndefined();
});
