import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ended } from '../../src/engine/doing.ts';
import type { Flight } from '../../src/wire/flight.ts';
import {
  endOf,
  lost,
  message,
  once,
  paid,
  posted,
  reply,
  transfer,
  unsent,
  Workshop,
} from '../helpers/workshop.ts';

let shop: Workshop;
beforeEach(() => {
  shop = new Workshop();
});
afterEach(() => shop.remove());

const stoppedOf = (ended: Ended) => (ended.is === 'concluded' ? ended.stopped : undefined);

describe('before anything leaves', () => {
  it.each([
    ['message', message(), posted],
    ['transfer', transfer(), paid],
  ] as const)(
    'another process sees the %s with its key, its bytes and its attempt in the journal',
    async (_kind, asked, good) => {
      let seen: unknown;
      const look = (): Flight => {
        const [intent] = shop.intents();
        const attempts = shop.look((journal) => journal.attemptsOf(intent?.id ?? ''));
        seen = {
          state: intent?.state,
          key: intent?.key,
          body: Buffer.from(intent?.body ?? []).toString(),
          attempts: attempts.map(({ number, verdict }) => ({ number, verdict })),
        };
        return good;
      };
      await shop.run(asked, [look]);
      const [sent] = shop.sent;
      expect(seen).toEqual({
        state: 'sending',
        key: sent?.key,
        body: sent?.body,
        attempts: [{ number: 1, verdict: undefined }],
      });
    },
  );

  it('a retry is on record too, and so is how the attempt before it ended', async () => {
    const verdicts: unknown[] = [];
    const look = (answer: Flight) => (): Flight => {
      const id = shop.only().id;
      verdicts.push(shop.look((journal) => journal.attemptsOf(id).map(({ verdict }) => verdict)));
      return answer;
    };
    await shop.run(transfer(), [look(unsent), look(lost), look(paid)]);
    expect(verdicts).toEqual([[undefined], ['unsent', undefined], ['unsent', 'unknown', undefined]]);
  });

  it('a journal that cannot be written keeps the request from being made', async () => {
    const journal = shop.open();
    const broken = shop.run(transfer(), [paid], {
      journal,
      commit: async () => {
        throw new Error('disk full');
      },
    });
    await expect(broken).rejects.toThrow('disk full');
    expect(shop.sent).toEqual([]);
  });
});

describe('trying again', () => {
  it('uses the same key and the same bytes each time', async () => {
    const ended = await shop.run(transfer({ memo: 'thanks' }), [unsent, lost, reply(500), reply(429), paid]);
    expect(endOf(ended)).toBe('accepted');
    expect(shop.sent).toHaveLength(5);
    expect(new Set(shop.sent.map(({ body }) => body)).size).toBe(1);
    expect(shop.only()).toMatchObject({ state: 'accepted', attempts: 5, key: shop.sent[0]?.key });
  });

  it('ends after four more attempts than the first, unless told otherwise', async () => {
    const ended = await shop.run(transfer(), Array(9).fill(lost));
    expect(endOf(ended)).toBe('unknown');
    expect(stoppedOf(ended)).toEqual({ because: 'no-tries-left' });
    expect(shop.sent).toHaveLength(5);
    await shop.run(transfer(), Array(9).fill(lost), { limits: { retries: 0 } });
    expect(shop.sent).toHaveLength(6);
  });

  it('waits the whole Retry-After, in seconds or as a date', async () => {
    const date = new Date(shop.clock.now() + 30_000).toUTCString();
    await shop.run(message(), [reply(429, {}, { 'retry-after': '7' }), posted]);
    expect(shop.clock.sleeps).toContain(7000);
    shop.clock.sleeps.length = 0;
    await shop.run(message('Two'), [reply(503, {}, { 'retry-after': date }), posted]);
    expect(shop.clock.sleeps[0]).toBeGreaterThan(20_000);
  });

  it('stops where Retry-After does not fit into --max-wait, and says when to come back', async () => {
    const ended = await shop.run(message(), [reply(429, {}, { 'retry-after': '61' })]);
    expect(endOf(ended)).toBe('open');
    expect(stoppedOf(ended)).toEqual({
      because: 'would-wait-too-long',
      comeBackAtMs: shop.clock.now() + 61_000,
    });
    expect(shop.clock.sleeps).toEqual([]);
  });

  it('does not take the reset of a rate limit for a wish to wait where nothing was limited', async () => {
    const reset = { 'x-ratelimit-reset': '1800', 'x-ratelimit-remaining': '99' };
    const ended = await shop.run(transfer(), [reply(503, {}, reset), paid]);
    expect(endOf(ended)).toBe('accepted');
  });

  it('waits for the reset of a rate limit where it was limited', async () => {
    await shop.run(message(), [reply(429, {}, { 'x-ratelimit-reset': '9' }), posted]);
    expect(shop.clock.sleeps).toContain(9000);
  });

  it('waits no more than --max-wait in all', async () => {
    const limited = reply(429, {}, { 'retry-after': '25' });
    const ended = await shop.run(message(), Array(9).fill(limited));
    expect(endOf(ended)).toBe('open');
    expect(shop.sent).toHaveLength(3);
    expect(shop.clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(50_000);
  });

  it.each([
    ['unsent', [unsent], 'open'],
    ['limited', [reply(429)], 'open'],
    ['unsent after doubt', [lost, unsent], 'unknown'],
    ['limited after doubt', [lost, reply(429)], 'unknown'],
    ['a server error', [reply(500)], 'unknown'],
  ] as const)('leaves it as the journal can prove: after %s', async (_what, replies, state) => {
    const last = replies.at(-1) ?? lost;
    const ended = await shop.run(transfer(), [...replies, ...Array(9).fill(last)], {
      limits: { retries: replies.length - 1 },
    });
    expect(endOf(ended)).toBe(state);
  });

  it('goes on through a 409 on a transfer, and leaves it held where tries end with one', async () => {
    expect(endOf(await shop.run(transfer(), [reply(409), paid]))).toBe('accepted');
    const ended = await shop.run(transfer({ amount: '2' }), Array(5).fill(reply(409)));
    expect(endOf(ended)).toBe('held');
    expect(shop.intents().at(-1)).toMatchObject({ state: 'held', why: 'conflict-in-flight' });
  });

  it('leaves it unknown where the last of several replies is not the 409', async () => {
    const ended = await shop.run(transfer(), [reply(409), reply(500)], { limits: { retries: 1 } });
    expect(endOf(ended)).toBe('unknown');
  });
});

describe('a rejection', () => {
  it('is one while nothing may have landed', async () => {
    expect(endOf(await shop.run(transfer(), [unsent, reply(402)]))).toBe('rejected');
  });

  it.each([400, 402, 404, 405, 409.5, 422, 302].map(Math.floor).filter((status) => status !== 409))(
    'proves nothing after doubt: %i is held',
    async (status) => {
      expect(endOf(await shop.run(transfer(), [lost, reply(status)]))).toBe('held');
    },
  );

  it.each([401, 403])('for want of a permission leaves doubt as it was: %i', async (status) => {
    const ended = await shop.run(transfer(), [lost, reply(status)]);
    expect(endOf(ended)).toBe('unknown');
    expect(shop.sent).toHaveLength(2);
    expect(endOf(await shop.run(transfer(), [paid]))).toBe('accepted');
    expect(new Set(shop.sent.map(({ key }) => key)).size).toBe(1);
  });
});

describe('a 409 on a message', () => {
  it('is ours by its name alone, and is not verified, as the first thing heard of it', async () => {
    const ended = await shop.run(message('Hi', once('n')), [reply(409)]);
    expect(ended).toMatchObject({
      intent: { state: 'accepted' },
      attempt: { duplicate: true, verified: false },
    });
  });

  it('cannot be ours as the first reply to an unnamed one', async () => {
    expect(endOf(await shop.run(message(), [reply(409)]))).toBe('held');
  });

  it('is ours after doubt', async () => {
    const ended = await shop.run(message(), [lost, reply(409)]);
    expect(ended).toMatchObject({
      intent: { state: 'accepted' },
      attempt: { duplicate: true, verified: true },
    });
  });

  it('cannot be ours after the name was refused', async () => {
    await shop.run(message('Hi', once('n')), [reply(400)]);
    expect(endOf(await shop.run(message('Hi', once('n')), [reply(409)]))).toBe('held');
  });
});

describe('a key’s age', () => {
  const minutes = (count: number) => count * 60_000;

  it('is looked at before every attempt, waits included', async () => {
    const slow = reply(503, {}, { 'retry-after': '1801' });
    const ended = await shop.run(transfer(), [slow, paid], { limits: { maxWaitMs: 3_600_000 } });
    expect(endOf(ended)).toBe('held');
    expect(shop.sent).toHaveLength(1);
    expect(shop.only().why).toBe('key-age');
  });

  it('counts from the first attempt that may have landed, not from the first', async () => {
    const limits = { maxWaitMs: 7_200_000 };
    const wait = (seconds: number) => ({ 'retry-after': String(seconds) });
    const replies = [reply(429, {}, wait(1700)), reply(503, {}, wait(1700)), paid];
    expect(endOf(await shop.run(transfer(), replies, { limits }))).toBe('accepted');
  });

  it('holds what is resumed too late, and sends what is resumed in time', async () => {
    await shop.run(transfer(), [lost], { limits: { retries: 0 } });
    shop.clock.advance(minutes(30));
    expect(endOf(await shop.run(transfer(), [lost], { limits: { retries: 0 } }))).toBe('unknown');
    shop.clock.advance(1);
    expect(endOf(await shop.run(transfer()))).toBe('held');
    expect(shop.sent).toHaveLength(2);
  });

  it('is the profile’s for transfers', async () => {
    await shop.run(transfer(), [lost], { limits: { retries: 0 } });
    shop.clock.advance(minutes(5));
    expect(endOf(await shop.run(transfer(), [], { keyAgeMs: minutes(4) }))).toBe('held');
  });

  it.each([
    ['unsent', unsent],
    ['limited', reply(429)],
    ['lost', lost],
  ])('counts again from an operator’s word to send it once more: %s', async (_what, answer) => {
    await shop.run(transfer(), [lost], { limits: { retries: 0 } });
    shop.clock.advance(minutes(31));
    await shop.run(transfer());
    const { id } = shop.only();
    const word = shop.word('send-again');
    expect(endOf(await shop.resume(id, [answer], { word, limits: { retries: 0 } }))).toBe('unknown');
    shop.clock.advance(minutes(29));
    expect(endOf(await shop.resume(id, [answer], { limits: { retries: 0 } }))).toBe('unknown');
    shop.clock.advance(minutes(2));
    expect(endOf(await shop.resume(id))).toBe('held');
  });

  it('cannot be told by a clock that went back', async () => {
    await shop.run(transfer(), [lost], { limits: { retries: 0 } });
    shop.clock.nowMs -= minutes(5) + 1;
    expect(endOf(await shop.run(transfer()))).toBe('held');
    expect(shop.only().why).toBe('clock');
  });
});

describe('another token', () => {
  it('holds a transfer that may have landed, for keys may be per credential', async () => {
    await shop.run(transfer(), [lost], { limits: { retries: 0 } });
    expect(endOf(await shop.run(transfer(), [], { token: 'token-2' }))).toBe('held');
    expect(shop.only().why).toBe('other-token');
    expect(shop.sent).toHaveLength(1);
  });

  it('holds no message, and no transfer of which nothing may have landed', async () => {
    await shop.run(message(), [lost], { limits: { retries: 0 } });
    expect(endOf(await shop.run(message(), [posted], { token: 'token-2' }))).toBe('accepted');
    await shop.run(transfer(), [unsent], { limits: { retries: 0 } });
    expect(endOf(await shop.run(transfer(), [paid], { token: 'token-2' }))).toBe('accepted');
  });
});

describe('a reply that the journal cannot take', () => {
  it('is told all the same, as one that may have happened', async () => {
    const journal = shop.open();
    let commits = 0;
    const ended = await shop.run(transfer(), [paid], {
      journal,
      commit: async (work) => {
        commits += 1;
        if (commits > 1) throw new Error('disk full');
        return journal.atomically(work);
      },
    });
    expect(ended).toMatchObject({ is: 'not-recorded', attempt: { verdict: 'accepted', status: 200 } });
    shop.end(journal);
    expect(endOf(await shop.run(transfer(), [paid]))).toBe('accepted');
    expect(new Set(shop.sent.map(({ key }) => key)).size).toBe(1);
  });

  it('is told too where what came before it cannot even be read', async () => {
    const journal = shop.open();
    const broken = (): never => {
      throw new Error('disk I/O error');
    };
    const commits = [journal.atomically, journal.atomically, journal.atomically];
    const ended = await shop.run(message('Hello', once('n')), [unsent, posted], {
      journal: { ...journal, attemptsOf: broken },
      commit: async (work) => (commits.shift() ?? broken)(work),
    });
    expect(ended).toMatchObject({ is: 'not-recorded', attempt: { verdict: 'accepted' } });
    shop.end(journal);
  });

  it('is told too where only the next attempt cannot be put on record', async () => {
    const journal = shop.open();
    let commits = 0;
    const ended = await shop.run(transfer(), [lost, paid], {
      journal,
      commit: async (work) => {
        commits += 1;
        if (commits > 2) throw new Error('disk full');
        return journal.atomically(work);
      },
    });
    expect(ended).toMatchObject({ is: 'not-recorded', attempt: { verdict: 'unknown' } });
    expect(shop.sent).toHaveLength(1);
  });
});

describe('a line that breaks its word and throws', () => {
  it('is an attempt that may have landed, like any other that did not come back', async () => {
    const thrower = (): Flight => {
      throw new Error('a bug on the wire');
    };
    const ended = await shop.run(transfer(), [thrower, paid]);
    expect(endOf(ended)).toBe('accepted');
    const verdicts = shop.look((journal) => journal.attemptsOf(shop.only().id).map(({ verdict }) => verdict));
    expect(verdicts).toEqual(['unknown', 'accepted']);
  });
});
