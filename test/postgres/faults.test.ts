import { expect, test } from 'vitest';
import { inWords } from '../../src/cli/say/inWords.ts';
import { Failure, retryOf } from '../../src/once/failures.ts';
import type { PgConnection } from '../../src/postgres/connection.ts';
import { ServerTroubleError } from '../../src/postgres/facts.ts';
import { isOfNetwork, serverFailure, unreachable } from '../../src/postgres/faults.ts';
import { connectionFailure } from '../../src/postgres/upkeep.ts';

const place = 'postgres://bots@db.example.com:5432/ledger?schema=botctl';
const said = (code: string): Error => Object.assign(new Error('what it said'), { code });

test.each([
  ['a password that is wrong', '28P01', 'journal-denied', 'after-fix'],
  ['a host that the server lets nobody in from', '28000', 'journal-denied', 'after-fix'],
  ['a database that there is not', '3D000', 'journal-denied', 'after-fix'],
  ['a role without the rights', '42501', 'journal-denied', 'after-fix'],
  ['a disk that is full', '53100', 'journal-not-writable', 'after-fix'],
  ['a rule that still forbids it', 'ZJ001', 'journal-damaged', 'after-fix'],
  ['a role that may only read', '25006', 'journal-not-writable', 'after-fix'],
  ['a session that was idle for too long', '57P05', 'journal-unreachable', 'same-command'],
  ['too many connections', '53300', 'journal-unreachable', 'same-command'],
  ['what another one holds', '55P03', 'journal-busy', 'same-command'],
  ['a transaction that waited too long', '25P04', 'journal-busy', 'same-command'],
  ['a deadlock, time and again', '40P01', 'journal-unreachable', 'same-command'],
])('%s is told as what it is', (_what, code, name, retry) => {
  const failure = serverFailure(said(code), place);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ room: 'shared', code: name, fields: { place } });
  expect(retryOf((failure as Failure).code)).toBe(retry);
});

test.each([
  ['FATAL', 'server conn crashed?', { kind: 'unreachable' }],
  ['FATAL', 'transaction blocks not allowed in statement pooling mode', { kind: 'through-pooler' }],
  ['ERROR', 'bind message supplies 1 parameters', { code: '08P01' }],
])('%s of 08P01, %s, is told as what it is', (severity, message, told) => {
  const error = Object.assign(new Error(message), { code: '08P01', severity });
  expect(serverFailure(error, place)).toMatchObject(told);
  expect(isOfNetwork(error)).toBe('kind' in told && told.kind === 'unreachable');
});

test('a mistake in a statement is nobody else’s', () => {
  const mistake = said('42601');
  expect(serverFailure(mistake, place)).toBe(mistake);
});

test('whatever keeps a line from being made is a journal that cannot be reached', () => {
  expect(unreachable(said('ECONNRESET'), place)).toMatchObject({ code: 'journal-unreachable' });
  expect(unreachable(said('28P01'), place)).toMatchObject({ code: 'journal-denied' });
});

test.each([
  ['28P01', 'refused botctl: what it said', 'the password', undefined],
  ['3D000', 'refused botctl: what it said', 'have the server’s administrator create it first', undefined],
  [
    '42501',
    'The role bots has too few rights in the journal',
    'The owner of the journal’s tables must grant them',
    ['journal', 'grants', '--role=bots'],
  ],
])('%s is told with what helps against it', async (code, message, hint, suggested) => {
  const failure = await inWords(serverFailure(said(code), place));
  expect(failure.message).toContain(message);
  expect(failure.details.hint).toContain(hint);
  expect(failure.details.next).toEqual(suggested && [suggested]);
});

test.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])(
  'a certificate that is not accepted stays so: %s',
  (code) => {
    const failure = unreachable(said(code), place) as Failure;
    expect([failure.code, retryOf(failure.code)]).toEqual(['journal-unusable', 'after-fix']);
  },
);

test('a commit that the server undid under a whole line is told as a server that cannot be reached', () => {
  const undone = new ServerTroubleError({ is: 'commit-undone' });
  expect(connectionFailure({ isBroken: false } as PgConnection, place, undone)).toMatchObject({
    kind: 'unreachable',
    fields: { place, trouble: { is: 'commit-undone' } },
  });
});

test('a server without TLS does not get it by asking again', () => {
  const failure = unreachable(new Error('The server does not support SSL connections'), place) as Failure;
  expect([failure.code, retryOf(failure.code)]).toEqual(['journal-unusable', 'after-fix']);
});
