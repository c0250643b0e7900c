import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unitsOf } from '../../src/once/entry/amount.ts';
import type { BaseUrl } from '../../src/once/entry/baseUrl.ts';
import type { Decision, Guards, NewEntry, Transaction } from '../../src/once/journal/journal.ts';
import type { Policies } from '../../src/policy/policy.ts';
import { spendWithin } from '../../src/policy/spend.ts';
import { baseUrl, done, endWith, type JournalInHand, newEntry, nowMs } from '../support/journals.ts';
import { policyOf } from '../support/policies.ts';

/** A store that counts what is spent. */
export type CountingStore<Place> = {
  newPlace(): Promise<Place>;
  open(place: Place): Promise<JournalInHand>;
  declareDead(place: Place, owner: string): Promise<void>;
};

const hourMs = 3_600_000;
export const people = [
  '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  'HN7cABqLq46Es1jh92dQQisAq662SmxELLLsHHe4YWrH',
];
const assets = ['SOL', 'TOKEN'] as const;
const most = 2n ** 64n - 1n;

/** Up to any u64, with as many places as the asset has. */
const anyAmountOf = (asset: (typeof assets)[number]) =>
  fc
    .tuple(fc.bigInt({ min: 1n, max: most }), fc.integer({ min: 0, max: asset === 'SOL' ? 9 : 18 }))
    .map(([units, places]) => {
      const digits = units.toString().padStart(places + 1, '0');
      const fraction = digits.slice(digits.length - places).replace(/0+$/u, '');
      const whole = digits.slice(0, digits.length - places);
      return places === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
    });

/** Mostly a few of these amounts make a day, so that each claim may be the one too many. */
const amountOf = (asset: (typeof assets)[number], most = 5) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 1, max: most }).map(String) },
    { weight: 1, arbitrary: anyAmountOf(asset) },
  );

/** The same amount as whole 10^-18. Written anew: what it judges counts in its own way. */
function exact(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(whole) * 10n ** 18n + BigInt(fraction.padEnd(18, '0'));
}

type Limits = { readonly day: string };
type Step =
  | { do: 'claim'; asset: (typeof assets)[number]; to: number; amount: string; at: string; held: boolean }
  | { do: 'end'; which: number; as: 'accepted' | 'rejected' | 'open' | 'unknown' | 'held' }
  | { do: 'resume'; which: number }
  | { do: 'resolve'; which: number; as: 'happened' | 'did-not-happen' }
  | { do: 'accept late'; which: number }
  | { do: 'crash' }
  | { do: 'clock'; byMs: number }
  | { do: 'policy'; limits: Limits };

const limits = fc.record({ day: amountOf('TOKEN', 15) });
const which = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...assets).chain((asset) =>
      fc.record({
        do: fc.constant('claim' as const),
        asset: fc.constant(asset),
        to: fc.nat(1),
        amount: amountOf(asset),
        at: fc.constantFrom('', '/team-b', '.other'),
        held: fc.boolean(),
      }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which,
      as: fc.constantFrom('accepted', 'rejected', 'open', 'unknown', 'held'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('resume' as const), which }) },
  fc.record({
    do: fc.constant('resolve' as const),
    which,
    as: fc.constantFrom('happened', 'did-not-happen'),
  }),
  fc.record({ do: fc.constant('accept late' as const), which }),
  fc.record({ do: fc.constant('crash' as const) }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      byMs: fc.integer({ min: -hourMs, max: 9 * hourMs }),
    }),
  },
  fc.record({ do: fc.constant('policy' as const), limits }),
);

type Known = {
  readonly id: string;
  readonly asset: string;
  readonly to: number;
  readonly amount: bigint;
  state: 'sending' | 'accepted' | 'rejected' | 'open' | 'unknown' | 'held' | 'happened' | 'did-not-happen';
  claimedAtMs: number;
};

type Spending = Pick<Known, 'asset' | 'amount'>;

const counts = ({ state }: Known): boolean => !['rejected', 'open', 'did-not-happen'].includes(state);

/** What an exact reckoner says is left of a limit. */
function spentOf(known: readonly Known[], asset: string, atMs: number, without?: string): bigint {
  return known
    .filter((one) => one.asset === asset && one.id !== without && counts(one))
    .filter((one) => one.claimedAtMs > atMs - 24 * hourMs)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** When enough of what counts now is older than a day. */
function freeAt(
  known: readonly Known[],
  { asset, amount }: Spending,
  day: bigint,
  atMs: number,
  id?: string,
) {
  return known
    .map(({ claimedAtMs }) => claimedAtMs + 24 * hourMs)
    .filter((freeMs) => freeMs > atMs && day - spentOf(known, asset, freeMs, id) >= amount)
    .sort((one, other) => one - other)[0];
}

const beforeSending: Guards = { beforeSending: true };
const named = { kind: 'transfer', namedBy: 'once', name: 'n' } as const;
type Asked = { readonly asset: string; readonly to: string; readonly id: string | undefined };

async function asked(
  tx: Transaction,
  policies: Policies,
  { asset, to, id }: Asked,
  amount: string,
  atMs: number,
) {
  const spend = { to, asset, assetNames: [asset.toLowerCase()], units: unitsOf(amount) };
  const entry = id === undefined ? undefined : await tx.get(id);
  return spendWithin(policies, { spend, entry, proposes: false, isShared: false }, tx, atMs);
}

export function describeSpending<Place>(name: string, store: CountingStore<Place>, runs: number): void {
  test(`${name}: whatever happens, exactly what the limits allow is claimed`, async () => {
    const history = fc.tuple(limits, fc.array(step, { minLength: 5, maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(history, async ([first, steps]) => {
        const place = await store.newPlace();
        const play = new Play(store, place, await store.open(place), first);
        for (const one of steps) await play.take(one);
        await play.end();
      }),
      { numRuns: runs },
    );
  });

  test(`${name}: what is claimed in one shared commit counts for the rest of it, and what was claimed before once`, async () => {
    const journal = await store.open(await store.newPlace());
    const paymentTo = (to: string) => ({ ...named, payment: JSON.stringify([to, 'sol', '100']) }) as const;
    const [ada = '', bob = ''] = people;
    const doubtful = await done(journal, 'unknown', paymentTo(ada));
    const policies = [policyOf({ limits: { SOL: { day: '400' } } })];
    let judgeOthers = (): void => {};
    const isJudged = new Promise<void>((resolve) => {
      judgeOthers = resolve;
    });
    const claim = (to: string, id?: string) => async (tx: Transaction) => {
      if (id === undefined) await isJudged;
      const word = await asked(tx, policies, { to, asset: 'SOL', id }, '100', nowMs);
      judgeOthers();
      if (word.is !== 'allowed') return word.is;
      word.reserve?.();
      if (id === undefined) await tx.begin(newEntry(paymentTo(to)), 'hash', nowMs);
      else {
        await tx.claim(id, nowMs);
        await tx.startAttempt(id, 'hash', nowMs);
      }
      return word.is;
    };
    const works = [claim(ada, doubtful), claim(ada), claim(ada), claim(bob), claim(bob)];
    const ends = await journal.commitTogether(works.map((work) => ({ work, guards: beforeSending })));
    const words = ['allowed', 'allowed', 'allowed', 'allowed', 'refused'];
    expect(ends).toEqual(words.map((value) => ({ status: 'fulfilled', value })));
    await journal.close();
  });

  test(`${name}: what is spent are its payments at their last claims that were not given back`, async () => {
    const journal = await store.open(await store.newPlace());
    const payment = JSON.stringify([people[0], 'sol', '2']);
    const id = await done(journal, 'rejected', { ...named, payment });
    const spent = async (asset = 'SOL'): Promise<unknown[]> => {
      const each = await journal.spent(asset, nowMs - 24 * hourMs);
      const { units } = await journal.spending(asset, nowMs - 24 * hourMs);
      expect(units).toBe(each.reduce((sum, one) => sum + one.units, 0n));
      return each;
    };
    expect(await spent()).toEqual([]);
    for (const later of [1, 2]) {
      await journal.claim(id, nowMs + later * hourMs);
      expect(await spent()).toEqual([{ id, atMs: nowMs + later * hourMs, units: unitsOf('2') }]);
      await journal.conclude(id, 'rejected', undefined, nowMs + 3 * hourMs);
      expect(await spent()).toEqual([]);
    }
    const paying = (amount: string) =>
      ({ kind: 'transfer', payment: JSON.stringify([people[0], 'token', amount]) }) as const;
    const amounts = ['1', `0.${'0'.repeat(37)}1`, '9'.repeat(20), '999999999999.999999999'];
    for (const [nth, amount] of amounts.entries()) {
      await done(journal, 'unknown', paying(amount), nowMs + nth);
      await done(journal, 'accepted', paying(amount), nowMs - 24 * hourMs);
    }
    expect(await spent('Token')).toMatchObject(amounts.map((amount) => ({ units: unitsOf(amount) })));
    // What waits for approval is not spent, and a message spends nothing.
    await journal.propose(newEntry({ ...named, payment }), 'approval', nowMs);
    await done(journal, 'accepted');
    expect(await spent()).toEqual([]);
    await journal.close();
  });
}

class Play<Place> {
  readonly #store: CountingStore<Place>;
  readonly #place: Place;
  readonly #known: Known[] = [];
  #journal: JournalInHand;
  #limits: Limits;
  #nowMs = nowMs;

  constructor(store: CountingStore<Place>, place: Place, journal: JournalInHand, limits: Limits) {
    this.#store = store;
    this.#place = place;
    this.#journal = journal;
    this.#limits = limits;
  }

  async end(): Promise<void> {
    await this.#journal.close();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'claim':
        return this.#claim(step);
      case 'end':
        return this.#end(step);
      case 'resume':
        return this.#resume(step);
      case 'resolve':
        return this.#resolve(step);
      case 'accept late':
        return this.#acceptLate(step);
      case 'crash':
        return this.#crash();
      case 'clock':
        this.#nowMs += step.byMs;
        return;
      case 'policy':
        this.#limits = step.limits;
    }
  }

  #pick(which: number, ...states: Known['state'][]): Known | undefined {
    const fitting = this.#known.filter(({ state }) => states.includes(state));
    return fitting[which % Math.max(1, fitting.length)];
  }

  /** What is to be said of this spend, by the exact reckoner; and from when on it would be allowed. */
  #expected(one: Spending, without?: string): unknown {
    const day = exact(this.#limits.day);
    if (day - spentOf(this.#known, one.asset, this.#nowMs, without) >= one.amount) return 'allowed';
    return { freeAtMs: freeAt(this.#known, one, day, this.#nowMs, without) };
  }

  async #asked(
    tx: Transaction,
    { asset, to, id }: Pick<Known, 'asset' | 'to'> & { id?: string },
    amount: string,
  ) {
    // A file allows no more places than the asset has.
    const day = unitsOf(this.#limits.day);
    const policies = [{ ...policyOf({}), limits: new Map(assets.map((each) => [each, { day }])) }];
    const word = await asked(tx, policies, { asset, to: people[to] ?? '', id }, amount, this.#nowMs);
    if (word.is !== 'refused') return word.is;
    const { freeAtMs } = word.failure.fields as { readonly freeAtMs: number | undefined };
    return { freeAtMs };
  }

  async #claim({ asset, to, amount, at, held }: Step & { do: 'claim' }): Promise<void> {
    const payment = JSON.stringify([people[to], asset.toLowerCase(), amount]);
    const entry: NewEntry = newEntry({
      ...named,
      // Whatever service it goes to.
      baseUrl: `${baseUrl}${at}` as BaseUrl,
      payment,
      body: Buffer.from(amount),
    });
    const one = { id: entry.id, asset, to, amount: exact(amount) };
    const word = await this.#journal.commit(async (tx) => {
      const said = held ? await this.#asked(tx, { asset, to }, amount) : 'allowed';
      if (said === 'allowed') await tx.begin(entry, 'hash', this.#nowMs);
      return said;
    }, beforeSending);
    if (held) expect(word).toEqual(this.#expected(one));
    if (word === 'allowed') this.#known.push({ ...one, state: 'sending', claimedAtMs: this.#nowMs });
  }

  async #end({ which, as }: Step & { do: 'end' }): Promise<void> {
    const one = this.#pick(which, 'sending');
    if (one === undefined) return;
    const { attempts, wasInDoubt: inDoubt } = (await this.#journal.get(one.id)) ?? {
      attempts: 0,
      wasInDoubt: false,
    };
    const state = inDoubt && (as === 'rejected' || as === 'open') ? 'unknown' : as;
    await this.#journal.commit(async (tx) => {
      await tx.endAttempt(one.id, attempts, endWith(state === 'open' ? 'unsent' : state), this.#nowMs);
      await tx.conclude(one.id, state, state === 'held' ? 'no-proof' : undefined, this.#nowMs);
    });
    one.state = state;
  }

  async #resume({ which }: Step & { do: 'resume' }): Promise<void> {
    const one = this.#pick(which, 'unknown', 'open', 'rejected', 'did-not-happen');
    if (one === undefined) return;
    const text = Buffer.from((await this.#journal.get(one.id))?.body ?? '').toString();
    const word = await this.#journal.commit(async (tx) => {
      const said = await this.#asked(tx, one, text);
      if (said !== 'allowed') return said;
      await tx.claim(one.id, this.#nowMs);
      await tx.startAttempt(one.id, 'hash', this.#nowMs);
      return said;
    }, beforeSending);
    expect(word).toEqual(this.#expected(one, one.id));
    if (word !== 'allowed') return;
    one.state = 'sending';
    one.claimedAtMs = this.#nowMs;
  }

  async #resolve({ which, as }: Step & { do: 'resolve' }): Promise<void> {
    const one = this.#pick(which, 'unknown', 'held', 'open', 'did-not-happen');
    if (one === undefined) return;
    const decision: Decision = {
      kind: as,
      who: 'me',
      atMs: this.#nowMs,
      reason: 'seen',
      signature: undefined,
    };
    await this.#journal.decide(one.id, decision);
    one.state = as;
  }

  async #acceptLate({ which }: Step & { do: 'accept late' }): Promise<void> {
    const one = this.#pick(which, 'unknown', 'held', 'rejected', 'did-not-happen');
    if (one === undefined) return;
    const { attempts, state } = (await this.#journal.get(one.id)) ?? { attempts: 0, state: 'open' };
    const attempt = (await this.#journal.attemptsOf(one.id)).at(-1);
    if (attempt?.phase !== 'process-died' || state === 'accepted') return;
    await this.#journal.commit(async (tx) => {
      await tx.endAttempt(one.id, attempts, endWith('accepted'), this.#nowMs);
      await tx.conclude(one.id, 'accepted', undefined, this.#nowMs);
    });
    one.state = 'accepted';
  }

  async #crash(): Promise<void> {
    if (!this.#known.some(({ state }) => state === 'sending')) return;
    await this.#store.declareDead(this.#place, this.#journal.self());
    await this.#journal.close();
    this.#journal = await this.#store.open(this.#place);
    for (const one of this.#known) if (one.state === 'sending') one.state = 'unknown';
  }
}
