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
  standbys: { names: '', synchronous: 0 },
  latencyMs: 1.26,
  aheadMs: 100,
  role: { name: 'bots', isSuperuser: false, ownsTables: false },
  journal: {
    id: 'j',
    salt: new Uint8Array(32),
    role: 'bots',
    leaseMs: 30_000,
    acceptedDurability: false,
    copying: undefined,
    policy: undefined,
    servers: [],
  },
  runners: 2,
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
    durable: fsync and full_page_writes are on: what the server acknowledges is on its disk
    standby: no commit waits for a standby: a standby that is promoted may lack the latest ones
    role: bots, which owns nothing of the journal
    notes: the journal has everything that it acknowledged to this machine (2 notes)
    runners: 2 at work; after 30 s of silence, another one takes over
    intents: 3 accepted
    latency: 1.3 ms for a round trip to the journal’s server
    time: this clock agrees with the journal’s server, which dates the entries"
  `);
});

const { server, journal, role, notes } = sound;
const oldest = { id: '4711', createdAtMs: 0, mayHaveLandedAtMs: 0 };
const off = { ...server, settings: { ...server.settings, full_page_writes: 'off' } };

describe('what is not in order', () => {
  test.each<[string, string, string, Partial<SharedLook>]>([
    ['durable', 'fail', 'full_page_writes off: the server may lose', { server: off }],
    ['late', 'warn', '/data/lost-late-1.jsonl has replies', { lostReplies: ['/data/lost-late-1.jsonl'] }],
    [
      'durable',
      'ok',
      'which was accepted',
      { server: off, journal: { ...journal, acceptedDurability: true } },
    ],
    [
      'copy',
      'fail',
      'only a part of the file /j.db was copied',
      { journal: { ...journal, copying: { detail: 'd 1 /j.db', rows: 1, path: '/j.db' } } },
    ],
    ['standby', 'warn', 'is a standby', { server: { ...server, isStandby: true } }],
    ['standby', 'fail', 'none of them is connected', { standbys: { names: 'a, b', synchronous: 0 } }],
    ['standby', 'ok', 'wait for a; 1 synchronous standby', { standbys: { names: 'a', synchronous: 1 } }],
    ['standby', 'ok', 'commits wait for a', { standbys: { names: 'a', synchronous: undefined } }],
    ['role', 'warn', 'superuser', { role: { ...role, isSuperuser: true, ownsTables: true } }],
    ['role', 'warn', 'owns the journal', { role: { ...role, ownsTables: true } }],
    ['role', 'ok', 'may only read', { journal: { ...journal, salt: undefined } }],
    [
      'notes',
      'fail',
      '2 requests that the journal',
      { notes: { ...notes, missing: [1, 2].map((number) => ({ what: 'attempt', id: 'i', number, at: 5 })) } },
    ],
    ['notes', 'fail', 'a different server', { notes: { ...notes, held: 0, isNewServer: true } }],
    ['notes', 'ok', 'has everything that it acknowledged', { notes: { ...notes, isNewServer: true } }],
    ['late', 'warn', 'kept in /data/shared', { lateReplies: '/data/shared' }],
    ['latency', 'warn', '150.0 ms', { latencyMs: 150 }],
    ['time', 'warn', '31 s behind', { aheadMs: -31_000 }],
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
