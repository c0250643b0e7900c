import { describe, expect, test } from 'vitest';
import { type Search, searchFor } from '../../src/chain/search.ts';
import { countedAsset } from '../../src/once/entry/amount.ts';
import { type AssetNames, assetNamesIn } from '../../src/once/entry/assetNames.ts';
import { baseUrl, done, endWith, newEntry, nowMs, opened } from '../support/journals.ts';
import { genesis, type Said, type Says, ScriptedNode } from './scriptedNode.ts';
import { ada, asked, key, type Made, paying, signature, wallet, written } from './transactions.ts';

const sol = 1_000_000_000n;
const beganS = nowMs / 1000;
const dayS = 86_400;

type Listed = { signature: string; slot: number; err: unknown; blockTime: number | null; memo?: string };
const listed = (change: Partial<Listed> = {}): Listed => ({
  ...{ signature, slot: 100, err: null, blockTime: beganS + 60 },
  ...change,
});
const older = listed({ signature: key(8), slot: 1, blockTime: beganS - dayS });

const from = (payer: string, lamports = sol): Made => ({
  ...paying(ada, lamports, payer),
  at: { slot: 100, blockTime: beganS + 60, signature },
});

/** What a node says that lists these transactions, and shows the same one for each. */
const says = (list: unknown, made: Made = from(wallet)): Says => ({
  getGenesisHash: { result: genesis },
  getSignaturesForAddress: { result: list },
  getTransaction: { result: JSON.parse(written(made)) },
});

/** Looks for a payment whose reply was lost, at this node. */
async function search(
  payment: ReturnType<typeof asked>,
  node: Says,
  journal = opened(),
  { assetNames, of = 'p', beganMs = nowMs }: { assetNames?: AssetNames; of?: string; beganMs?: number } = {},
): Promise<Search> {
  const wanted = newEntry({ kind: 'transfer', payment: of });
  const { id } = await journal.begin(wanted, 'hash', beganMs);
  await journal.endAttempt(id, 1, endWith('unknown'), nowMs);
  await journal.conclude(id, 'unknown', undefined, nowMs);
  const entry = await journal.get(id);
  if (entry === undefined) throw new Error('it is there');
  const searched = { entry, payment: { ...payment, wallet }, node: new ScriptedNode(node), assetNames };
  return searchFor(searched, journal);
}

const found = async (node: Says): Promise<[number, Search['gap']]> => {
  const { candidates, gap } = await search(asked(), node);
  return [candidates.length, gap];
};

describe('a search for a payment without a signature', () => {
  test('finds what pays exactly this, with its time and memo', async () => {
    const { candidates, gap, sinceMs } = await search(asked(), says([listed({ memo: '[4] rent' }), older]));
    expect(candidates).toEqual([
      { signature, slot: 100, atMs: nowMs + 60_000, memo: 'rent', isFinal: false },
    ]);
    // From two hours before the first request, in whole seconds as block times are.
    expect({ gap, sinceMs }).toEqual({ gap: undefined, sinceMs: nowMs - 2 * 3_600_000 });
  });

  test.each([
    ['', beganS - 2 * 3600, 1],
    [', not one that is older', beganS - 2 * 3600 - 1, 0],
  ])('finds a payment from the first second that it names%s', async (_what, blockTime, count) => {
    const { candidates, sinceMs } = await search(asked(), says([listed({ blockTime }), older]), opened(), {
      beganMs: nowMs + 405,
    });
    expect([candidates.length, sinceMs]).toEqual([count, nowMs - 2 * 3_600_000]);
  });

  test('reads on until something is older than what it names', async () => {
    const pages = [[listed({ err: {} }), listed({ signature: key(10), blockTime: beganS - 60, err: {} })]];
    const more = [listed({ signature: key(12), blockTime: beganS - 90 }), older];
    const asked = (): Said => ({ result: pages.shift() ?? more });
    expect(await found({ ...says([]), getSignaturesForAddress: asked })).toEqual([1, undefined]);
  });

  test('takes no payment of another entry for unclear, whatever it paid', async () => {
    const journal = opened();
    const made = await done(journal, 'accepted', { kind: 'transfer', payment: 'other' });
    await journal.keepReceipts(made, [{ origin: genesis, what: 'signature', value: signature }]);
    const more = says([listed(), older], from(wallet, 2n * sol));
    expect(await search(asked(), more, journal)).toMatchObject({ candidates: [], gap: undefined });
  });

  test.each([
    ['from another wallet', [listed(), older], from(key(60)), 0, 'unclear'],
    ['of less', [listed(), older], from(wallet, sol - 1n), 0, undefined],
    ['of more', [listed(), older], from(wallet, 2n * sol), 0, 'paid-more'],
    ['that failed', [listed({ err: {} }), older], from(wallet), 0, undefined],
    ['that is older than the first attempt', [older], from(wallet), 0, undefined],
  ] as const)('does not find one %s', async (_what, list, made, count, gap) => {
    expect(await found(says(list, made as Made))).toEqual([count, gap]);
  });

  test.each([
    ['lists nothing', [], 0, 'cut-short'],
    ['lists nothing that is older', [listed()], 1, 'cut-short'],
    ['does not know the times', [listed({ blockTime: null })], 1, 'cut-short'],
    ['lists something else', [{}], 0, 'no-answer'],
    ['gives no list', {}, 0, 'no-answer'],
  ] as const)('proves nothing where a node %s', async (_what, list, count, gap) => {
    expect(await found(says(list))).toEqual([count, gap]);
  });

  test('reads a list to its end, a thousand at a time, and no more than the newest 10,000', async () => {
    let pages = 0;
    const many = (): Said => {
      pages += 1;
      return {
        result: Array.from({ length: 1000 }, (_, n) => listed({ signature: `${pages} ${n}`, err: {} })),
      };
    };
    expect(await found({ ...says([]), getSignaturesForAddress: many })).toEqual([0, 'too-many']);
    expect(pages).toBe(10);
    // An end in mid-page is not yet the end.
    const rest = [[listed({ err: {} })], [listed({ signature: key(10) })], [older]];
    const asked = (): Said => ({ result: rest.shift() });
    expect(await found({ ...says([]), getSignaturesForAddress: asked })).toEqual([1, undefined]);
  });

  test.each([
    ['has all blocks', { getFirstAvailableBlock: { result: 0 } }, undefined],
    [
      'has an older block',
      { getFirstAvailableBlock: { result: 7 }, getBlockTime: { result: beganS - 2 * 3600 - 1 } },
      undefined,
    ],
    [
      'has no older one',
      { getFirstAvailableBlock: { result: 7 }, getBlockTime: { result: beganS - 2 * 3600 } },
      'cut-short',
    ],
    [
      'does not know when',
      { getFirstAvailableBlock: { result: 7 }, getBlockTime: { result: null } },
      'cut-short',
    ],
  ] as const)(
    'a list without an older transaction is whole only where the node %s',
    async (_what, more, gap) => {
      expect(await found({ ...says([listed()]), ...more })).toEqual([1, gap]);
      expect(await found({ ...says([]), ...more })).toEqual([0, 'cut-short']);
    },
  );

  test.each([
    ['the node is of another chain', { getGenesisHash: { result: key(43) } }, 'other-cluster'],
    ['the node does not answer', { getSignaturesForAddress: { lost: true } }, 'no-answer'],
    ['the node refuses to list', { getSignaturesForAddress: { status: 403 } }, 'not-permitted'],
    ['the transaction is not shown', { getTransaction: { result: null } }, 'not-seen'],
  ] as const)('proves nothing where %s', async (_what, more, gap) => {
    expect(await found({ ...says([listed(), older]), ...more } as Says)).toEqual([0, gap]);
  });

  test('names who else may have made the payment', async () => {
    const journal = opened();
    const made = await done(journal, 'accepted', { kind: 'transfer', payment: 'p' });
    await journal.keepReceipts(made, [{ origin: baseUrl, what: 'signature', value: key(9) }]);
    await done(journal, 'rejected', { kind: 'transfer', payment: 'p' });
    // Those of another time may not have.
    await done(journal, 'held', { kind: 'transfer', payment: 'p' }, nowMs - 3 * 3_600_000);
    await done(journal, 'held', { kind: 'transfer', payment: 'p' }, 2 * journal.clock.now());
    const rival = await done(journal, 'held', { kind: 'transfer', payment: 'p' });
    const { candidates, rivals } = await search(asked(), says([listed(), older]), journal);
    expect([candidates.length, rivals]).toEqual([1, [rival]]);
  });

  test('names them also where they were paid under another name of the asset', async () => {
    const mint = key(4);
    const payment = (asset: string): string => JSON.stringify([ada, countedAsset(asset), '1']);
    const journal = opened();
    const rival = await done(journal, 'held', { kind: 'transfer', payment: payment(mint) });
    const names = { assetNames: assetNamesIn([{ USDC: mint }]), of: payment('USDC') };
    expect(await search(asked(), says([older]), journal, names)).toMatchObject({ rivals: [rival] });
  });

  test('looks at a token’s accounts too', async () => {
    const payment = asked({ mint: key(4) });
    const accounts = { getTokenAccountsByOwner: { result: { value: [{ pubkey: key(11) }] } } };
    expect(await search(payment, { ...says([older]), ...accounts })).toMatchObject({ gap: undefined });
    expect(
      await search(payment, { ...says([older]), getTokenAccountsByOwner: { status: 500 } }),
    ).toMatchObject({
      gap: 'no-answer',
    });
  });
});
