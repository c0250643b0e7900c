import { describe, expect, test } from 'vitest';
import { groupedExits } from '../../../src/cli/say/told.ts';
import { engineFailure } from '../../../src/once/engine/facts.ts';
import { endingOf, type Outcome, type Stopped } from '../../../src/once/engine/outcome.ts';
import { type ExitRow, exitTable, failureExits } from '../../../src/once/failures.ts';
import { parseBaseUrl } from '../../../src/once/intent/baseUrl.ts';
import type { Attempt, Intent, State, Verdict } from '../../../src/once/journal/journal.ts';
import { explained } from '../../../testing/explained.ts';
import { exitOf, exitRows, type Kind } from './design.ts';

const nowMs = 1_800_000_000_000;

function intent(state: State, kind: Kind = 'transfer', more: Partial<Intent> = {}): Intent {
  return {
    id: 'a1b2c3d4e5f6',
    kind,
    baseUrl: parseBaseUrl('https://bots.example'),
    spelledUrl: parseBaseUrl('https://bots.example'),
    bot: 'tips',
    namedBy: undefined,
    name: undefined,
    rowId: undefined,
    key: 'the-key',
    identity: 'i',
    fingerprint: 'f',
    payment: undefined,
    body: new Uint8Array(),
    state,
    tainted: state === 'unknown' || state === 'held',
    mayHaveLandedAtMs: undefined,
    tokenHash: undefined,
    owner: undefined,
    ownerLives: false,
    heldReason: undefined,
    resolvedAs: undefined,
    attempts: 1,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    reportedAtMs: undefined,
    ...more,
  };
}

function attempt(status: number | undefined, verdict: Verdict, more: Partial<Attempt> = {}): Attempt {
  return {
    number: 1,
    startedAtMs: nowMs,
    endedAtMs: nowMs,
    phase: status === undefined ? 'not-sent' : 'replied',
    verdict,
    status,
    requestId: undefined,
    trouble: status === undefined ? { is: 'no-answer' } : undefined,
    retryAfterMs: undefined,
    duplicate: false,
    verified: true,
    reply: status === undefined ? undefined : Buffer.from('{"error":{"code":"c","message":"why"}}'),
    headers: {},
    ...more,
  };
}

type Concluded = Outcome & { is: 'concluded' };

function ended(of: Intent, last: Attempt | undefined, stopped?: Stopped): Concluded {
  return {
    is: 'concluded',
    intent: of,
    attempt: last,
    replayed: false,
    ...(stopped && { stopped }),
  };
}

const otherBody: Outcome = {
  is: 'not-sent',
  because: 'other-body',
  intent: intent('unknown'),
  wanted: { kind: 'transfer', request: { to_address: 'a', asset: 'SOL', amount: '1' }, warnings: [] },
};

const refusals = [400, 401, 402, 403, 404, 405, 410, 413, 415, 418, 422, 451, 499, 300, 301, 302, 307, 308];

const inWords = groupedExits.flatMap(({ rows }) => rows);

describe('the exit code', () => {
  test('table is the design’s, code by code', () => {
    expect(exitTable.map(({ exit }) => exit)).toEqual(exitRows.map(([exit]) => exit));
    for (const [index, [exit, group, means, retry]] of exitRows.entries()) {
      const row: ExitRow | undefined = exitTable[index];
      expect(row).toEqual({ exit, group, ...(retry && { retry }) });
      expect(inWords.find((one) => one.exit === exit)?.means).toMatch(means);
    }
  });

  test('of every failure is in that table, and no code but 0 is without a failure', () => {
    const used = new Set<number>(Object.values(failureExits));
    for (const { exit } of exitTable.slice(1)) expect(used.has(exit)).toBe(true);
  });

  test.each(['message', 'transfer'] as const)('of a rejected %s follows its status', async (kind) => {
    for (const status of refusals) {
      const { exit } = await explained(ended(intent('rejected', kind), attempt(status, 'rejected')), nowMs);
      expect({ status, exit }).toEqual({ status, exit: exitOf({ state: 'rejected', status }) });
    }
  });

  test.each(['unknown', 'held', 'sending'] as const)(
    'of %s is decided by the state, whatever came last',
    async (state) => {
      const lasts = [
        ...refusals.map((status) => attempt(status, 'unknown')),
        attempt(429, 'limited'),
        attempt(500, 'unknown'),
        attempt(undefined, 'unsent'),
        undefined,
      ];
      const stops: (Stopped | undefined)[] = [
        undefined,
        { because: 'interrupted' },
        { because: 'no-tries-left' },
        { because: 'would-wait-too-long', comeBackAtMs: nowMs + 60_000 },
        { because: 'nothing-to-gain' },
      ];
      for (const last of lasts) {
        for (const stopped of stops) {
          expect((await explained(ended(intent(state), last, stopped), nowMs)).exit).toBe(exitOf({ state }));
        }
      }
    },
  );

  test('of open is 7 when limited, 8 when unreachable and 130 when interrupted', async () => {
    const open = intent('open');
    expect((await explained(ended(open, attempt(429, 'limited')), nowMs)).exit).toBe(7);
    expect((await explained(ended(open, attempt(undefined, 'unsent')), nowMs)).exit).toBe(8);
    for (const last of [attempt(429, 'limited'), attempt(undefined, 'unsent'), undefined]) {
      expect((await explained(ended(open, last, { because: 'interrupted' }), nowMs)).exit).toBe(130);
    }
  });

  test.each([
    [300, 'redirected'],
    [399, 'redirected'],
    [400, 'invalid-request'],
    [401, 'token-rejected'],
    [402, 'insufficient-balance'],
    [403, 'not-permitted'],
    [404, 'not-found'],
    [405, 'rejected'],
    [422, 'invalid-request'],
    [undefined, 'rejected'],
  ] as const)('of a rejection is that of its failure: %s is %s', (status, code) => {
    expect(endingOf(ended(intent('rejected'), attempt(status, 'rejected'))).code).toBe(code);
  });

  test('is told with what the reply complains of, unless it was accepted', () => {
    const [last, complaint] = [attempt(400, 'rejected'), { code: 'c', message: 'why' }];
    const gone = { is: 'not-recorded', intent: intent('sending'), attempt: last, cause: undefined } as const;
    for (const outcome of [ended(intent('rejected'), last), gone])
      expect(endingOf(outcome).complaint).toMatchObject(complaint);
    const fine = attempt(200, 'accepted');
    for (const outcome of [ended(intent('accepted', 'message'), fine), ended(intent('accepted'), undefined)])
      expect(endingOf(outcome)).toMatchObject({ complaint: undefined, oddities: [] });
  });

  test.each([
    ['once', true],
    ['run', false],
    [undefined, false],
  ] as const)('needs another name where the name (%s) was used for another payment', (namedBy, needs) => {
    const other = intent('held', 'transfer', { heldReason: 'other-payment', namedBy, name: namedBy && 'n' });
    expect(endingOf(ended(other, undefined)).needsOtherName).toBe(needs);
    const twin = { is: 'not-sent', because: 'unfinished-twin', intent: other } as const;
    expect(endingOf(twin).needsOtherName).toBe(false);
  });

  test('of what a person declined is 10', async () => {
    const declined = intent('resolved', 'transfer', { resolvedAs: 'declined' });
    const word = { kind: 'declined', who: 'me', atMs: nowMs, reason: 'no', signature: undefined } as const;
    expect(await explained({ ...ended(declined, undefined), declined: word }, nowMs)).toMatchObject({
      exit: 10,
    });
  });

  test.each([
    [1, ['intent-missing', 'request-changed', 'intent-changed']],
    [2, ['unnamed-on-shared', 'not-a-proposal', 'being-sent', 'proven']],
    [10, ['own-proposal', 'is-proposal', 'proposal-declined']],
  ] as const)('of what is refused before anything is sent is %i: %s', (exit, kinds) => {
    const exits = kinds.map((kind) => failureExits[engineFailure(kind, {} as never).code]);
    expect(exits).toEqual(kinds.map(() => exit));
  });

  test('of done is 0', async () => {
    expect((await explained(ended(intent('accepted'), attempt(200, 'accepted')), nowMs)).exit).toBe(0);
    expect(
      (await explained(ended(intent('resolved', 'transfer', { resolvedAs: 'happened' }), undefined), nowMs))
        .exit,
    ).toBe(0);
  });

  test('of what an operator found undone is not 0', async () => {
    const undone = intent('resolved', 'transfer', { resolvedAs: 'did-not-happen' });
    const { exit, problem } = await explained(
      { ...ended(undone, undefined), replayed: 'from-journal' },
      nowMs,
    );
    expect(exit).toBe(2);
    expect(problem?.message).toMatch(/did not happen/u);
  });

  test('of what is refused is 6 for a name, 10 for a twin and 130 for a No', async () => {
    const url = parseBaseUrl('https://bots.example/bots');
    const refused = async (
      because: Exclude<
        (Outcome & { is: 'not-sent' })['because'],
        'policy' | 'declined' | 'paid-already' | 'other-body'
      >,
    ) => (await explained({ is: 'not-sent', because, intent: intent('unknown'), url }, nowMs)).exit;
    expect(await refused('other-bot')).toBe(6);
    expect((await explained(otherBody, nowMs)).exit).toBe(6);
    expect(await refused('other-url')).toBe(6);
    expect(await refused('unknown-at-other-url')).toBe(9);
    expect(await refused('held-at-other-url')).toBe(10);
    expect(await refused('unfinished-twin')).toBe(10);
    expect(await refused('twin-still-sending')).toBe(10);
    expect(await refused('interrupted')).toBe(130);
    expect((await explained({ is: 'not-sent', because: 'declined' }, nowMs)).exit).toBe(130);
  });

  test('is 9 while another process sends, and for a reply that could not be recorded', async () => {
    expect((await explained({ is: 'still-sending', intent: intent('sending') }, nowMs)).exit).toBe(9);
    const lost: Outcome = {
      is: 'not-recorded',
      intent: intent('sending'),
      attempt: attempt(200, 'accepted'),
      cause: new Error('disk full'),
    };
    expect((await explained(lost, nowMs)).exit).toBe(9);
  });
});
