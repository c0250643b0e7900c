import { describe, expect, test } from 'vitest';
import { chainViewOf } from '../../src/chain/paidAgain.ts';
import { type ChainView, isPaidAgain, type Look } from '../../src/chain/verdict.ts';
import { type Chain, settle, type Verified, verifyEach, watch } from '../../src/chain/verify.ts';
import type { Entry } from '../../src/once/journal/journal.ts';
import { HeldClock } from '../support/heldClock.ts';
import {
  baseUrl,
  done,
  endWith,
  type JournalInHand,
  newEntry,
  newPath,
  nowMs,
  opened,
} from '../support/journals.ts';
import { genesis, type Said, type Says, ScriptedNode } from './scriptedNode.ts';
import { ada, asked, key, type Made, paying, read, signature, written } from './transactions.ts';

const sol = 1_000_000_000n;
const made = paying(ada, sol);
const cluster = { genesis, name: 'test' };

/** In doubt, by a reply of its own that named the signature. */
async function inDoubt(journal: JournalInHand, more: object = {}): Promise<string> {
  const { id } = await journal.begin(newEntry({ kind: 'transfer', payment: 'p', ...more }), 'hash', nowMs);
  const body = Buffer.from(JSON.stringify({ signature }));
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
    lookup: { saw: 'transaction', commitment, transaction, cluster },
  };
}

async function settled(
  journal: JournalInHand,
  id: string,
  at: Look,
  decides: Parameters<typeof settle>[3] = ({ slot }) => `seen in slot ${slot}`,
): Promise<string> {
  const { verdict } = await settle(at, (await journal.get(id)) as Entry, journal, decides);
  const { state, resolvedAs } = (await journal.get(id)) ?? {};
  return [verdict, state, resolvedAs].filter(Boolean).join(' ');
}

const hourS = 3600;

describe('what nobody knew', () => {
  test.each([
    ['it is not final yet', look({ commitment: 'confirmed' }), 'likely unknown', 0],
    ['nobody knows whose money it was', look({ wallet: undefined }), 'likely unknown', 1],
    ['it came from another wallet', look({ wallet: key(70) }), 'undecided unknown', 0],
    ['it is older', look({ blockTimeS: nowMs / 1000 - 3 * hourS }), 'undecided unknown', 0],
  ] as const)('is not decided where %s', async (_why, at, expected, claims) => {
    const journal = opened();
    const id = await inDoubt(journal);
    expect(await settled(journal, id, at)).toBe(expected);
    expect(await journal.decisionsOf(id)).toEqual([]);
    expect(await journal.receiptsOf(id)).toHaveLength(claims);
  });

  test('is kept once, however often it is seen', async () => {
    const journal = opened();
    const id = await inDoubt(journal);
    const missed: Look = { ...look(), lookup: { saw: 'nothing', because: 'not-seen' } };
    for (const at of [missed, missed, look({ commitment: 'confirmed' }), missed, missed])
      await settled(journal, id, at, 'nothing');
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
    expect(await settled(journal, id, look())).toBe(expected);
    expect(await journal.decisionsOf(id)).toHaveLength(state === 'held' ? 1 : 0);
  });

  test('has happened where its sender died in the middle', async () => {
    const path = newPath();
    const dead = opened(path);
    const { id } = await dead.begin(newEntry({ kind: 'transfer', payment: 'p' }), 'hash', nowMs);
    await dead.close();
    expect(await settled(opened(path), id, look())).toBe('proven resolved happened');
  });

  test('is not decided where a person is about to', async () => {
    const journal = opened();
    const id = await inDoubt(journal);
    expect(await settled(journal, id, look(), 'nothing')).toBe('proven unknown');
  });
});

describe('one signature', () => {
  test('is the first entry’s that it proved, and no other’s', async () => {
    const journal = opened();
    const [first, second] = [await inDoubt(journal), await inDoubt(journal)];
    expect(await settled(journal, first, look())).toBe('proven resolved happened');
    expect(await settled(journal, second, look())).toBe('undecided unknown');
    expect(await settled(journal, first, look())).toBe('proven resolved happened');
  });

  test('is left to the entry to which the service gave it', async () => {
    const journal = opened();
    const owed = await inDoubt(journal);
    await journal.keepReceipts(owed, [{ origin: baseUrl, what: 'signature', value: signature }]);
    expect(await settled(journal, await inDoubt(journal), look())).toBe('undecided unknown');
    expect(await settled(journal, owed, look())).toBe('proven resolved happened');
  });
});

describe('a service that was asked twice', () => {
  const second = key(8);
  const beganS = nowMs / 1000;

  async function acceptedAgain(journal: JournalInHand, reply: object = { signature }): Promise<string> {
    const id = await inDoubt(journal);
    await journal.claim(id, nowMs);
    await journal.startAttempt(id, 'hash', nowMs);
    const body = Buffer.from(JSON.stringify(reply));
    await journal.endAttempt(id, 2, endWith('accepted', { reply: body, status: 200 }), nowMs);
    await journal.conclude(id, 'accepted', undefined, nowMs);
    if ('signature' in reply)
      await journal.keepReceipts(id, [{ origin: baseUrl, what: 'signature', value: signature }]);
    return id;
  }

  /** A node that lists these signatures, each of the payment, and one that is older. */
  function node(
    signatures: readonly string[],
    blockTimeS = beganS + 1,
    confirmationStatus = 'finalized',
  ): Says {
    const entries = [...signatures, 'older'].map((each, n) => ({
      ...{ signature: each, err: null, memo: null, confirmationStatus },
      blockTime: n < signatures.length ? blockTimeS : beganS - 100_000,
    }));
    const at = { slot: 100, blockTime: blockTimeS, signature };
    return {
      ...{ getGenesisHash: { result: genesis }, getSignaturesForAddress: { result: entries } },
      getSignatureStatuses: { result: { value: [{ confirmationStatus: 'finalized' }] } },
      getTransaction: { result: JSON.parse(written({ ...made, at })) },
    };
  }

  async function verified(
    journal: JournalInHand,
    id: string,
    says: Says,
    clock = new HeldClock(nowMs),
  ): Promise<string> {
    const chain: Chain = { node: new ScriptedNode(says), paymentOf: () => asked(), reasonOf: () => 'seen' };
    const entry = (await journal.get(id)) as Entry;
    let last: ChainView | undefined;
    await verifyEach([entry], { of: async () => chain }, { ...journal, clock }, async ({ view }) => {
      last = view;
    });
    const { verdict, payments = [] } = last ?? {};
    return [verdict, ...payments.map(({ own }) => (own ? 'own' : 'other'))].join(' ');
  }

  test.each<[string, Says, string]>([
    ['paid once', node([signature]), 'proven own'],
    ['paid twice', node([signature, second]), 'proven own other'],
    [
      'paid twice, and is not final yet',
      {
        ...node([signature, second]),
        getSignatureStatuses: { result: { value: [{ confirmationStatus: 'confirmed' }] } },
      },
      'likely own other',
    ],
    ['paid something else, later', node([signature, second], beganS + 4 * hourS), 'proven own'],
    ['paid once, and the list is too short', without(node([second]), 1), 'proven own other'],
    [
      'paid once, as far as a list that is empty shows',
      { ...node([]), getSignaturesForAddress: { result: [] } },
      'proven',
    ],
    ['paid once, as far as nobody says', { ...node([]), getSignaturesForAddress: { status: 500 } }, 'proven'],
  ])('%s', async (_what, says, expected) => {
    const journal = opened();
    expect(await verified(journal, await acceptedAgain(journal), says)).toBe(expected);
  });

  test.each([
    ['once', [signature], 'undecided'],
    ['twice', [signature, second], 'undecided other other'],
  ])('and named no signature paid %s', async (_what, signatures, expected) => {
    const journal = opened();
    const id = await acceptedAgain(journal, { transfer_id: 't_1' });
    expect(await verified(journal, id, node(signatures))).toBe(expected);
  });

  function without(says: Says, last: number): Says {
    const { result } = says.getSignaturesForAddress as { result: object[] };
    return { ...says, getSignaturesForAddress: { result: result.slice(0, -last) } };
  }

  test('is not said to have paid what another entry paid, or may have paid', async () => {
    const journal = opened();
    const id = await acceptedAgain(journal);
    const other = await done(journal, 'accepted', { kind: 'transfer', payment: 'p' });
    expect(await verified(journal, id, node([signature, second]))).toBe('proven own');
    expect(await verified(journal, id, node([signature, second, key(9)]))).toBe('proven own other other');
    const known = opened();
    const twice = await acceptedAgain(known);
    const third = await done(known, 'accepted', { kind: 'transfer', payment: 'p' });
    await known.keepReceipts(third, [{ origin: baseUrl, what: 'signature', value: second }]);
    expect(await verified(known, twice, node([signature, second]))).toBe('proven own');
    expect(await verified(known, twice, node([signature, second, key(9)]))).toBe('proven own other');
    expect(other).not.toBe(third);
  });

  test('keeps what was found final, without a proof, and tells of it again without a node', async () => {
    const journal = opened();
    const id = await acceptedAgain(journal);
    expect(await verified(journal, id, node([signature, second], beganS + 1, 'confirmed'))).toBe(
      'proven own other',
    );
    expect(await verified(journal, id, {})).toBe('proven');
    for (let time = 0; time < 2; time += 1) await verified(journal, id, node([signature, second]));
    expect((await journal.observationsOf(id)).map((one) => [one.verdict, one.signature])).toEqual([
      ['proven', signature],
      ['likely', second],
    ]);
    expect(await verified(journal, id, {})).toBe('proven own other');
    expect(await journal.signaturesHeld([second])).toEqual([second]);
    const unsigned = await acceptedAgain(journal, { transfer_id: 't_1' });
    await verified(journal, unsigned, node([signature, second, key(9), key(10)]));
    expect(await chainViewOf((await journal.get(unsigned)) as Entry, journal)).toMatchObject({
      verdict: 'undecided',
      payments: [{ signature: second }, { signature: key(9) }, { signature: key(10) }],
    });
  });

  test('was not paid twice where a reply, or a person, gives the other signature to its own entry', async () => {
    const journal = opened();
    const id = await acceptedAgain(journal);
    await verified(journal, id, node([signature, second]));
    const late = await done(journal, 'accepted', { kind: 'transfer', payment: 'p' });
    await journal.keepReceipts(late, [{ origin: baseUrl, what: 'signature', value: second }]);
    expect(await verified(journal, id, {})).toBe('proven');
    expect(await chainViewOf((await journal.get(id)) as Entry, journal)).not.toHaveProperty('payments');
  });

  test('is noted by a person, and what is found later is told', async () => {
    const journal = opened();
    const id = await acceptedAgain(journal);
    await verified(journal, id, node([signature, second]));
    const isAgain = async (): Promise<boolean> => {
      const view = await chainViewOf((await journal.get(id)) as Entry, journal);
      return isPaidAgain(view as ChainView);
    };
    expect(await isAgain()).toBe(true);
    const note = { kind: 'happened', who: 'w', reason: 'r', signature: undefined } as const;
    // The clock of who notes it may be ahead.
    await journal.decide(id, { ...note, atMs: nowMs + 60_000 });
    expect([(await journal.get(id))?.state, await isAgain()]).toEqual(['accepted', false]);
    expect(await verified(journal, id, node([signature, second]))).toBe('proven own other');
    expect(await isAgain()).toBe(false);
    await verified(journal, id, node([signature, second, key(9)]));
    expect(await isAgain()).toBe(true);
  });

  test('is looked at until nothing more can come', async () => {
    const journal = opened();
    const id = await acceptedAgain(journal);
    expect(await verified(journal, id, node([signature]))).toBe('proven own');
    expect(await verified(journal, id, node([signature, second]))).toBe('proven own other');
    const later = opened();
    const over = await acceptedAgain(later);
    const clock = new HeldClock(nowMs + 3 * hourS * 1000);
    expect(await verified(later, over, node([signature]), clock)).toBe('proven own');
    expect(await verified(later, over, {}, clock)).toBe('proven own');
  });
});

describe('a wait', () => {
  const seen = (confirmationStatus: string): Said => ({
    result: { value: [{ slot: 100, err: null, confirmationStatus }] },
  });
  const nothing: Said = { result: { value: [null] } };
  const paidBy = (of: Made): Said => {
    return { result: { ...JSON.parse(written(of)), blockTime: nowMs / 1000 } };
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
    const chain = { node, paymentOf, reasonOf };
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
      looks: ['not-seen', 'not-seen', 'not-final', 'not-final', 'not-seen'],
    });
  });

  test('for a confirmed one ends there', async () => {
    expect(await waited([nothing, seen('confirmed')], { until: 'confirmed' })).toEqual({
      ...{ end: 'likely not-final', pauses: [250], looks: ['not-seen'] },
      kept: ['undecided', 'likely'],
    });
  });

  test('for a confirmed one goes on where another payment may still be replaced', async () => {
    const other = paidBy(paying(key(3), sol));
    const says = { getTransaction: other };
    const statuses = [seen('confirmed'), seen('finalized')];
    expect(await waited(statuses, { until: 'confirmed', says })).toMatchObject({
      ...{ end: 'contradicted not-paid', pauses: [250], looks: ['not-final'] },
    });
  });

  test('ends with what is final, though nothing follows from it', async () => {
    const says = { getTransaction: paidBy(paying(ada, 2n * sol)) };
    expect(await waited([seen('finalized')], { says })).toMatchObject({
      end: 'undecided unclear',
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
