import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { allOf, endWith, inHand, newEntry, nowMs } from '../support/journals.ts';
import { passHere } from '../support/localTime.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { onShared, scriptedEngines } from '../support/postgres/sharedEngine.ts';
import { newSharedPlace, onServer, openShared, type SharedPlace } from '../support/postgres/sharedJournal.ts';
import { silence, upForLong } from '../support/postgres/silence.ts';
import { once, paid, transfer } from '../support/scriptedEngine.ts';

/** Of every journal; so long that nobody's runs out here but by what a test does. */
const leaseMs = 30_000;
const newEngine = scriptedEngines();

let proxy: CuttableProxy;
beforeAll(async () => {
  proxy = await startCuttableProxy((await sharedServer()).port);
});
afterAll(() => proxy.close());

const throughProxy = (place: SharedPlace): SharedPlace => ({ ...place, url: proxy.through(place.url) });

/** On a server on which who is silent may be taken for dead. */
async function newPlace(): Promise<SharedPlace> {
  const place = await newSharedPlace();
  await upForLong(place.url, place.schema);
  return place;
}

const fallSilent = ({ url, schema }: SharedPlace, owner: string): Promise<void> =>
  silence(url, owner, schema);

async function untilRenewed(place: SharedPlace, owner: string): Promise<void> {
  const sql = 'SELECT FROM owners WHERE id = $1 AND renewed_at > 0';
  const isRenewed = () =>
    onServer(place, async (client) => (await client.query(sql, [owner])).rowCount === 1);
  await expect.poll(isRenewed).toBe(true);
}

async function untilSomebodyWaits(place: SharedPlace): Promise<void> {
  const sql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`;
  const isWaiting = () => onServer(place, async (client) => (await client.query(sql)).rowCount === 1);
  await expect.poll(isWaiting).toBe(true);
}

/** What the server has of it, past every botctl. */
async function endOfOwner(place: SharedPlace, owner: string): Promise<number | null> {
  const sql = 'SELECT ended_at::float8 FROM owners WHERE id = $1';
  const { rows } = await onServer(place, (client) => client.query(sql, [owner]));
  return rows[0]?.ended_at;
}

describe('an owner', () => {
  afterEach(() => void vi.useRealTimers());

  test('that has nothing to say for long renews its lease', async () => {
    const place = await newPlace();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const [journal, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    await fallSilent(place, journal.self());
    vi.advanceTimersByTime(leaseMs / 2);
    await untilRenewed(place, journal.self());
    await other.recordDeath(id, nowMs);
    expect(await other.get(id)).toMatchObject({ state: 'sending', ownerLives: true });
    expect(await other.attemptsOf(id)).toMatchObject([{ phase: undefined, verdict: undefined }]);
    expect(journal.trouble()).toBeUndefined();
  });

  test('that waits in a lock renews it on a line of its own', async () => {
    const place = await newPlace();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const [journal, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    let waiting: Promise<string | undefined> | undefined;
    await other.commit(async (tx) => {
      await tx.get(id);
      waiting ??= journal.commit(async (theirs) => (await theirs.get(id))?.state, { beforeSending: true });
      await untilSomebodyWaits(place);
      await fallSilent(place, journal.self());
      vi.advanceTimersByTime(leaseMs / 2);
      await untilRenewed(place, journal.self());
    });
    await other.recordDeath(id, nowMs);
    expect((await other.get(id))?.ownerLives).toBe(true);
    expect(await other.processOf(journal.self())).toEqual({
      host: expect.stringMatching(/./u),
      pid: process.pid,
    });
    expect(await waiting).toBe('sending');
  });

  test('that leaves is not waited for', async () => {
    const place = await newSharedPlace();
    const [journal, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    expect((await other.get(id))?.ownerLives).toBe(true);
    await journal.close();
    expect((await other.get(id))?.ownerLives).toBe(false);
    await other.recordDeath(id, nowMs);
    expect(await other.get(id)).toMatchObject({ state: 'unknown', wasInDoubt: true });
    expect(await other.attemptsOf(id)).toMatchObject([
      { phase: 'process-died', verdict: 'unknown', trouble: { is: 'process-died' } },
    ]);
  });

  test('is dead by the record alone: a lease that ran out is not enough to take what it has', async () => {
    const place = await newPlace();
    const journal = inHand(await openShared(throughProxy(place)));
    const other = inHand(await openShared(place));
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    proxy.now('hold');
    await fallSilent(place, journal.self());
    await expect(other.claim(id, nowMs)).rejects.toThrow('is being sent already');
    expect(await endOfOwner(place, journal.self())).toBeNull();
    await other.recordDeath(id, nowMs);
    expect(await endOfOwner(place, journal.self())).toBeGreaterThan(0);
    await other.claim(id, nowMs);
    proxy.release();
  });

  test('whose reads say dead may still renew: both cannot be', async () => {
    const place = await newPlace();
    const journal = inHand(await openShared(throughProxy(place)));
    const other = inHand(await openShared(place));
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    proxy.now('hold');
    await fallSilent(place, journal.self());
    expect((await other.get(id))?.ownerLives).toBe(false);
    proxy.release();
    await journal.startAttempt(id, 'h', nowMs);
    await other.recordDeath(id, nowMs);
    expect(await other.get(id)).toMatchObject({ state: 'sending', ownerLives: true });
  });
});

describe('an owner that was stopped for longer than its lease', () => {
  test('starts nothing new, and records what was accepted, over the one that took over', async () => {
    const place = await newPlace();
    const late = inHand(await openShared(throughProxy(place)));
    const now = inHand(await openShared(place));
    const [one, two] = [newEntry({ namedBy: 'once', name: 'n' }), newEntry({ namedBy: 'once', name: 'm' })];
    for (const entry of [one, two]) await late.begin(entry, 'h', nowMs);
    expect(late.trouble()).toBeUndefined();
    proxy.now('hold');
    await fallSilent(place, late.self());
    passHere(leaseMs);
    expect(late.trouble()).toBe('stale-claim');
    for (const { id } of [one, two]) {
      await now.recordDeath(id, nowMs);
      await now.claim(id, nowMs);
      await now.startAttempt(id, 'h', nowMs);
    }
    proxy.release();

    await expect(late.startAttempt(one.id, 'h', nowMs)).rejects.toMatchObject({ code: 'fenced' });
    expect(late.trouble()).toBe('stale-claim');
    await expect(late.begin(newEntry(), 'h', nowMs)).rejects.toMatchObject({ code: 'fenced' });

    await late.endAttempt(two.id, 1, endWith('rejected', { status: 400 }), nowMs);
    expect(await late.conclude(two.id, 'rejected', undefined, nowMs)).toBe(false);
    expect(await now.get(two.id)).toMatchObject({ state: 'sending', owner: now.self(), wasInDoubt: true });

    await late.endAttempt(one.id, 1, endWith('accepted'), nowMs);
    expect(await late.conclude(one.id, 'accepted', undefined, nowMs)).toBe(false);
    expect((await now.get(one.id))?.state).toBe('accepted');
    await now.endAttempt(one.id, 2, endWith('unknown', { status: 500 }), nowMs);
    expect(await now.conclude(one.id, 'unknown', undefined, nowMs)).toBe(false);
    expect((await now.get(one.id))?.state).toBe('accepted');
  });

  test('is fenced alone: what it commits beside it is recorded', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    const { id } = await journal.begin(newEntry(), 'h', nowMs);
    await onServer(place, (client) => client.query('UPDATE owners SET ended_at = 1'));
    const [reply, next] = await journal.commitTogether<unknown>([
      { guards: {}, work: (tx) => tx.endAttempt(id, 1, endWith('accepted'), nowMs) },
      { guards: { beforeSending: true }, work: (tx) => tx.begin(newEntry(), 'h', nowMs) },
    ]);
    expect([reply?.status, next?.status]).toEqual(['fulfilled', 'rejected']);
    expect((await journal.attemptsOf(id)).map(({ verdict }) => verdict)).toEqual(['accepted']);
  });

  test('does not send at the door, and claims anew', async () => {
    const place = await newPlace();
    const scripted = newEngine();
    const journal = await openShared(place);
    scripted.whileConnecting = () => {
      passHere(leaseMs);
      scripted.whileConnecting = () => {};
    };
    const ended = await scripted.run(transfer({}, once('rent')), [paid], onShared(journal));
    expect(ended).toMatchObject({
      is: 'concluded',
      entry: { state: 'accepted', attempts: 2, wasInDoubt: false },
    });
    expect(scripted.sent).toHaveLength(1);
    const [{ id } = { id: '' }] = await allOf(journal.reads.select({ limit: 1 }));
    const attempts = await journal.reads.attemptsOf(id);
    expect(attempts.map(({ verdict, phase }) => [verdict, phase])).toEqual([
      ['unsent', 'not-sent'],
      ['accepted', 'replied'],
    ]);
  });

  test('whose claim’s answer comes late sends none, and tells what became of it meanwhile', async () => {
    const place = await newPlace();
    const [late, now] = [await openShared(throughProxy(place)), await openShared(place)];
    const [stopped, other] = [newEngine(), newEngine()];
    const payment = transfer({}, once('rent'));
    const held = proxy.when({ from: 'server', has: 'COMMIT' }, 'hold');
    const telling = stopped.run(payment, [paid], onShared(late));
    await held;
    await fallSilent(place, late.self());
    passHere(leaseMs);
    const accepted = { is: 'concluded', entry: { state: 'accepted' } };
    expect(await other.run(payment, [paid], onShared(now))).toMatchObject(accepted);
    proxy.release();
    expect([await telling, stopped.sent]).toMatchObject([accepted, []]);
  });

  test('before its request left, while the other one is still sending, sends none and knows no end', async () => {
    const place = await newPlace();
    const [late, now] = [await openShared(throughProxy(place)), await openShared(place)];
    const [stopped, other] = [newEngine(), newEngine()];
    const payment = transfer({}, once('rent'));
    const held = proxy.when({ from: 'server', has: 'COMMIT' }, 'hold');
    const telling = stopped.run(payment, [paid], onShared(late));
    await held;
    await fallSilent(place, late.self());
    passHere(leaseMs);
    await other.beginSending(payment, onShared(now));
    proxy.release();
    const told = await telling;
    expect(stopped.sent).toHaveLength(0);
    expect(told).toMatchObject({ is: 'concluded', entry: { state: 'sending', owner: now.self() } });
  });
});
