import { describe, expect, test } from 'vitest';
import { type Look, settle } from '../../../src/once/chain/settle.ts';
import { endWith, type JournalInHand, newIntent, nowMs, opened } from '../../../testing/journals.ts';
import { ada, asked, key, type Made, pay, read, signature, wallet } from './transactions.ts';

const sol = 1_000_000_000n;
const made: Made = { calls: [pay(wallet, ada, sol)], lamports: { [wallet]: -sol, [ada]: sol } };
const genesis = key(42);

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
    ...{ signature, payment: asked('wallet' in change ? { wallet: change.wallet } : {}), hosts: ['node'] },
    cluster: { genesis, name: 'test' },
    sighting: { saw: 'transaction', commitment, transaction, nodesMs: [] },
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
    ['it is not final yet', look({ commitment: 'confirmed' }), 'likely unknown'],
    ['nobody knows whose money it was', look({ wallet: undefined }), 'likely unknown'],
    ['it came from another wallet', look({ wallet: key(70) }), 'undecided unknown'],
    ['it is of another time', look({ blockTimeS: nowMs / 1000 - 3 * hourS }), 'undecided unknown'],
  ] as const)('is not decided where %s', async (_why, at, expected) => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    expect(await ended(journal, id, at)).toBe(expected);
    expect(await journal.decisionsOf(id)).toEqual([]);
  });

  test('is not decided by an earlier payment under a key that others have', async () => {
    const journal = opened();
    const id = await inDoubt(journal, {}, { namedBy: 'once', name: 'rent' });
    expect(await ended(journal, id, look({ blockTimeS: nowMs / 1000 - 3 * hourS }))).toBe('proven unknown');
    expect(await journal.decisionsOf(id)).toEqual([]);
  });

  test.each([
    { status: 'failed' },
    { success: false },
    { errors: ['no'] },
    { code: 'PAYMENT_REJECTED' },
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

  test('counts what was final before the first attempt, on that chain', async () => {
    const journal = opened();
    const judgedAfter = async (on: string, slot: number): Promise<string> => {
      const intent = newIntent({ kind: 'transfer', payment: 'p' });
      await journal.commit(async (tx) => {
        await tx.begin(intent, 'hash', nowMs);
        await tx.observe(intent.id, {
          ...{ verdict: 'before', who: 'chain', atMs: nowMs, signature: undefined, instruction: undefined },
          ...{ genesis: on, facts: JSON.stringify({ slot }) },
        });
        await tx.endAttempt(intent.id, 1, endWith('accepted', {}), nowMs);
        await tx.conclude(intent.id, 'accepted', undefined, nowMs);
      });
      const { verdict, reasons } = await settle({ ...look(), signature }, intent.id, journal, 'nothing');
      return [verdict, ...reasons].join(' ');
    };
    expect(await judgedAfter(genesis, 100)).toBe('undecided other-time');
    expect(await judgedAfter(key(43), 100)).toBe('proven');
  });

  test('counts no slot that was heard of later', async () => {
    const journal = opened();
    const id = await inDoubt(journal, {});
    await settle(look({ commitment: 'confirmed' }), id, journal, 'nothing');
    await journal.observe(id, {
      ...{ verdict: 'before', who: 'chain', atMs: nowMs, signature: undefined, instruction: undefined },
      ...{ genesis, facts: '{"slot":1000}' },
    });
    expect(await ended(journal, id, look())).toBe('proven resolved happened');
  });
});
