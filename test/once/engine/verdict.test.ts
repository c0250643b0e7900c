import { describe, expect, test } from 'vitest';
import {
  type Evidence,
  judge,
  rowFor,
  type VerdictRow,
  verdictTable,
} from '../../../src/once/engine/verdict.ts';
import { type Flight, readReply } from '../../../src/once/wire/flight.ts';
import {
  conflicts,
  failures,
  type Kind,
  noFailures,
  type Proof,
  proofOfLostReply,
  proofOfNeither,
  proofOfNoHeaders,
  proofOfStatus,
} from './design.ts';

const kinds: readonly Kind[] = ['message', 'transfer'];
const proving: Record<Kind, unknown> = {
  message: { message: { id: 'm1' }, request_id: 'r' },
  transfer: { transfer_id: 't1', status: 'submitted', signature: 's' },
};

type Before = { kind: Kind; tainted: boolean; named: boolean; first: boolean };

/** Everything that may be known before an attempt's end; a first attempt has nothing to be tainted by. */
const befores: readonly Before[] = kinds.flatMap((kind) =>
  [
    [false, true],
    [false, false],
    [true, false],
  ].flatMap(([tainted = false, first = false]) =>
    [true, false].map((named) => ({ kind, tainted, named, first })),
  ),
);

type More = Partial<Pick<Evidence, 'echo' | 'isSomeoneElses'>>;

function evidence(flight: Flight, { kind, tainted, named, first }: Before, more: More = {}): Evidence {
  const parsed = flight.came === 'reply' ? readReply(flight) : undefined;
  const firstHeardOfName = named && first;
  return { kind, flight, parsed, tainted, firstHeardOfName, echo: 'silent', isSomeoneElses: false, ...more };
}

function reply(status: number, body: unknown, ended: 'whole' | 'broken' | 'too-long' = 'whole'): Flight {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { came: 'reply', status, headers: {}, body: Buffer.from(text), ended };
}

function nothing(headersSent: boolean, upgraded?: true): Flight {
  return { came: 'nothing', headersSent, trouble: { is: 'no-answer' }, ...(upgraded && { upgraded }) };
}

function proofFrom(judged: ReturnType<typeof judge>): Proof {
  return {
    verdict: judged.verdict,
    again: judged.next === 'try-again',
    ...(judged.duplicate && { duplicate: true }),
    ...(judged.heldAtEnd && { heldWhenTriesEnd: true }),
  };
}

const heldNow: Proof = { verdict: 'held', again: false };

const hit = new Set<VerdictRow>();

function provenBy(flight: Flight, before: Before, more: More = {}): Proof {
  const whole = evidence(flight, before, more);
  hit.add(rowFor(whole));
  return proofFrom(judge(whole));
}

const told = (before: Before): string =>
  `${before.kind}, ${before.tainted ? 'tainted' : 'untainted'}, ${before.named ? 'named' : 'unnamed'}, ${before.first ? 'first' : 'later'}`;

describe('what one attempt proves', () => {
  test.each(befores.map((before) => [told(before), before] as const))(
    'is what the design says for every status from 100 to 599: %s',
    (_told, before) => {
      for (let status = 100; status <= 599; status += 1) {
        const flight = reply(status, proving[before.kind]);
        expect({ status, ...provenBy(flight, before) }).toEqual({
          status,
          ...proofOfStatus(status, before.kind, before),
        });
      }
    },
  );

  test.each(befores.map((before) => [told(before), before] as const))(
    'is unknown only where the request headers went out, or where doubt was already: %s',
    (_told, before) => {
      expect(provenBy(nothing(false), before)).toEqual(proofOfNoHeaders(before.tainted));
      expect(provenBy(nothing(true), before)).toEqual(proofOfLostReply);
      for (const status of [200, 201, 303, 400, 401, 402, 404, 409, 429, 500]) {
        expect(provenBy(reply(status, '{"mess', 'broken'), before)).toEqual(proofOfLostReply);
      }
    },
  );

  test('is unknown and not asked again now where the service answered with another protocol', () => {
    for (const before of befores) {
      expect(provenBy(nothing(true, true), before)).toEqual({ verdict: 'unknown', again: false });
    }
  });

  test('is unknown for a success too long to read, and the plain refusal for a refusal too long to read', () => {
    for (const before of befores) {
      expect(provenBy(reply(200, 'x', 'too-long'), before)).toEqual(proofOfLostReply);
      expect(provenBy(reply(400, 'x', 'too-long'), before)).toEqual(proofOfStatus(400, before.kind, before));
      expect(provenBy(reply(401, 'x', 'too-long'), before)).toEqual(proofOfStatus(401, before.kind, before));
    }
  });

  const proofless: readonly [Kind, unknown][] = [
    ['message', ''],
    ['message', 'OK'],
    ['message', '[]'],
    ['message', 'null'],
    ['message', '"message"'],
    ['message', {}],
    ['message', { message: null }],
    ['message', { message: 'sent' }],
    ['message', { message: [] }],
    ['message', { message: { id: 'm' }, error: { code: 'x' } }],
    ['message', { message: { id: 'm' }, error: 1 }],
    ['message', { message: { id: 'm' }, error: ['x'] }],
    ['message', '{"__proto__":{"message":{"id":"m"}}}'],
    ['message', '<html></html>'],
    ['transfer', {}],
    ['transfer', { transfer_id: '' }],
    ['transfer', { transfer_id: 7 }],
    ['transfer', { signature: '', transfer_id: null }],
    ['transfer', { status: 'confirmed' }],
    ['transfer', { transfer_id: 't', error: 'nope' }],
    ['transfer', '{"transfer_id":"t"} trailing'],
    ['transfer', '{"__proto__":{"transfer_id":"t"}}'],
  ];

  test.each(proofless)('of a %s is held for a 2xx that shows nothing done: %j', (kind, body) => {
    for (const before of befores.filter((one) => one.kind === kind)) {
      for (const status of [200, 201, 202, 204, 299]) {
        expect(provenBy(reply(status, body), before)).toEqual({ verdict: 'held', again: false });
      }
    }
  });

  const proved: readonly [Kind, unknown][] = [
    ['message', { message: {} }],
    ['message', { message: { id: 7 }, error: null }],
    ['transfer', { transfer_id: 't' }],
    ['transfer', { signature: 's' }],
    ...['', false, 0, {}, []].flatMap((error): [Kind, unknown][] => [
      ['message', { message: { id: 'm' }, error, errors: error, success: true, ok: 1 }],
      ['transfer', { transfer_id: 't', error, errors: error, success: 'true', status: null, code: 500 }],
    ]),
    ['message', { message: { id: 'm' }, status: 'failed', code: 'ERROR' }],
    ['message', { message: { id: 'm', success: false } }],
    ['transfer', { transfer_id: 't', status: 'submitted', error: null }],
    ['transfer', { transfer_id: 't', status: 'some future status' }],
    ['transfer', { transfer_id: 't', status: 7 }],
    ['transfer', { transfer_id: 't', status: null, transfer: null }],
    ['transfer', { transfer_id: 't', transfer: { status: null, code: 500 } }],
    ['transfer', { transfer_id: 't', transfer: 'failed' }],
    ['message', { message: { id: 'm', status: 'failed' }, transfer: { status: 'failed' } }],
  ];

  test.each(proved)('of a %s is accepted for a 2xx that shows it done: %j', (kind, body) => {
    for (const before of befores.filter((one) => one.kind === kind)) {
      expect(provenBy(reply(200, body), before)).toEqual({ verdict: 'accepted', again: false });
    }
  });

  test.each(failures)('of a transfer whose 2xx says "%s" is held', (word) => {
    for (const before of befores.filter(({ kind }) => kind === 'transfer')) {
      const says = [{ status: word }, { code: word }, { status: 'confirmed', code: word }];
      for (const shown of [...says, ...says.map((transfer) => ({ status: 'submitted', transfer }))]) {
        expect(provenBy(reply(200, { transfer_id: 't', ...shown }), before)).toEqual(heldNow);
      }
    }
  });

  test.each(noFailures)('of a transfer whose 2xx says "%s" is accepted', (word) => {
    for (const before of befores.filter(({ kind }) => kind === 'transfer')) {
      const shown = { transfer_id: 't', status: word, code: word, transfer: { status: word, code: word } };
      expect(provenBy(reply(200, shown), before)).toEqual({ verdict: 'accepted', again: false });
    }
  });

  const noWords: readonly unknown[] = [{}, { state: 'confirmed' }, [], ['confirmed'], false, 400, 402.5, 500];

  test.each(noWords)('of a transfer whose 2xx has the status %j is held', (status) => {
    for (const before of befores.filter(({ kind }) => kind === 'transfer')) {
      expect(provenBy(reply(200, { signature: 's', status }), before)).toEqual(heldNow);
      expect(provenBy(reply(200, { signature: 's', transfer: { status } }), before)).toEqual(heldNow);
    }
  });

  const noes: readonly Record<string, unknown>[] = [
    ...[false, 0, 'false', 'False'].flatMap((no) => [{ success: no }, { ok: no }]),
    ...[['x'], [null], { a: 1 }, 'x'].map((errors) => ({ errors })),
  ];

  test.each(noes)('is held for a 2xx that names what was done and says %j', (no) => {
    for (const before of befores) {
      const shown = before.kind === 'transfer' ? { transfer_id: 't' } : { message: { id: 'm' } };
      expect(provenBy(reply(200, { ...shown, ...no }), before)).toEqual(heldNow);
    }
  });

  test.each(conflicts)('of a 409 that says %j is what the design says', (body, saysWhy) => {
    for (const before of befores) {
      const proof = proofOfStatus(409, before.kind, before, saysWhy);
      expect(provenBy(reply(409, body), before)).toEqual(proof);
    }
  });

  test('is neither where a 2xx names what another intent has: tried again, and held when tries end', () => {
    for (const before of befores) {
      const flight = reply(200, proving[before.kind]);
      expect(provenBy(flight, before, { isSomeoneElses: true })).toEqual(proofOfNeither);
      // It says nothing of this payment then, not even that it is another one.
      expect(provenBy(flight, before, { isSomeoneElses: true, echo: 'other' })).toEqual(proofOfNeither);
    }
  });

  test('is held where a 2xx of a transfer names another payment, and accepted where a message is told otherwise', () => {
    for (const before of befores) {
      const proof = provenBy(reply(200, proving[before.kind]), before, { echo: 'other' });
      expect(proof).toEqual(before.kind === 'transfer' ? heldNow : { verdict: 'accepted', again: false });
    }
  });

  test('is told by the design’s rows, in their order and no others', () => {
    expect(verdictTable.map(({ came }) => came)).toEqual([
      'headers-unsent',
      'broken-off',
      'says-failed',
      'someone-elses',
      'other-payment',
      'proof',
      'no-proof',
      'no-final-answer',
      'not-permitted',
      'limited',
      'try-later',
      'other-conflict',
      'first-conflict',
      'conflict',
      'conflict-on-transfer',
      'unclear-status',
      'refused',
    ]);
  });

  // Vitest runs a file's tests in order: this one looks back at all the others.
  test('has no row that nothing can reach', () => {
    expect(verdictTable.filter((row) => !hit.has(row)).map(({ came }) => came)).toEqual([]);
  });

  test('names a reason wherever it is held', () => {
    for (const row of verdictTable) {
      for (const judgement of [row.untainted, row.tainted]) {
        if (judgement.verdict === 'held' || judgement.heldAtEnd) expect(judgement.heldReason).toBeDefined();
      }
    }
  });
});
