import { expect, test } from 'vitest';
import { Failure, retryOf } from '../../src/once/failures.ts';
import { Overtaken } from '../../src/once/journal/verbs.ts';
import type { PgConnection } from '../../src/postgres/connection.ts';
import { ServerTroubleError } from '../../src/postgres/failures.ts';
import {
  elsewhere,
  isComingBack,
  isDenied,
  isElsewhere,
  isHeldUp,
  isLastWord,
  isOfNetwork,
  isPassing,
  isUnawaited,
  needsTime,
  serverFailure,
  unreachable,
} from '../../src/postgres/serverErrors.ts';
import { connectionFailure } from '../../src/postgres/upkeep.ts';

const place = 'postgres://bots@db.example.com:5432/ledger';
const said = (code: string): Error => Object.assign(new Error('what it said'), { code });

/** Errors of a server by their codes, and those of a connection. */
const errors: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(
    [
      ...['08P01', '22P02', '23503', '23505', '25006', '25P02', '25P03', '25P04'],
      ...['28P01', '40001', '40P01', '42601', '53100', '53200', '53300', '55000', '55P03'],
      ...['57014', '57P01', '57P02', '57P03', '57P04', '57P05', '57P06', 'ZJ001'],
      ...[
        'ECONNREFUSED',
        'EPIPE',
        'ETIMEDOUT',
        'EHOSTUNREACH',
        'ENETDOWN',
        'ENOTFOUND',
        'EAI_AGAIN',
        'EACCES',
      ],
    ].map((code) => [code, said(code)]),
  ),
  silent: new ServerTroubleError({ is: 'silent' }),
  'out of reach': new ServerTroubleError({ is: 'out-of-reach' }),
  'connection terminated': new Error('Connection terminated unexpectedly'),
  'client closed': new Error('Client was closed and is not queryable'),
  'another process': Object.assign(new Error(`"${elsewhere}"`), { code: '22P02' }),
  'another process, it seems': Object.assign(new Error(elsewhere), { code: '42601' }),
  'statement pooling': Object.assign(new Error('not allowed in statement pooling mode'), {
    ...{ code: '08P01', severity: 'FATAL' },
  }),
  'pooler without a server': Object.assign(new Error('server conn crashed?'), {
    ...{ code: '08P01', severity: 'FATAL' },
  }),
  overtaken: new Overtaken(),
  'no code': new Error('something'),
  'no error': 'Connection terminated',
  nothing: undefined,
};

const offNetwork = [
  ...['ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['silent', 'out of reach', 'connection terminated', 'client closed', 'pooler without a server'],
];

test.each<[string, (error: unknown) => boolean, readonly string[]]>([
  [
    'may pass when the transaction is tried again',
    isPassing,
    [
      ...['23505', '25006', '25P02', '25P03', '25P04', '40001', '40P01', '53200', '53300', '55P03'],
      ...['57014', '57P01', '57P02', '57P03', '57P05', 'ZJ001', 'overtaken'],
    ],
  ],
  [
    'needs time',
    needsTime,
    [
      ...['25P04', '53100', '53200', '53300', '55P03', '57014', '57P01', '57P02', '57P03', '57P04', '57P05'],
      ...['57P06', ...offNetwork],
    ],
  ],
  ['held it up', isHeldUp, ['25P04', '55P03', 'silent']],
  [
    'is waited for when a connection is made',
    isComingBack,
    ['53300', '57P01', '57P02', '57P03', '57P05', 'silent'],
  ],
  ['is denied', isDenied, ['28P01']],
  ['came from another process', isElsewhere, ['another process', 'statement pooling']],
  ['is of the network', isOfNetwork, offNetwork],
  [
    'is the last of its session',
    isLastWord,
    ['25P03', '25P04', '57P01', '57P02', '57P03', '57P04', '57P05', 'pooler without a server'],
  ],
])('what %s', (_what, holds, wanted) => {
  const found = Object.keys(errors).filter((name) => holds(errors[name]));
  expect(found).toEqual(Object.keys(errors).filter((name) => wanted.includes(name)));
});

test.each<[string, unknown, object]>([
  ['its words', said('XX000'), { is: 'said', text: 'what it said' }],
  [
    'its code, without words',
    Object.assign(new Error(''), { code: 'ECONNRESET' }),
    { is: 'said', text: 'ECONNRESET' },
  ],
  ['nothing', new Error(''), { is: 'no-reason' }],
  ['a word that is no error', 'a word', { is: 'said', text: 'a word' }],
  [
    'the first of several',
    new AggregateError([said('A'), new Error('second')]),
    { is: 'said', text: 'what it said' },
  ],
  ['its kind', new ServerTroubleError({ is: 'silent' }), { is: 'silent' }],
])('a server that cannot be reached is told with %s', (_what, error, trouble) => {
  expect(unreachable(error, place)).toMatchObject({ kind: 'unreachable', fields: { trouble } });
});

test('only a warning of its own says that no standby was waited for', () => {
  expect(isUnawaited({ warnings: ['01000'] })).toBe(true);
  for (const warnings of [[], ['00000'], undefined]) expect(isUnawaited({ warnings } as object)).toBe(false);
});

test('a role that is refused is named as it is called', () => {
  const at = 'postgres://b%C3%B6t@db.example.com/ledger';
  expect(serverFailure(said('28000'), at)).toMatchObject({ fields: { denial: 'user', role: 'böt' } });
});

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
