import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endWith, inHand, newIntent, nowMs } from '../../../testing/journals.ts';
import { type CuttableProxy, startCuttableProxy } from '../../../testing/postgres/cuttableProxy.ts';
import { sharedServer } from '../../../testing/postgres/server.ts';
import { onShared, scriptedEngines } from '../../../testing/postgres/sharedEngine.ts';
import {
  newSharedPlace,
  onServer,
  openShared,
  type SharedPlace,
} from '../../../testing/postgres/sharedJournal.ts';
import { once, paid, transfer } from '../../../testing/scriptedEngine.ts';

const leaseMs = 500;
const newEngine = scriptedEngines();

let proxy: CuttableProxy;
beforeAll(async () => {
  proxy = await startCuttableProxy((await sharedServer()).port);
});
afterAll(() => proxy.close());

const throughProxy = (place: SharedPlace): SharedPlace => ({ ...place, url: proxy.through(place.url) });

/** What the server has of it, past every botctl. */
async function endOfOwner(place: SharedPlace, owner: string): Promise<number | null> {
  const sql = 'SELECT ended_at::float8 FROM owners WHERE id = $1';
  const { rows } = await onServer(place, (client) => client.query(sql, [owner]));
  return rows[0]?.ended_at;
}

describe('an owner', () => {
  test('that has nothing to say for long renews its lease', async () => {
    const place = await newSharedPlace({ leaseMs });
    const [journal, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    await pause(3 * leaseMs);
    await other.recordDeath(id, nowMs);
    expect(await other.get(id)).toMatchObject({ state: 'sending', ownerLives: true });
    expect(journal.trouble()).toBeUndefined();
  });

  test('that waits in a lock renews it on a line of its own', async () => {
    const place = await newSharedPlace({ leaseMs });
    const [journal, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    const alone = { alone: ['the same'] };
    const holding = other.commit(() => pause(3 * leaseMs), alone);
    await pause(20);
    const waiting = journal.commit(async (tx) => (await tx.get(id))?.state, {
      ...alone,
      beforeSending: true,
    });
    await holding;
    await other.recordDeath(id, nowMs);
    expect(await other.ownerLives(journal.self())).toBe(true);
    expect(await waiting).toBe('sending');
  });

  test('that leaves is not waited for', async () => {
    const place = await newSharedPlace();
    const [journal, other] = [inHand(await openShared(place)), inHand(await openShared(place))];
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    expect((await other.get(id))?.ownerLives).toBe(true);
    await journal.close();
    expect((await other.get(id))?.ownerLives).toBe(false);
    await other.recordDeath(id, nowMs);
    expect(await other.get(id)).toMatchObject({ state: 'unknown', tainted: true });
  });

  test('is dead by the record alone: a lease that ran out is not enough to take what it has', async () => {
    const place = await newSharedPlace({ leaseMs });
    const journal = inHand(await openShared(throughProxy(place)));
    const other = inHand(await openShared(place));
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    proxy.now('hold');
    await pause(2 * leaseMs);
    await expect(other.claim(id, nowMs)).rejects.toThrow('is being sent already');
    expect(await endOfOwner(place, journal.self())).toBeNull();
    await other.recordDeath(id, nowMs);
    expect(await endOfOwner(place, journal.self())).toBeGreaterThan(0);
    await other.claim(id, nowMs);
    proxy.release();
  });

  test('whose reads say dead may still renew: both cannot be', async () => {
    const place = await newSharedPlace({ leaseMs });
    const journal = inHand(await openShared(throughProxy(place)));
    const other = inHand(await openShared(place));
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    proxy.now('hold');
    await pause(2 * leaseMs);
    proxy.release();
    await journal.startAttempt(id, 'h', nowMs);
    await other.recordDeath(id, nowMs);
    expect(await other.get(id)).toMatchObject({ state: 'sending', ownerLives: true });
  });
});

describe('an owner that was stopped for longer than its lease', () => {
  test('starts nothing new, and records what was accepted, over the one that took over', async () => {
    const place = await newSharedPlace({ leaseMs });
    const late = inHand(await openShared(throughProxy(place)));
    const now = inHand(await openShared(place));
    const [one, two] = [newIntent({ namedBy: 'once', name: 'n' }), newIntent({ namedBy: 'once', name: 'm' })];
    for (const intent of [one, two]) await late.begin(intent, 'h', nowMs);
    expect(late.trouble()).toBeUndefined();
    proxy.now('hold');
    await pause(2 * leaseMs);
    expect(late.trouble()).toEqual({ is: 'stale-claim' });
    for (const { id } of [one, two]) {
      await now.recordDeath(id, nowMs);
      await now.claim(id, nowMs);
      await now.startAttempt(id, 'h', nowMs);
    }
    proxy.release();

    await expect(late.startAttempt(one.id, 'h', nowMs)).rejects.toMatchObject({ code: 'fenced' });
    expect(late.trouble()).toEqual({ is: 'fenced' });
    await expect(late.begin(newIntent(), 'h', nowMs)).rejects.toMatchObject({ code: 'fenced' });

    await late.endAttempt(two.id, 1, endWith('rejected', { status: 400 }), nowMs);
    expect(await late.conclude(two.id, 'rejected', undefined, nowMs)).toBeUndefined();
    expect(await now.get(two.id)).toMatchObject({ state: 'sending', owner: now.self(), tainted: true });

    await late.endAttempt(one.id, 1, endWith('accepted'), nowMs);
    expect(await late.conclude(one.id, 'accepted', undefined, nowMs)).toBeUndefined();
    expect((await now.get(one.id))?.state).toBe('accepted');
    await now.endAttempt(one.id, 2, endWith('unknown', { status: 500 }), nowMs);
    expect(await now.conclude(one.id, 'unknown', undefined, nowMs)).toBeUndefined();
    expect((await now.get(one.id))?.state).toBe('accepted');
  });

  test('is fenced alone: what it commits beside it is recorded', async () => {
    const place = await newSharedPlace();
    const journal = inHand(await openShared(place));
    const { id } = await journal.begin(newIntent(), 'h', nowMs);
    await onServer(place, (client) => client.query('UPDATE owners SET ended_at = 1'));
    const [reply, next] = await journal.commitTogether<unknown>([
      { guards: {}, work: (tx) => tx.endAttempt(id, 1, endWith('accepted'), nowMs) },
      { guards: { beforeSending: true }, work: (tx) => tx.begin(newIntent(), 'h', nowMs) },
    ]);
    expect([reply?.status, next?.status]).toEqual(['fulfilled', 'rejected']);
    expect((await journal.attemptsOf(id)).map(({ verdict }) => verdict)).toEqual(['accepted']);
  });

  test('does not send at the door, and claims anew', async () => {
    const place = await newSharedPlace({ leaseMs });
    const scripted = newEngine();
    const journal = await openShared(place);
    scripted.whileConnecting = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, leaseMs);
      scripted.whileConnecting = () => {};
    };
    const ended = await scripted.run(transfer({}, once('rent')), [paid], onShared(journal));
    expect(ended).toMatchObject({
      is: 'concluded',
      intent: { state: 'accepted', attempts: 2, tainted: false },
    });
    expect(scripted.sent).toHaveLength(1);
    const [{ id } = { id: '' }] = await journal.reads.startingWith(scripted.sent[0]?.key ?? '');
    const attempts = await journal.reads.attemptsOf(id);
    expect(attempts.map(({ verdict, phase }) => [verdict, phase])).toEqual([
      ['unsent', 'not-sent'],
      ['accepted', 'replied'],
    ]);
  });

  test('before its request left sends none, and tells what became of it meanwhile', async () => {
    const place = await newSharedPlace({ leaseMs });
    const [late, now] = [await openShared(throughProxy(place)), await openShared(place)];
    const [stopped, other] = [newEngine(), newEngine()];
    const payment = transfer({}, once('rent'));
    const held = proxy.when({ from: 'server', has: 'COMMIT' }, 'hold');
    const telling = stopped.run(payment, [paid], onShared(late));
    await held;
    await pause(2 * leaseMs);
    const taken = await other.run(payment, [paid], onShared(now));
    expect(taken).toMatchObject({ is: 'concluded', intent: { state: 'accepted' } });
    proxy.release();
    const told = await telling;
    expect(stopped.sent).toHaveLength(0);
    expect(told).toMatchObject({ is: 'concluded', intent: { state: 'accepted' } });
  });

  test('before its request left, while the other one is still sending, sends none and knows no end', async () => {
    const place = await newSharedPlace({ leaseMs });
    const [late, now] = [await openShared(throughProxy(place)), await openShared(place)];
    const [stopped, other] = [newEngine(), newEngine()];
    const payment = transfer({}, once('rent'));
    const held = proxy.when({ from: 'server', has: 'COMMIT' }, 'hold');
    const telling = stopped.run(payment, [paid], onShared(late));
    await held;
    await pause(2 * leaseMs);
    await other.beginSending(payment, onShared(now));
    proxy.release();
    const told = await telling;
    expect(stopped.sent).toHaveLength(0);
    expect(told).toMatchObject({ is: 'concluded', intent: { state: 'sending', owner: now.self() } });
  });
});
