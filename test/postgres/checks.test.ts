import { expect, test } from 'vitest';
import {
  type JournalFacts,
  refusalOfServer,
  refusalToSend,
  type ServerFacts,
} from '../../src/postgres/handshake.ts';

const place = 'postgres://bots@db.example.com:5432/ledger';
const server: ServerFacts = {
  versionNumber: 150_004,
  isStandby: false,
  isReadOnly: false,
  settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', server_encoding: 'UTF8' },
  timeline: 1,
  startedAtMs: 1,
  nowMs: 2,
};
const journal: JournalFacts = {
  id: '00',
  salt: Buffer.from('salt'),
  role: 'bots',
  leaseMs: 30_000,
  mayAdd: true,
  timelineSinceMs: undefined,
};
const set = (settings: Partial<ServerFacts['settings']>): Partial<ServerFacts> => ({
  settings: { ...server.settings, ...settings },
});
const notDurable = {
  kind: 'not-durable',
  code: 'journal-not-durable',
  fields: { setting: 'synchronous_commit' },
};

test.each<[string, Partial<ServerFacts>, Partial<JournalFacts>, object | undefined]>([
  ['a server that is as it should be', {}, {}, undefined],
  // The doctor warns of it.
  ['fsync off', set({ fsync: 'off', full_page_writes: 'off' }), {}, undefined],
  ['a standby', { isStandby: true }, {}, { kind: 'standby-only', code: 'journal-unreachable' }],
  [
    'a role that may only read',
    { isReadOnly: true },
    {},
    { kind: 'role-reads-only', code: 'journal-not-writable' },
  ],
  ['a synchronous_commit that cannot be set on', set({ synchronous_commit: 'off' }), {}, notDurable],
  ['a role that may only look', {}, { mayAdd: false }, { kind: 'may-only-look', code: 'journal-schema' }],
])('sending with %s', (_what, ofServer, ofJournal, refusal) => {
  expect(refusalOfServer({ ...server, ...ofServer }, place)).toBeUndefined();
  const refused = refusalToSend({ ...server, ...ofServer }, { ...journal, ...ofJournal }, place);
  if (refusal === undefined) expect(refused).toBeUndefined();
  else expect(refused).toMatchObject(refusal);
});

test.each<[string, Partial<ServerFacts>, string, object]>([
  ['older than 15', { versionNumber: 140_011 }, 'server-too-old', { version: 14, least: 15 }],
  ['in another encoding', set({ server_encoding: 'SQL_ASCII' }), 'not-utf8', { encoding: 'SQL_ASCII' }],
])('a server %s is asked nothing', (_what, change, kind, fields) => {
  const refused = refusalOfServer({ ...server, ...change }, place);
  expect(refused).toMatchObject({ kind, fields: { place, ...fields }, code: 'journal-schema' });
});
