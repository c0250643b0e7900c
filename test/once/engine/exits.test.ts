import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { newOneNotice, replayNotice } from '../../../src/cli/say/explain.ts';
import { groupedExits } from '../../../src/cli/say/told.ts';
import { engineFailure } from '../../../src/once/engine/facts.ts';
import { whyMayDiffer } from '../../../src/once/engine/judgement.ts';
import { endingOf, type Outcome, type Stopped } from '../../../src/once/engine/outcome.ts';
import { type ExitRow, exitTable, failureExits } from '../../../src/once/failures.ts';
import { parseBaseUrl } from '../../../src/once/intent/baseUrl.ts';
import type { Attempt, Intent, State, Verdict } from '../../../src/once/journal/journal.ts';
import { commandTree } from '../../../src/tree.ts';
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

  test('is said once, in at most ten words', () => {
    expect(inWords).toHaveLength(exitTable.length);
    for (const { means } of inWords) expect(means.split(' ').length, means).toBeLessThanOrEqual(10);
  });

  test('of every failure is in that table, and no code but 0 is without a failure', () => {
    const used = new Set<number>(Object.values(failureExits));
    for (const { exit } of exitTable.slice(1)) expect(used.has(exit)).toBe(true);
  });

  test('is listed in the help of send and transfer wherever it can come', () => {
    for (const name of ['send', 'transfer']) {
      const spec = commandTree.find((one) => one.name === name);
      const exits = spec !== undefined && 'exits' in spec ? spec.exits : [];
      const always = [0, 1, 2, 3, 6, 7, 8, 9, 10, 130];
      expect(exits).toEqual(expect.arrayContaining(always));
    }
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

describe('what is said', () => {
  test('of every ending but done tells what happened and what to do next', async () => {
    const endings: Outcome[] = [
      ...refusals.map((status) => ended(intent('rejected'), attempt(status, 'rejected'))),
      ended(intent('unknown'), attempt(500, 'unknown')),
      ended(intent('unknown'), attempt(401, 'unknown')),
      ended(intent('open'), attempt(429, 'limited')),
      ended(intent('open'), attempt(undefined, 'unsent')),
      ended(intent('open'), undefined),
      { is: 'still-sending', intent: intent('sending') },
      ...(['other-bot', 'unfinished-twin', 'twin-still-sending', 'declined'] as const).map(
        (because): Outcome => ({ is: 'not-sent', because, intent: intent('unknown') }),
      ),
    ];
    for (const one of endings) {
      const { problem, exit } = await explained(one, nowMs);
      expect(problem?.message).toMatch(/\.$/u);
      expect(problem?.hint).toMatch(/\.$/u);
      expect(problem?.retry).toBe(exitRows.find(([code]) => code === exit)?.[3]);
    }
  });

  test('of unknown is that it may have happened, its ID, and that the same command resumes it', async () => {
    const { problem } = await explained(ended(intent('unknown'), attempt(500, 'unknown')), nowMs);
    expect(problem?.message).toMatch(/may have been made.*a1b2c3d4e5f6/u);
    expect(problem?.hint).toMatch(/Run the same command again.*always safe/u);
    expect(problem?.next).toEqual([['resume', 'a1b2c3d4e5f6']]);
    expect(problem).toMatchObject({ code: 'unknown', status: 500, retry: 'same-command' });
  });

  test.each([
    ['failed-status', 'says that it failed'],
    ['no-proof', 'nothing in its reply shows'],
    ['rejected-after-doubt', 'an earlier request may have been accepted'],
    ['conflict', 'already has this request'],
    ['conflict-in-flight', 'request is in progress'],
    ['key-age', 'so long ago'],
    ['clock', 'clock has gone back'],
    ['other-token', 'another token'],
  ])('of held is why (%s), and both decisions', async (why, words) => {
    const { problem } = await explained(
      ended(intent('held', 'transfer', { heldReason: why }), attempt(402, 'held')),
      nowMs,
    );
    expect(problem?.message).toContain(words);
    const lines = problem?.next?.map((one) => [one].flat().join(' '));
    expect(lines).toEqual([
      'history a1b2c3d4e5f6',
      'resolve a1b2c3d4e5f6 --happened --reason WHAT YOU SAW',
      'resolve a1b2c3d4e5f6 --did-not-happen --reason WHAT YOU SAW',
      'resume a1b2c3d4e5f6 --yes',
    ]);
  });

  test('of a limit that does not fit is when to come back', async () => {
    const stopped: Stopped = { because: 'would-wait-too-long', comeBackAtMs: nowMs + 90_000 };
    const { problem } = await explained(ended(intent('open'), attempt(429, 'limited'), stopped), nowMs);
    expect(problem?.hint).toMatch(/after 2027-01-15T08:01:30Z \(in 90 s\)/u);
  });

  test('of an interrupt between two tries is that it was one', async () => {
    const end = ended(intent('unknown'), attempt(503, 'unknown'), { because: 'interrupted' });
    expect((await explained(end, nowMs)).problem?.message).toMatch(
      /^Interrupted before the next try\. The transfer may have been made: status 503/u,
    );
  });

  test('of a named rejection names another machine only on a new journal, and not for 400 and 404', async () => {
    const named = intent('rejected', 'message', { namedBy: 'once', name: 'n' });
    const said = async (status: number, isNew: boolean) => {
      const end = ended(named, attempt(status, 'rejected'));
      return (await explained(isNew ? { ...end, isNewJournal: true } : end, nowMs)).problem?.message;
    };
    expect(await said(402, true)).toMatch(
      /This request sent no message. The journal is new, so another machine may have sent the message under this name\.$/u,
    );
    for (const status of [400, 404, 422])
      expect(await said(status, true)).toMatch(/This request sent no message\.$/u);
    expect(await said(402, false)).toMatch(/This request sent no message\.$/u);
  });

  test('of accepted keeps quiet, but for a status unknown or no text, and a signature that is none', async () => {
    const said = async (reply: unknown) =>
      (
        await explained(
          ended(intent('accepted'), attempt(200, 'accepted', { reply: Buffer.from(JSON.stringify(reply)) })),
          nowMs,
        )
      ).warnings;
    const signature = base58.encode(new Uint8Array(64).fill(7));
    expect(await said({ transfer_id: 't', status: 'confirmed', signature })).toEqual([]);
    expect(await said({ transfer_id: 't', status: 'submitted', signature })).toEqual([]);
    expect((await said({ transfer_id: 't', status: 'queued', signature })).join()).toContain('queued');
    expect((await said({ transfer_id: 't', status: 7, signature })).join()).toMatch(/not text: 7/u);
    expect((await said({ transfer_id: 't', status: null, signature })).join()).toMatch(/no status/u);
    expect((await said({ transfer_id: 't', status: 'confirmed' })).join()).toMatch(/no signature/u);
    for (const none of [signature.slice(1), `${signature}1`, signature.replace('3', '0'), 'pending']) {
      expect(await said({ transfer_id: 't', status: 'confirmed', signature: none })).toEqual([
        expect.stringContaining('64 bytes in base58'),
      ]);
    }
  });

  test('of what only a name fixes is a note where the service knew the key or tells another text, else nothing', () => {
    const heard = (more: Partial<Attempt>, reply: unknown = {}) =>
      whyMayDiffer(
        intent('accepted', 'message', {
          body: Buffer.from('{"conversation_id":"c","content":"Hi","idempotency_key":"k"}'),
        }),
        attempt(200, 'accepted', { reply: Buffer.from(JSON.stringify(reply)), ...more }),
      );
    expect(heard({ verified: false, duplicate: true })).toBe('known-key');
    expect(heard({ verified: false }, { message: { content: 'Bye' } })).toBe('other-echo');
    expect(heard({ verified: false }, { message: { id: 'm' } })).toBeUndefined();
    expect(heard({ verified: true, duplicate: true })).toBeUndefined();
    const unverified = attempt(409, 'held', { verified: false, duplicate: true });
    expect(whyMayDiffer(intent('held', 'message'), unverified)).toBeUndefined();
    expect(whyMayDiffer(intent('accepted', 'message'), undefined)).toBeUndefined();
  });

  test('of a replay is when it was done and how to do it anew; of anything not done, never that it was', () => {
    const done = {
      ...ended(intent('accepted'), attempt(200, 'accepted')),
      replayed: 'from-journal' as const,
    };
    expect(replayNotice(done)).toMatch(/this transfer was already accepted at 2027-01-15T08:00:00Z.*--once/u);
    for (const state of ['rejected', 'unknown', 'held', 'open'] as const) {
      const undone = { ...ended(intent(state), attempt(400, 'rejected')), replayed: 'from-journal' as const };
      expect(replayNotice(undone) ?? '').not.toMatch(/it was done/u);
    }
    const confirmed = intent('resolved', 'transfer', { resolvedAs: 'happened' });
    expect(replayNotice({ ...done, intent: confirmed })).toMatch(
      /it was decided at .* that this transfer happened/u,
    );
    const denied = intent('resolved', 'transfer', { resolvedAs: 'did-not-happen' });
    expect(replayNotice({ ...done, intent: denied }) ?? '').not.toMatch(/it was done/u);
  });

  test('of a new intent like an old one is what became of the old one', () => {
    expect(newOneNotice(intent('accepted'))).toMatch(
      /last accepted at 2027-01-15T08:00:00Z.*This is a new one/u,
    );
    expect(newOneNotice(intent('resolved', 'transfer', { resolvedAs: 'happened' }))).toMatch(
      /It was decided at .* that the same transfer happened .*This is a new one/u,
    );
    expect(newOneNotice(intent('held', 'message'))).toMatch(/never settled.*may have happened/u);
  });
});
