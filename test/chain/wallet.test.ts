import { describe, expect, test } from 'vitest';
import { lookAtWallet, outflowOf, type WalletLook } from '../../src/chain/wallet.ts';
import { HeldClock } from '../support/heldClock.ts';
import { baseUrl, done, endWith, type JournalInHand, newEntry, nowMs, opened } from '../support/journals.ts';
import { genesis, type Said, type Says, ScriptedNode } from './scriptedNode.ts';
import {
  ada,
  adaTokens,
  bob,
  key,
  type Made,
  mint,
  otherMint,
  paying,
  programs,
  read,
  signature,
  type Token,
  wallet,
  walletTokens,
  written,
} from './transactions.ts';

const sol = 1_000_000_000n;
const one = 1_000_000n;
const had = 10n * sol;
const rent = 2_039_280n;
const wrapped = 'So11111111111111111111111111111111111111112';
const wrappedAccount = key(14);

const mine = (before: bigint | undefined, after: bigint | undefined, more: Partial<Token> = {}): Token => ({
  ...{ account: walletTokens, owner: wallet, ...more },
  ...(before === undefined ? {} : { before }),
  ...(after === undefined ? {} : { after }),
});
const adas = (before: bigint | undefined, after: bigint, more: Partial<Token> = {}): Token => ({
  ...{ account: adaTokens, owner: ada, after, ...more },
  ...(before === undefined ? {} : { before }),
});
/** An account of wrapped SOL: opened with as much, or closed. */
const wraps = (lamports: bigint): Token =>
  mine(undefined, lamports, { account: wrappedAccount, mint: wrapped });
const sent = [mine(5n * one, 4n * one), adas(one, 2n * one)];
const newTokens = { opened: [adaTokens], lamports: { [wallet]: -rent, [adaTokens]: rent } };

const rows: readonly (readonly [string, Made, string])[] = [
  ['SOL', paying(ada, sol), '1 SOL to ada'],
  ['a lamport', paying(ada, 1n), '0.000000001 SOL to ada'],
  ['SOL, the fee paid by another', { ...paying(ada, sol), feePayer: bob }, '1 SOL to ada'],
  ['SOL to two', { lamports: { [wallet]: -3n, [ada]: 1n, [bob]: 2n } }, '0.000000003 SOL to ada+bob'],
  ['the fee alone', {}, 'none'],
  ['SOL that came in', { lamports: { [wallet]: sol, [ada]: -sol } }, 'none'],
  ['what strangers paid each other', { lamports: { [bob]: -sol, [ada]: sol }, feePayer: bob }, 'none'],
  ['a token', { tokens: sent }, '1 token to ada'],
  [
    'a token to a new account',
    { ...newTokens, tokens: [sent[0] as Token, adas(undefined, one)] },
    '1 token to ada',
  ],
  ['a new account, and nothing in it', { ...newTokens, tokens: [adas(undefined, 0n)] }, 'none'],
  [
    '10 SOL into a new token account',
    {
      ...{ had: 20n * sol, opened: [adaTokens] },
      lamports: { [wallet]: -10n * sol, [adaTokens]: 10n * sol },
      tokens: [adas(undefined, 0n)],
    },
    '10 SOL to ada',
  ],
  [
    'the rent of a new account under Token-2022, which is larger',
    {
      opened: [adaTokens],
      lamports: { [wallet]: -2n * rent, [adaTokens]: 2n * rent },
      tokens: [adas(undefined, 0n, { program: programs.token2022 })],
    },
    'none',
  ],
  [
    'a token and SOL in one',
    { lamports: { [wallet]: -sol, [bob]: sol }, tokens: sent },
    '1 SOL to bob, 1 token to ada',
  ],
  [
    'an own account that was opened',
    {
      opened: [walletTokens],
      lamports: { [wallet]: -rent, [walletTokens]: rent },
      tokens: [mine(undefined, 0n)],
    },
    'none',
  ],
  [
    'an own account that was closed',
    { lamports: { [wallet]: had, [walletTokens]: -had }, tokens: [mine(0n, undefined)] },
    'none',
  ],
  ['a sweep to an own account', { tokens: [mine(one, 0n), mine(0n, one, { account: key(15) })] }, 'none'],
  [
    'an account handed over, with all that it holds',
    { tokens: [mine(one, undefined), adas(undefined, one, { account: walletTokens })] },
    '10 SOL to ada, 1 token to ada',
  ],
  [
    'an exchange',
    {
      tokens: [...sent, mine(0n, 1n, { account: key(16), mint: otherMint })],
    },
    'none',
  ],
  ['SOL for a token', { lamports: { [wallet]: -sol, [bob]: sol }, tokens: [mine(0n, one)] }, 'none'],
  [
    'SOL that was wrapped',
    {
      opened: [wrappedAccount],
      lamports: { [wallet]: -sol - rent, [wrappedAccount]: sol + rent },
      tokens: [wraps(sol)],
    },
    'none',
  ],
  [
    'SOL that was wrapped beside a payment',
    {
      opened: [wrappedAccount],
      lamports: { [wallet]: -2n * sol - rent, [wrappedAccount]: sol + rent, [ada]: sol },
      tokens: [wraps(sol)],
    },
    '1 SOL to ada',
  ],
  [
    'SOL that was unwrapped beside a payment of a token',
    {
      lamports: { [wallet]: had, [wrappedAccount]: -had },
      tokens: [...sent, mine(had - rent, undefined, { account: wrappedAccount, mint: wrapped })],
    },
    '1 token to ada',
  ],
  [
    'wrapped SOL, paid',
    {
      lamports: { [wrappedAccount]: -sol, [adaTokens]: sol },
      tokens: [
        mine(5n * sol, 4n * sol, { account: wrappedAccount, mint: wrapped }),
        adas(0n, sol, { mint: wrapped }),
      ],
    },
    '1 SOL to ada',
  ],
  [
    'a token of which the mint kept a fee',
    {
      tokens: [
        mine(5n * one, 4n * one, { program: programs.token2022 }),
        adas(0n, one - 10_000n, { program: programs.token2022 }),
      ],
    },
    '1 token to ada',
  ],
  ['a token that was burnt', { tokens: [mine(one, 0n)] }, 'none'],
  [
    'a token whose mint scales it',
    { tokens: sent.map((each) => ({ ...each, shown: '7' })) },
    '1 token to ada',
  ],
  ['numbers of the wallet beyond 2^53', { ...paying(ada, sol), had: 2n ** 53n }, 'unclear'],
  ['a node that hides tokens', { ...paying(ada, sol), isMute: true }, 'unclear'],
  ['a node that hides owners', { tokens: [adas(0n, 1n, { owner: null })] }, 'unclear'],
];

const names: Readonly<Record<string, string>> = { [ada]: 'ada', [bob]: 'bob' };

test.each(rows)('what left the wallet with %s', (_what, made, expected) => {
  const found = outflowOf(wallet, read(made));
  const shown =
    found === 'unclear'
      ? found
      : found
          .map(({ mint: of, amount, to }) => {
            const asset = of === undefined ? 'SOL' : of === mint ? 'token' : of;
            return `${amount} ${asset} to ${to.map((each) => names[each]).join('+')}`;
          })
          .join(', ') || 'none';
  expect(shown).toBe(expected);
});

const beganS = nowMs / 1000;
const sinceMs = nowMs - 60_000;

type Listing = { signature: string; err: unknown; blockTime: number | null };
const at = (name: string, more: Partial<Listing> = {}): Listing => ({
  ...{ signature: name, err: null, blockTime: beganS, ...more },
});
const older = at('older', { blockTime: beganS - 3600 });

/** A node that lists these, newest first, a thousand at a time, and shows the same payment for each. */
function node(list: readonly Listing[], more: Says = {}): Says {
  return {
    ...{ getGenesisHash: { result: genesis }, getFirstAvailableBlock: { result: 0 } },
    getSignaturesForAddress: (_id, [, page]) => {
      const { before } = page as { before?: string };
      const from = before === undefined ? 0 : list.findIndex((each) => each.signature === before) + 1;
      return { result: list.slice(from, from + 1000) };
    },
    getTransaction: shows(paying(ada, sol)),
    ...more,
  };
}

function shows(made: Made): Said {
  return { result: JSON.parse(written({ ...made, at: { slot: 100, blockTime: beganS, signature } })) };
}

async function look(
  says: Says,
  journal: JournalInHand = opened(),
  isOver: () => boolean = () => false,
): Promise<WalletLook & { asked: string[] }> {
  const patience = new AbortController().signal;
  const scripted = new ScriptedNode(says, patience, new HeldClock(nowMs));
  const found = await lookAtWallet({ wallet, sinceMs, node: scripted, isOver }, journal);
  return { ...found, asked: scripted.asked.map(([method]) => String(method)) };
}

const strays = ({ strays: all }: WalletLook): string[] => all.map(({ signature: name }) => name);
const transfer = (payment = 'p') => ({ kind: 'transfer', payment }) as const;

/** An accepted payment with these signatures. */
async function paid(journal: JournalInHand, ...values: string[]): Promise<string> {
  const id = await done(journal, 'accepted', transfer());
  await journal.keepReceipts(
    id,
    values.map((value) => ({ origin: baseUrl, what: 'signature', value })),
  );
  return id;
}

describe('a look at the wallet', () => {
  test('lists what no entry has: not the first entry’s own second, nor what failed or is older', async () => {
    const journal = opened();
    await paid(journal, 'first');
    const list = [at('stray'), at('failed', { err: {} }), at('first', { blockTime: beganS }), older];
    const { asked, ...found } = await look(node(list), journal);
    expect(found).toEqual({
      strays: [
        { signature: 'stray', slot: 100, atMs: nowMs, paid: [{ mint: undefined, amount: '1', to: [ada] }] },
      ],
      ...{ read: 3, gap: undefined, unsigned: [] },
    });
    expect(asked).toEqual(['getGenesisHash', 'getSignaturesForAddress', 'getTransaction']);
  });

  test('asks at most five times about 1,000 payments that have their entries', async () => {
    const journal = opened();
    const all = Array.from({ length: 1000 }, (_, n) => at(`s${n}`));
    await paid(journal, ...all.map(({ signature: name }) => name));
    const first = { getFirstAvailableBlock: { result: 5 }, getBlockTime: { result: beganS - 3600 } };
    const { asked, ...found } = await look(node(all, first), journal);
    expect(found).toEqual({ strays: [], read: 1000, gap: undefined, unsigned: [] });
    expect(asked).toHaveLength(5);
  });

  test('an entry has it by a signature of any origin, by what was seen, and by a reply that did not settle it', async () => {
    const journal = opened();
    const elsewhere = await done(journal, 'accepted', transfer());
    await journal.keepReceipts(elsewhere, [{ origin: 'https://other', what: 'signature', value: 'b' }]);
    const seen = { verdict: 'contradicted', atMs: nowMs, genesis, facts: '{}' } as const;
    await journal.observe(elsewhere, { ...seen, signature: 'c' });
    const { id } = await journal.begin(newEntry(transfer()), 'hash', nowMs);
    const reply = Buffer.from(JSON.stringify({ signature }));
    await journal.endAttempt(id, 1, endWith('held', { reply, status: 200 }), nowMs);
    await journal.conclude(id, 'held', 'no-proof', nowMs);
    const found = await look(node([at(signature), at('b'), at('c'), at('d'), older]), journal);
    expect(strays(found)).toEqual(['d']);
    expect(found.unsigned).toEqual([]);
    await journal.decide(id, { kind: 'happened', who: 'w', atMs: nowMs, reason: 'r', signature: undefined });
    expect(strays(await look(node([at(signature), older]), journal))).toEqual([]);
  });

  test('says which entries have no signature and may have made some', async () => {
    const journal = opened();
    await paid(journal, 'a');
    const accepted = await done(journal, 'accepted', transfer());
    const unknown = await done(journal, 'unknown', transfer('q'));
    await done(journal, 'rejected', transfer());
    await done(journal, 'accepted', transfer(), nowMs - 8 * 3_600_000);
    expect(await look(node([at('a'), at('b'), older]), journal)).toMatchObject({
      unsigned: [accepted, unknown],
    });
    expect(await look(node([at('a'), older]), journal)).toMatchObject({ strays: [], unsigned: [] });
  });

  test('lists each of equal payments, and none that was recorded while it looked', async () => {
    const journal = opened();
    const all = Array.from({ length: 1500 }, (_, n) => at(`s${n}`));
    let asks = 0;
    const signaturesHeld = async (names: readonly string[]): Promise<string[]> => {
      asks += 1;
      if (asks === 2) await paid(journal, ...all.slice(1).map(({ signature: name }) => name));
      return journal.signaturesHeld(names);
    };
    const says = node([...all, older]);
    expect(strays(await look(says, journal))).toHaveLength(1500);
    const found = await look(says, { ...journal, signaturesHeld });
    expect([strays(found), found.read]).toEqual([['s0'], 1500]);
  });

  test.each<[string, Says, string[], number, WalletLook['gap']]>([
    ['the node is of another chain', { getGenesisHash: { result: key(43) } }, [], 0, 'other-cluster'],
    [
      'the node refuses to list',
      node([], { getSignaturesForAddress: { status: 403 } }),
      [],
      0,
      'not-permitted',
    ],
    [
      'a transaction is null',
      node([at('a'), older], { getTransaction: { result: null } }),
      [],
      0,
      'not-seen',
    ],
    [
      'balances are hidden',
      node([at('a'), older], { getTransaction: shows({ ...paying(ada, sol), isMute: true }) }),
      [],
      0,
      'unclear',
    ],
  ])('counts only what was read where %s', async (_what, says, expected, count, gap) => {
    const found = await look(says);
    expect([strays(found), found.read, found.gap]).toEqual([expected, count, gap]);
  });

  test('stops where the node dies, and claims nothing that was not read', async () => {
    const all = Array.from({ length: 100 }, (_, n) => at(`s${n}`));
    let asks = 0;
    const dies = (): Said => {
      asks += 1;
      return asks > 10 ? { lost: true } : shows(paying(ada, sol));
    };
    const found = await look(node([...all, older], { getTransaction: dies }));
    expect([strays(found).length, found.read, found.gap, asks]).toEqual([10, 10, 'no-answer', 24]);
  });

  test('ends where it is told to', async () => {
    const found = await look(node([at('a'), older]), opened(), () => true);
    expect([found.read, found.gap]).toEqual([0, 'too-slow']);
  });

  test.each([
    ['says for how long', { status: 429, headers: { 'retry-after': '3' } }],
    ['does not', { status: 429 }],
  ])('loses none of 60 payments where the node allows 40 in ten seconds and %s', async (_what, refusal) => {
    const clock = new HeldClock(nowMs);
    let [from, asks] = [nowMs, 0];
    const limit = (): Said => {
      if (clock.now() >= from + 10_000) [from, asks] = [clock.now(), 0];
      asks += 1;
      return asks > 40 ? refusal : shows(paying(ada, sol));
    };
    const all = Array.from({ length: 60 }, (_, n) => at(`s${n}`));
    const says = node([...all, older], { getTransaction: limit });
    const scripted = new ScriptedNode(says, new AbortController().signal, clock);
    const found = await lookAtWallet({ wallet, sinceMs, node: scripted, isOver: () => false }, opened());
    expect([found.strays.length, found.read, found.gap]).toEqual([60, 60, undefined]);
  });
});
