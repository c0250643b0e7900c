import { describe, expect, test } from 'vitest';
import { sharedFindings } from '../../../../src/cli/commands/doctor/sharedJournal.ts';
import type { SharedLook } from '../../../../src/postgres/upkeep.ts';

const place = 'postgres://bots@db/bots?schema=botctl';

const sound: SharedLook = {
  server: {
    versionNumber: 180_004,
    isStandby: false,
    isReadOnly: false,
    settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', server_encoding: 'UTF8' },
    systemId: '1',
    timeline: 1,
    startedAtMs: 0,
    nowMs: 0,
  },
  schemaVersion: 1,
  journal: {
    id: 'j',
    salt: new Uint8Array(32),
    role: 'bots',
    leaseMs: 30_000,
    servers: [],
  },
  counts: { accepted: 3 },
  waiting: {},
  oldestUnknown: undefined,
  notes: { held: 2, missing: [], isNewServer: false, folder: '/data' },
  lateReplies: undefined,
  lostReplies: [],
};

test('a shared journal in order', () => {
  const findings = sharedFindings(place, sound, undefined);
  expect(findings.map(({ level }) => level)).toEqual(findings.map(() => 'ok'));
  expect(findings.map(({ check, says }) => `${check}: ${says}`).join('\n')).toMatchInlineSnapshot(`
    "journal: postgres://bots@db/bots?schema=botctl: version 1, on PostgreSQL 18.4
    notes: the journal has everything that it acknowledged to this machine (2 notes)
    intents: 3 accepted"
  `);
});

const { server, notes } = sound;
const oldest = { id: '4711', createdAtMs: 0, mayHaveLandedAtMs: 0 };
const off = { ...server, settings: { ...server.settings, full_page_writes: 'off' } };

describe('what is not in order', () => {
  test.each<[string, string, string, Partial<SharedLook>]>([
    ['durable', 'warn', 'full_page_writes off: the server may lose', { server: off }],
    ['late', 'warn', '/data/lost-late-1.jsonl has replies', { lostReplies: ['/data/lost-late-1.jsonl'] }],
    [
      'notes',
      'fail',
      '2 requests that the journal',
      { notes: { ...notes, missing: [1, 2].map((number) => ({ what: 'attempt', id: 'i', number, at: 5 })) } },
    ],
    ['notes', 'fail', 'a different server', { notes: { ...notes, held: 0, isNewServer: true } }],
    ['notes', 'ok', 'has everything that it acknowledged', { notes: { ...notes, isNewServer: true } }],
    ['late', 'warn', 'kept in /data/shared', { lateReplies: '/data/shared' }],
    ['intents', 'warn', '1 held', { counts: { held: 1 } }],
    ['intents', 'ok', '1 sending', { counts: { sending: 1 } }],
    ['intents', 'warn', 'the oldest unknown is 4711', { counts: { sending: 1 }, oldestUnknown: oldest }],
  ])('%s: %s, %s', (check, level, says, changed) => {
    const found = sharedFindings(place, { ...sound, ...changed }, undefined).find(
      (one) => one.check === check,
    );
    expect(found).toMatchObject({ level, says: expect.stringContaining(says) });
  });

  test('a disk that takes no notes', () => {
    const found = sharedFindings(place, sound, 'it is full').find(({ check }) => check === 'notes');
    expect(found).toMatchObject({
      level: 'warn',
      says: expect.stringContaining('cannot keep notes in /data (it is full)'),
    });
  });
});
