import { describe, expect, test } from 'vitest';
import {
  addressFinding,
  clockFinding,
  failed,
  inOrder,
  journalFindings,
  nodeFinding,
  proxyFinding,
  sandboxFinding,
} from '../../../../src/cli/commands/doctor/findings.ts';
import { Told } from '../../../../src/cli/say/told.ts';
import type { JournalLook } from '../../../../src/once/journal/file/lookOnly.ts';
import type { Probe } from '../../../../src/once/wire/probe.ts';

const nowMs = Date.parse('2026-11-20T12:00:00Z');
const dayMs = 86_400_000;

describe('Node', () => {
  test.each([
    ['v20.19.0', 'ok'],
    ['v22.3.0', 'ok'],
    ['v23.1.0', 'warn'],
    ['v26.0.0', 'ok'],
  ])('%s is %s', (version, level) => {
    expect(nodeFinding(version).level).toBe(level);
  });
});

describe('the clock', () => {
  const against = (offMs: number) => ({ theirsMs: nowMs, oursMs: nowMs + offMs });
  test.each([
    ['agrees with', against(0), undefined, 'ok'],
    ['agrees with', against(1_400), undefined, 'ok'],
    ['20 s ahead of', against(20_000), undefined, 'ok'],
    ['40 s behind', against(-40_000), undefined, 'warn'],
    ['600 s ahead of', against(600_000), undefined, 'fail'],
    ['not compared', undefined, undefined, 'warn'],
    ['behind the journal', against(0), nowMs + 301_000, 'fail'],
    ['agrees with', against(0), nowMs + 299_000, 'ok'],
  ] as const)('%s', (says, clock, latestMs, level) => {
    const found = clockFinding({ reached: true, trouble: undefined, clock }, latestMs, nowMs);
    expect(found).toMatchObject({ level });
    expect(found.says).toContain(says);
  });
});

describe('the address', () => {
  const reached = { reached: true, trouble: undefined, tls: undefined, clock: undefined };
  const tls = (days: number) => ({ protocol: 'TLSv1.3', validToMs: nowMs + days * dayMs });
  test.each([
    ['answers', reached, 'ok'],
    ['certificate until 2027', { ...reached, tls: tls(90) }, 'ok'],
    ['its certificate ends', { ...reached, tls: tls(13) }, 'warn'],
    [
      'cannot be reached: no answer came in time',
      { ...reached, reached: false, trouble: { is: 'no-answer' } },
      'fail',
    ],
  ] satisfies [string, Probe, string][])('%s', (says, found, level) => {
    const finding = addressFinding('https://x', found, undefined, nowMs);
    expect(finding).toMatchObject({ level });
    expect(finding.says).toContain(says);
  });

  test('behind a proxy that is used, the proxy is what to check', () => {
    const found: Probe = { ...reached, reached: false, trouble: { is: 'no-answer' } };
    expect(
      addressFinding('https://x', found, { shown: 'http://p:1', bad: undefined, used: true }, nowMs).todo,
    ).toContain('http://p:1');
    expect(proxyFinding({ shown: 'http://p:1', bad: undefined, used: false }).says).toContain('not used');
  });
});

describe('the journal', () => {
  const sound: JournalLook = {
    check: ['ok'],
    version: 1,
    knownVersion: 1,
    isJournal: true,
    lacks: [],
    movedTo: undefined,
    mode: 'wal',
    syncsFully: true,
    counts: { accepted: 3 },
    waiting: {},
    oldestUnknown: undefined,
    latestMs: undefined,
  };
  const mark = { intents: 3, attempts: 4, decisions: 0 };
  const disk = { kind: undefined, trouble: undefined };
  test.each([
    [{}, ['ok', 'ok', 'ok'], 'quick_check ok'],
    [{ check: ['row 3 missing'] }, ['fail', 'ok', 'ok'], 'row 3 missing'],
    [{ version: 2 }, ['fail', 'ok', 'ok'], 'newer botctl'],
    [{ isJournal: false }, ['fail'], 'is not a journal'],
    [{ syncsFully: false }, ['fail', 'ok', 'ok'], 'durably'],
    [{ mode: 'delete' }, ['warn', 'ok', 'ok'], 'not wal'],
    [{ counts: { held: 1 } }, ['ok', 'ok', 'warn'], '1 held'],
    [
      { counts: { held: 6, open: 1 }, waiting: { proposed: 2, 'above-limit': 3 } },
      ['ok', 'ok', 'warn'],
      '6 held (5 wait for approval)',
    ],
    [{ counts: { unknown: 2, accepted: 1 } }, ['ok', 'ok', 'warn'], '2 unknown, 1 accepted'],
    [{ counts: {} }, ['ok', 'ok', 'ok'], 'none'],
  ])('%j is %j', (change, levels, says) => {
    const look = { ...sound, ...change };
    const findings = journalFindings('/j.db', { is: 'there', look, mark, disk });
    expect(findings.map(({ level }) => level)).toEqual(levels);
    expect(findings.map((one) => one.says).join('\n')).toContain(says);
  });

  test('that cannot be made is a failure: nothing could be sent', () => {
    const full = { kind: undefined, trouble: 'the disk is full' };
    expect(journalFindings('/a/j.db', { is: 'none', folder: '/a', disk: full })).toMatchObject([
      { level: 'fail', says: expect.stringContaining('the disk is full') },
    ]);
    expect(journalFindings('/a/j.db', { is: 'none', folder: '/a', disk })).toMatchObject([{ level: 'ok' }]);
  });

  test('that can be read but not written is a failure, too', () => {
    const readOnly = { kind: undefined, trouble: 'the file system is read-only' };
    const [first] = journalFindings('/j.db', { is: 'there', look: sound, mark, disk: readOnly });
    expect(first).toMatchObject({ level: 'fail', says: expect.stringContaining('read-only') });
  });

  test.each(['tmpfs', 'overlay', 'network'] as const)('on %s may be gone tomorrow: a warning', (kind) => {
    const findings = journalFindings('/j.db', { is: 'there', look: sound, mark, disk: { ...disk, kind } });
    expect(findings.at(-1)).toMatchObject({ check: 'disk', level: 'warn' });
  });

  test('whose set-up was interrupted has no mark yet', () => {
    const findings = journalFindings('/j.db', { is: 'there', look: sound, mark: undefined, disk });
    expect(findings[1]).toMatchObject({ check: 'mark', level: 'warn' });
  });
});

test('a warning is in order, a failure is not; every one of both says what to do', () => {
  const warning = sandboxFinding({ message: 'No build.', hint: 'Elsewhere.' });
  const failure = failed('token', new Told('no-token', 'There is none', { hint: 'Give it.' }));
  expect(inOrder([warning])).toBe(true);
  expect(inOrder([warning, failure])).toBe(false);
  expect(failure).toMatchObject({ says: 'There is none.', todo: 'Give it.' });
  expect(warning.todo).toBeTruthy();
});
