import { describe, expect, it } from 'vitest';
import { type Evidence, judge, rowFor, type VerdictRow, verdictTable } from '../../src/engine/verdict.ts';
import type { Flight } from '../../src/wire/flight.ts';
import { readReply } from '../../src/wire/reading.ts';
import { type Kind, type Proof, proofOfLostReply, proofOfNoHeaders, proofOfStatus } from './design.ts';

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

function evidence(flight: Flight, { kind, tainted, named, first }: Before): Evidence {
  const reading = flight.came === 'reply' ? readReply(flight) : undefined;
  return { kind, flight, reading, tainted, firstHeardOfName: named && first };
}

function reply(status: number, body: unknown, ended: 'whole' | 'broken' | 'too-long' = 'whole'): Flight {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { came: 'reply', status, headers: {}, body: Buffer.from(text), ended };
}

function nothing(headersSent: boolean, upgraded?: true): Flight {
  return { came: 'nothing', headersSent, trouble: 'gone', ...(upgraded && { upgraded }) };
}

function proofFrom(judged: ReturnType<typeof judge>): Proof {
  return {
    verdict: judged.verdict,
    again: judged.next === 'try-again',
    ...(judged.duplicate && { duplicate: true }),
    ...(judged.unverified && { verified: false }),
    ...(judged.heldAtEnd && { heldWhenTriesEnd: true }),
  };
}

const hit = new Set<VerdictRow>();

function provenBy(flight: Flight, before: Before): Proof {
  const whole = evidence(flight, before);
  hit.add(rowFor(whole));
  return proofFrom(judge(whole));
}

const told = (before: Before): string =>
  `${before.kind}, ${before.tainted ? 'tainted' : 'untainted'}, ${before.named ? 'named' : 'unnamed'}, ${before.first ? 'first' : 'later'}`;

describe('what one attempt proves', () => {
  it.each(befores.map((before) => [told(before), before] as const))(
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

  it.each(befores.map((before) => [told(before), before] as const))(
    'is unknown only where the request headers went out, or where doubt was already: %s',
    (_told, before) => {
      expect(provenBy(nothing(false), before)).toEqual(proofOfNoHeaders(before.tainted));
      expect(provenBy(nothing(true), before)).toEqual(proofOfLostReply);
      for (const status of [200, 201, 303, 400, 401, 402, 404, 409, 429, 500]) {
        expect(provenBy(reply(status, '{"mess', 'broken'), before)).toEqual(proofOfLostReply);
      }
    },
  );

  it('is unknown and not asked again now where the service answered with another protocol', () => {
    for (const before of befores) {
      expect(provenBy(nothing(true, true), before)).toEqual({ verdict: 'unknown', again: false });
    }
  });

  it('is unknown for a success too long to read, and the plain refusal for a refusal too long to read', () => {
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
    ['message', { message: { id: 'm' }, error: '' }],
    ['message', { message: { id: 'm' }, error: false }],
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

  it.each(proofless)('of a %s is held for a 2xx that shows nothing done: %j', (kind, body) => {
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
    ['transfer', { transfer_id: 't', status: 'submitted', error: null }],
    ['transfer', { transfer_id: 't', status: 'some future status' }],
    ['transfer', { transfer_id: 't', status: 7 }],
  ];

  it.each(proved)('of a %s is accepted for a 2xx that shows it done: %j', (kind, body) => {
    for (const before of befores.filter((one) => one.kind === kind)) {
      expect(provenBy(reply(200, body), before)).toEqual({ verdict: 'accepted', again: false });
    }
  });

  const failed = ['failed', 'FAILED', 'rejected', 'cancelled', 'canceled', 'expired', 'error', 'declined'];

  it.each(failed)('of a transfer whose 2xx says "%s" is held, and of a message says nothing', (status) => {
    for (const before of befores) {
      const shown =
        before.kind === 'transfer' ? { transfer_id: 't', status } : { message: { id: 'm' }, status };
      const verdict = before.kind === 'transfer' ? 'held' : 'accepted';
      expect(provenBy(reply(200, shown), before)).toEqual({ verdict, again: false });
    }
  });

  const wordings = [
    'DNS, refused, connect timeout, TLS failure: headers never went out',
    'reset, timeout, abort, body broken off',
    'status says it failed',
    '2xx that shows a message, or a transfer id or signature',
    'any other whole 2xx',
    '303, 1xx as final',
    '401 403',
    '429',
    '408 425 5xx',
    '409 on a message, the first',
    'any other 409 on a message',
    '409 on a transfer',
    'other 3xx; 400 402 404 422 and other 4xx not named here',
  ];

  it('is told by the design’s rows, in its words and no others', () => {
    expect(verdictTable).toHaveLength(wordings.length);
    for (const [index, row] of verdictTable.entries()) expect(row.came).toContain(wordings[index]);
  });

  // Vitest runs a file's tests in order: this one looks back at all the others.
  it('has no row that nothing can reach', () => {
    expect(verdictTable.filter((row) => !hit.has(row)).map(({ came }) => came)).toEqual([]);
  });

  it('names a reason wherever it is held', () => {
    for (const row of verdictTable) {
      for (const judgement of [row.untainted, row.tainted]) {
        if (judgement.verdict === 'held' || judgement.heldAtEnd) expect(judgement.why).toBeDefined();
      }
    }
  });
});
