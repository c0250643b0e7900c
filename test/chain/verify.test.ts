import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import { type Cluster, clusterOf } from '../../src/chain/cluster.ts';
import type { Lookup } from '../../src/chain/node.ts';
import { isFinalMatch, latestView } from '../../src/chain/verdict.ts';
import { type Chain, type Verified, verifyEach, watch } from '../../src/chain/verify.ts';
import type { Entry, Journal } from '../../src/once/journal/journal.ts';
import { HeldClock } from '../support/heldClock.ts';
import { endWith, type JournalInHand, newEntry, nowMs, opened } from '../support/journals.ts';
import { ada, asked, bob, paying as made, read, signature } from './transactions.ts';

const another = base58.encode(new Uint8Array(64).fill(8));

/** In doubt, and replies to its key named these. */
async function unknownWith(journal: JournalInHand, signatures: readonly string[]): Promise<Entry> {
  const { id } = await journal.begin(newEntry({ kind: 'transfer', payment: 'p' }), 'hash', nowMs);
  for (const [n, each] of signatures.entries()) {
    if (n > 0) await journal.startAttempt(id, 'hash', nowMs);
    const reply = Buffer.from(JSON.stringify({ signature: each }));
    await journal.endAttempt(id, n + 1, endWith('unknown', { reply }), nowMs);
  }
  await journal.conclude(id, 'unknown', undefined, nowMs);
  return (await journal.get(id)) as Entry;
}

function chainThat(sees: Readonly<Record<string, Lookup>>): Chain {
  const node = {
    host: 'node',
    statusesOf: async () => new Map(),
    lookUp: async (of: string) => sees[of],
  } as unknown as Chain['node'];
  return { node, paymentOf: () => asked(), reasonOf: () => 'seen' };
}

const cluster = clusterOf('devnet') as Cluster;
const paying = (to: string): Lookup => ({
  saw: 'transaction',
  commitment: 'finalized',
  transaction: { ...read(made(to, 1_000_000_000n)), blockTimeS: nowMs / 1000 },
  cluster,
});
const notSeen: Lookup = { saw: 'nothing', because: 'not-seen' };

async function verdictOf(entry: Entry, chain: Chain, journal: Journal): Promise<string[]> {
  const verdicts: string[] = [];
  await verifyEach([entry], { of: async () => chain }, journal, async ({ view }) => {
    verdicts.push(view.verdict);
  });
  return verdicts;
}

test.each([
  [another, signature],
  [signature, another],
])(
  'of several signatures, one that is not seen yet keeps the others from being final: %#',
  async (...both) => {
    const journal = opened();
    const entry = await unknownWith(journal, both);
    const chain = chainThat({ [signature]: paying(bob), [another]: notSeen });
    expect(await verdictOf(entry, chain, journal)).toEqual(['undecided']);
    const view = latestView(await journal.observationsOf(entry.id));
    expect(view && isFinalMatch(view)).toBe(false);
    const later = chainThat({ [signature]: paying(ada), [another]: notSeen });
    expect(await verdictOf(entry, later, journal)).toEqual(['proven']);
    expect(await journal.get(entry.id)).toMatchObject({ resolvedAs: 'happened' });
  },
);

test('each of several is waited for until it has ended, and told once', async () => {
  const journal = opened();
  const first = await unknownWith(journal, [signature]);
  const second = await unknownWith(journal, [another]);
  const clock = new HeldClock(nowMs);
  const asked: string[] = [];
  const node = {
    host: 'node',
    statusesOf: async () => new Map(),
    lookUp: async (of: string) => {
      asked.push(of);
      return of === signature && clock.sleeps.length > 0 ? paying(ada) : notSeen;
    },
  } as unknown as Chain['node'];
  const told: string[] = [];
  const waiting = {
    until: 'finalized',
    waitMs: 1000,
    clock,
    interrupted: new AbortController().signal,
  } as const;
  const onEnd = async ({ entry, view }: Verified): Promise<void> => {
    told.push(`${entry.id} ${view.verdict} ${entry.state}`);
  };
  const left = await watch(
    [first.id, second.id],
    { ...chainThat({}), node },
    { ...waiting, onLook: () => {}, onEnd },
    journal,
  );
  expect(told).toEqual([`${first.id} proven resolved`]);
  expect(left).toEqual([second.id]);
  expect(asked).toEqual([signature, another, signature, another, another]);
});

test('what has no signature is not waited for', async () => {
  const journal = opened();
  const entry = await unknownWith(journal, ['none']);
  const clock = new HeldClock(nowMs);
  const waiting = {
    until: 'finalized',
    waitMs: 1000,
    clock,
    interrupted: new AbortController().signal,
  } as const;
  const told: string[] = [];
  const onEnd = async ({ view }: Verified): Promise<void> => void told.push(...view.reasons);
  expect(await watch([entry.id], chainThat({}), { ...waiting, onLook: () => {}, onEnd }, journal)).toEqual(
    [],
  );
  expect([told, clock.sleeps]).toEqual([['no-signature'], []]);
});

test('of many, eight at most are looked up at a time, and each is told before the next', async () => {
  const journal = opened();
  const entries: Entry[] = [];
  for (let n = 0; n < 20; n += 1) entries.push(await unknownWith(journal, [signature]));
  let [open, most, telling, told] = [0, 0, 0, 0];
  const node = {
    ...chainThat({}).node,
    lookUp: async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise(setImmediate);
      open -= 1;
      return notSeen;
    },
  } as unknown as Chain['node'];
  const chain = { ...chainThat({}), node };
  await verifyEach(entries, { of: async () => chain }, journal, async () => {
    telling += 1;
    expect(telling).toBe(1);
    await new Promise(setImmediate);
    telling -= 1;
    told += 1;
  });
  expect([most, told, telling]).toEqual([8, 20, 0]);
});

test('one that waits commits nothing while it sees nothing new', async () => {
  const journal = opened();
  const entry = await unknownWith(journal, [signature]);
  let commits = 0;
  const commit: Journal['commit'] = (work, guards) => {
    commits += 1;
    return journal.commit(work, guards);
  };
  for (const _ of [1, 2, 3])
    await verdictOf(entry, chainThat({ [signature]: notSeen }), { ...journal, commit });
  expect(commits).toBe(1);
  await verdictOf(entry, chainThat({ [signature]: paying(ada) }), { ...journal, commit });
  expect((await journal.observationsOf(entry.id)).map(({ verdict }) => verdict)).toEqual([
    'undecided',
    'proven',
  ]);
});

test('what is seen first is told in its turn', async () => {
  const journal = opened();
  const first = await unknownWith(journal, [signature]);
  const second = await unknownWith(journal, [another]);
  let answerFirst = (): void => {};
  const firstAnswered = new Promise<void>((resolve) => {
    answerFirst = resolve;
  });
  const chain = chainThat({});
  const node = {
    ...chain.node,
    lookUp: async (of: string) => {
      if (of === signature) await firstAnswered;
      else setImmediate(answerFirst);
      return notSeen;
    },
  } as unknown as Chain['node'];
  const told: string[] = [];
  await verifyEach([first, second], { of: async () => ({ ...chain, node }) }, journal, async ({ entry }) => {
    told.push(entry.id);
  });
  expect(told).toEqual([first.id, second.id]);
});

test('what a person has decided is looked up by the signature that he gave', async () => {
  const journal = opened();
  const { id } = await unknownWith(journal, ['none']);
  await journal.decide(id, { kind: 'happened', who: 'ann', atMs: nowMs, reason: 'seen', signature });
  const entry = (await journal.get(id)) as Entry;
  expect(await verdictOf(entry, chainThat({ [signature]: paying(ada) }), journal)).toEqual(['proven']);
});

test('a chain is asked once for all that it knows, and for nothing where there is no signature', async () => {
  const journal = opened();
  const entries = [
    await unknownWith(journal, [signature]),
    await unknownWith(journal, [another]),
    await unknownWith(journal, ['none']),
  ];
  const asked: (readonly string[])[] = [];
  const chain = chainThat({ [signature]: notSeen, [another]: notSeen });
  const node = {
    ...chain.node,
    statusesOf: async (those: readonly string[]) => {
      asked.push(those);
      return new Map();
    },
  } as unknown as Chain['node'];
  const of = async (): Promise<Chain> => asking;
  const asking = { ...chain, node };
  await verifyEach(entries, { of }, journal, async () => {});
  expect(asked).toEqual([[signature, another]]);
  await verifyEach(entries.slice(2), { of }, journal, async () => {});
  expect(asked).toHaveLength(1);
});

test('where two look-ups fail, the first says why, and the other is no failure of its own', async () => {
  const journal = opened();
  const entries = [await unknownWith(journal, [signature]), await unknownWith(journal, [another])];
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const chain = chainThat({});
  const node = {
    ...chain.node,
    lookUp: async (of: string) => {
      throw new Error(of);
    },
  } as unknown as Chain['node'];
  const all = verifyEach(entries, { of: async () => ({ ...chain, node }) }, journal, async () => {});
  await expect(all).rejects.toThrow(signature);
  await new Promise(setImmediate);
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test('what was proven while it was sent has happened, once that is found to be in doubt', async () => {
  const journal = opened();
  const { id } = await unknownWith(journal, [signature]);
  await journal.claim(id, nowMs);
  await journal.startAttempt(id, 'hash', nowMs);
  const chain = chainThat({ [signature]: paying(ada) });
  const sending = (await journal.get(id)) as Entry;
  expect(await verdictOf(sending, chain, journal)).toEqual(['proven']);
  await journal.endAttempt(id, 2, endWith('unknown'), nowMs);
  await journal.conclude(id, 'unknown', undefined, nowMs);
  const doubtful = (await journal.get(id)) as Entry;
  expect(await verdictOf(doubtful, chain, journal)).toEqual(['proven']);
  expect(await journal.get(id)).toMatchObject({ state: 'resolved', resolvedAs: 'happened' });
});
