import { describe, expect, test } from 'vitest';
import { type Look, settle } from '../../../src/once/chain/settle.ts';
import type { ChainView } from '../../../src/once/chain/standing.ts';
import { type Chain, type Verified, watch } from '../../../src/once/chain/verify.ts';
import type { Guards, Journal, Transaction } from '../../../src/once/journal/journal.ts';
import { receiptGuards } from '../../../src/once/journal/rows.ts';
import { HeldClock } from '../../../testing/heldClock.ts';
import {
  baseUrl,
  done,
  endWith,
  type JournalInHand,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../../testing/journals.ts';
import { genesis, type Said, type Says, ScriptedNode } from './scriptedNode.ts';
import { ada, asked, key, type Made, pay, read, signature, wallet, written } from './transactions.ts';

const sol = 1_000_000_000n;
const made: Made = { calls: [pay(wallet, ada, sol)], lamports: { [wallet]: -sol, [ada]: sol } };

/** In doubt, by a reply of its own that named the signature. */
async function inDoubt(journal: JournalInHand, reply: object, more: object = {}): Promise<string> {
  const { id } = await journal.begin(newIntent({ kind: 'transfer', payment: 'p', ...more }), 'hash', nowMs);
  const body = Buffer.from(JSON.stringify({ signature, ...reply }));
  await journal.endAttempt(id, 1, endWith('unknown', { reply: body, status: 200 }), nowMs);
  await journal.conclude(id, 'unknown', undefined, nowMs);
  return id;
}

function look(
  change: { blockTimeS?: number; commitment?: 'confirmed' | 'finalized'; wallet?: string | undefined } = {},
): Look {
  const { blockTimeS = nowMs / 1000, commitment = 'finalized' } = change;
  const transaction = { ...read(made), blockTimeS };
  return {
    ...{ signature, payment: asked('wallet' in change ? { wallet: change.wallet } : {}), host: 'node' },
    cluster: { genesis, name: 'test' },
    sighting: { saw: 'transaction', commitment, transaction },
  };
}

async function ended(
  journal: JournalInHand,
  id: string,
  at: Look,
  decides: Parameters<typeof settle>[3] = ({ slot }) => `seen in slot ${slot}`,
): Promise<string> {
  const { verdict } = await settle(at, id, journal, decides);
  const { state, resolvedAs } = (await journal.get(id)) ?? {};
  return [verdict, state, resolvedAs].filter(Boolean).join(' ');
}

const hourS = 3600;

describe('what nobody knew', () => {
  test('has happened where it is proven', async () => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    expect(await ended(journal, id, look())).toBe('proven resolved happened');
    const { slot } = read(made);
    expect(await journal.decisionsOf(id)).toMatchObject([
      { who: 'chain', kind: 'happened', signature, reason: `seen in slot ${slot}` },
    ]);
  });

  test.each([
    ['it is not final yet', look({ commitment: 'confirmed' }), 'likely unknown', 0],
    ['nobody knows whose money it was', look({ wallet: undefined }), 'likely unknown', 1],
    ['it came from another wallet', look({ wallet: key(70) }), 'undecided unknown', 0],
    ['it is of another time', look({ blockTimeS: nowMs / 1000 - 3 * hourS }), 'undecided unknown', 0],
  ] as const)('is not decided where %s', async (_why, at, expected, claims) => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    expect(await ended(journal, id, at)).toBe(expected);
    expect(await journal.decisionsOf(id)).toEqual([]);
    expect(await journal.receiptsOf(id)).toHaveLength(claims);
  });

  test('is kept once, however often it is seen', async () => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    const missed: Look = { ...look(), sighting: { saw: 'nothing', because: 'not-seen' } };
    for (const at of [missed, missed, look({ commitment: 'confirmed' }), missed, missed])
      await settle(at, id, journal, 'nothing');
    const kept = await journal.observationsOf(id);
    expect(kept.map(({ verdict }) => verdict)).toEqual(['undecided', 'likely', 'undecided']);
  });

  test.each([
    ['held', 'proven resolved happened'],
    ['accepted', 'proven accepted'],
    ['rejected', 'proven rejected'],
  ] as const)('of one that is %s ends so: %s', async (state, expected) => {
    const journal = opened();
    const id = await done(journal, state, { kind: 'transfer', payment: 'p' });
    expect(await ended(journal, id, look())).toBe(expected);
    expect(await journal.decisionsOf(id)).toHaveLength(state === 'held' ? 1 : 0);
  });

  test('has happened where its sender died in the middle', async () => {
    const path = newPath();
    const dead = opened(path);
    const { id } = await dead.begin(newIntent({ kind: 'transfer', payment: 'p' }), 'hash', nowMs);
    await dead.close();
    expect(await ended(opened(path), id, look())).toBe('proven resolved happened');
  });

  test('is judged by the first attempt, not by when it was proposed', async () => {
    const journal = opened();
    const intent = newIntent({ kind: 'transfer', payment: 'p' });
    await journal.propose(intent, 'approval', nowMs - 5 * hourS * 1000);
    await journal.commit(async (tx) => {
      await tx.claim(intent.id, nowMs);
      await tx.startAttempt(intent.id, 'hash', nowMs);
    });
    expect(await ended(journal, intent.id, look({ blockTimeS: nowMs / 1000 - 4 * hourS }))).toMatch(
      /^undecided/u,
    );
  });

  test('is written step by step before its commit ends, and keeps all others off what it reads', async () => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    let [open, most, written] = [0, 0, 0];
    const guarded: (Guards | undefined)[] = [];
    const late = (tx: Transaction): Transaction =>
      new Proxy(tx, {
        get:
          (target, name: keyof Transaction) =>
          async (...given: unknown[]) => {
            open += 1;
            most = Math.max(most, open);
            written += 1;
            for (let turns = 0; turns < 20; turns += 1) await undefined;
            const came = await (target[name] as (...all: unknown[]) => unknown)(...given);
            open -= 1;
            return came;
          },
      });
    const commit: Journal['commit'] = (work, guards) => {
      guarded.push(guards);
      return journal.commit(async (tx) => {
        const came = await work(late(tx));
        expect(open).toBe(0);
        return came;
      }, guards);
    };
    expect(await ended({ ...journal, commit }, id, look())).toBe('proven resolved happened');
    expect(written).toBeGreaterThan(5);
    expect(most).toBe(1);
    expect(guarded).toEqual([
      receiptGuards([
        { origin: genesis, what: 'instruction', value: `${signature}/0` },
        { origin: baseUrl, what: 'signature', value: signature },
        { origin: genesis, what: 'signature', value: signature },
      ]),
    ]);
  });

  test.each([
    { status: 'failed' },
    { success: false },
    { transfer: { ok: false } },
    { error: { code: 'INSUFFICIENT_BALANCE' } },
    { error: 'no' },
  ])('is not decided where its own reply said that it failed: %o', async (reply) => {
    const journal = opened();
    const id = await inDoubt(journal, reply);
    expect(await ended(journal, id, look())).toBe('proven unknown');
    expect(await journal.decisionsOf(id)).toEqual([]);
  });

  test('is not decided where a person is about to', async () => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    expect(await ended(journal, id, look(), 'nothing')).toBe('proven unknown');
  });
});

describe('one payment', () => {
  const given = { origin: baseUrl, what: 'signature', value: signature } as const;
  const lookTwice = (): Look => {
    const transaction = read({
      calls: [pay(wallet, ada, sol), pay(wallet, ada, sol)],
      lamports: { [wallet]: -2n * sol, [ada]: 2n * sol },
    });
    return {
      ...look(),
      sighting: {
        ...look().sighting,
        transaction: { ...transaction, blockTimeS: nowMs / 1000 },
      } as Look['sighting'],
    };
  };

  test('is the first intent’s that saw it, and no other’s', async () => {
    const journal = opened();
    const [first, second, third] = [
      await inDoubt(journal, {}),
      await inDoubt(journal, {}),
      await inDoubt(journal, {}),
    ];
    expect(await ended(journal, first, lookTwice())).toBe('proven resolved happened');
    expect(await ended(journal, second, lookTwice())).toBe('proven resolved happened');
    expect(await ended(journal, third, lookTwice())).toBe('contradicted unknown');
    expect(await ended(journal, first, lookTwice())).toBe('proven resolved happened');
  });

  test.each([
    ['is left to the intent whose reply named it', 'p', 'contradicted unknown'],
    ['is not left to an intent that paid another', 'q', 'proven resolved happened'],
  ])('%s', async (_what, payment, expected) => {
    const journal = opened();
    const owed = await inDoubt(journal, {}, { payment });
    await journal.keepReceipts(owed, [given]);
    expect(await ended(journal, await inDoubt(journal, {}), look())).toBe(expected);
  });

  test('is free beside the one that the named intent has', async () => {
    const journal = opened();
    const owed = await inDoubt(journal, {});
    await journal.keepReceipts(owed, [given]);
    const other = await inDoubt(journal, {});
    for (const id of [other, owed, other])
      expect(await ended(journal, id, lookTwice())).toBe('proven resolved happened');
  });
});

describe('a wait', () => {
  const seen = (confirmationStatus: string): Said => ({
    result: { value: [{ slot: 100, err: null, confirmationStatus }] },
  });
  const nothing: Said = { result: { value: [null] } };
  const paidBy = (of: Made): Said => {
    const transaction = { ...JSON.parse(written(of)), blockTime: nowMs / 1000 };
    return { result: transaction };
  };

  /** How it ends, after which pauses, and what was told meanwhile. */
  async function waited(
    statuses: readonly Said[],
    { until = 'finalized', waitMs = 60_000, says = {} as Says, cut = new AbortController() } = {},
    paymentOf: Chain['paymentOf'] = () => asked(),
  ) {
    const journal = opened();
    const id = await inDoubt(journal, {});
    const clock = new HeldClock(nowMs);
    let asks = 0;
    const node = new ScriptedNode({
      ...{ getGenesisHash: { result: genesis }, getTransaction: paidBy(made) },
      getSignatureStatuses: () => statuses[Math.min(asks++, statuses.length - 1)] ?? {},
      ...says,
    });
    const looks: string[] = [];
    const reasonOf = ({ slot }: ChainView): string => `seen in slot ${slot}`;
    const cluster = { genesis, name: 'test' };
    const chain = { node, cluster, paymentOf, reasonOf };
    let last: Verified | undefined;
    await watch(
      [id],
      chain,
      {
        ...{ until: until as 'finalized', waitMs, clock, interrupted: cut.signal },
        onLook: (look) => {
          last = look;
          looks.push(look.view.reasons.join());
        },
        onEnd: async (look) => {
          last = look;
        },
      },
      journal,
    );
    const { verdict, reasons } = (last as Verified | undefined)?.view ?? { verdict: '', reasons: [] };
    const kept = (await journal.observationsOf(id)).map((each) => each.verdict);
    return { end: [verdict, ...reasons].join(' '), pauses: clock.sleeps, looks, kept };
  }

  test('looks less and less often, until it is final', async () => {
    const statuses = [nothing, nothing, seen('processed'), seen('confirmed'), nothing, seen('finalized')];
    expect(await waited(statuses)).toEqual({
      ...{ end: 'proven', pauses: [250, 500, 1000, 2000, 2000] },
      kept: ['undecided', 'undecided', 'undecided', 'undecided', 'proven'],
      looks: ['not-seen', 'not-seen', 'only-processed', 'only-confirmed', 'not-seen'],
    });
  });

  test('for a confirmed one ends there', async () => {
    expect(await waited([nothing, seen('confirmed')], { until: 'confirmed' })).toEqual({
      ...{ end: 'likely only-confirmed', pauses: [250], looks: ['not-seen'] },
      kept: ['undecided', 'likely'],
    });
  });

  test('for a confirmed one goes on where another payment may still be replaced', async () => {
    const other = paidBy({ calls: [pay(wallet, key(3), sol)], lamports: { [wallet]: -sol, [key(3)]: sol } });
    const says = { getTransaction: other };
    const statuses = [seen('confirmed'), seen('finalized')];
    expect(await waited(statuses, { until: 'confirmed', says })).toMatchObject({
      ...{ end: 'contradicted other-recipient', pauses: [250], looks: ['only-confirmed'] },
    });
  });

  test('ends with what is final, though nothing follows from it', async () => {
    const says = { getTransaction: paidBy({ calls: [], lamports: { [ada]: 1n } }) };
    expect(await waited([seen('finalized')], { says })).toMatchObject({
      end: 'undecided balance-differs',
      pauses: [],
    });
  });

  test('makes no pause beyond its end, and keeps what it saw last', async () => {
    const pauses = [250, 500, 1000, 2000, 2000];
    const end = { end: 'undecided not-seen', kept: ['undecided'] };
    expect(await waited([nothing], { waitMs: 5750 })).toMatchObject({ ...end, pauses });
    expect(await waited([nothing], { waitMs: 5749 })).toMatchObject({ ...end, pauses: pauses.slice(0, -1) });
  });

  test('is as long between looks as the node asks', async () => {
    const limited = { status: 429, headers: { 'retry-after': '5' } };
    expect(await waited([limited, nothing, seen('finalized')])).toMatchObject({
      end: 'proven',
      pauses: [5000, 500],
    });
  });

  test('ends at once where nothing could show it', async () => {
    expect(await waited([seen('finalized')], {}, () => undefined)).toMatchObject({
      ...{ end: 'undecided no-mint', pauses: [], looks: [] },
    });
  });

  test('ends at once when it is interrupted', async () => {
    const cut = new AbortController();
    cut.abort();
    expect(await waited([nothing], { cut })).toMatchObject({ end: 'undecided not-seen', pauses: [] });
  });
});
