import { renameSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import { engineFailure } from '../../../src/once/engine/failures.ts';
import type { Outcome } from '../../../src/once/engine/outcome.ts';
import { exitOf } from '../../../src/once/failures.ts';
import type { Journal } from '../../../src/once/journal/journal.ts';
import type { Flight, Reply } from '../../../src/once/wire/flight.ts';
import { sharedFailure } from '../../../src/postgres/failures.ts';
import { explained } from '../../support/explained.ts';
import { failureOf } from '../../support/failure.ts';
import {
  endOf,
  lost,
  message,
  noRetries,
  once,
  paid,
  posted,
  reply,
  run,
  ScriptedEngine,
  transfer,
  unsent,
} from '../../support/scriptedEngine.ts';

let scripted: ScriptedEngine;
beforeEach(() => {
  scripted = new ScriptedEngine();
});
afterEach(() => scripted.remove());

/** As a process leaves it that took over, sent it and was told that it is done. */
function doneByAnother(): void {
  const database = new DatabaseSync(scripted.path);
  database.exec(`INSERT INTO attempts (entry, number, started_at) SELECT seq, 2, 1 FROM entries;
    UPDATE attempts SET ended_at = 2, phase = 'replied', verdict = 'accepted', status = 200 WHERE number = 2;
    UPDATE entries SET state = 'accepted', owner = NULL, attempts = 2`);
  database.close();
}

const stoppedOf = (ended: Outcome) => (ended.is === 'concluded' ? ended.stopped : undefined);

describe('what is kept of an attempt', () => {
  test.each([
    ['an answer', reply(500), 'replied', undefined],
    ['an answer that broke off', { ...reply(200), ended: 'broken' } as Flight, 'replied', 'reply-broke-off'],
    ['too long an answer', { ...reply(200), ended: 'too-long' } as Flight, 'replied', 'reply-too-long'],
    ['no answer to what left', lost, 'sent', 'no-answer'],
    ['what did not leave', unsent, 'not-sent', 'no-answer'],
  ])('says how far it came: %s', async (_what, flight, phase, trouble) => {
    await scripted.run(transfer(), [flight], noRetries);
    const { id } = await scripted.only();
    const attempts = await scripted.look((journal) => journal.attemptsOf(id));
    expect(attempts.map((attempt) => [attempt.phase, attempt.trouble?.is])).toEqual([[phase, trouble]]);
  });

  test('are these headers of its reply, and no others', async () => {
    const kept = {
      'content-type': 'application/json',
      'retry-after': '7',
      date: 'Mon, 20 Jul 2026 10:00:00 GMT',
      server: 'nginx',
      via: '1.1 proxy',
      'x-request-id': 'req-1',
      'request-id': 'req-2',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1',
      location: '/elsewhere',
    };
    const others = {
      'set-cookie': 'session=secret',
      authorization: 'Bot secret',
      'x-request-id-of-another': 'x',
      'old-date': 'x',
      'not-x-ratelimit-limit': 'x',
      'content-type-options': 'x',
    };
    await scripted.run(message(), [reply(400, {}, { ...kept, ...others })]);
    const { id } = await scripted.only();
    const [attempt] = await scripted.look((journal) => journal.attemptsOf(id));
    expect(attempt?.headers).toEqual(kept);
  });
});

describe('before anything leaves', () => {
  test('a journal that cannot be written keeps the request from being made', async () => {
    const journal = scripted.open();
    const broken = scripted.run(transfer(), [paid], {
      journal,
      commit: async () => {
        throw new Error('disk full');
      },
    });
    await expect(broken).rejects.toThrow('disk full');
    expect(scripted.sent).toEqual([]);
  });
});

describe('trying again', () => {
  test('goes on for as long as another pause fits into --max-wait after the first attempt ended', async () => {
    const startedAtMs = scripted.clock.now();
    const ended = await scripted.run(transfer(), Array(20).fill(lost));
    expect(endOf(ended)).toBe('unknown');
    expect(stoppedOf(ended)).toEqual({ because: 'no-tries-left' });
    expect(scripted.sent).toHaveLength(11);
    expect(scripted.clock.now() - startedAtMs).toBe(55_750);
  });

  test('counts flights after the first into --max-wait, and cuts none', async () => {
    const slow = (): Flight => {
      scripted.clock.nowMs += 29_000;
      return lost;
    };
    const ended = await scripted.run(transfer(), Array(9).fill(slow));
    expect(endOf(ended)).toBe('unknown');
    expect(scripted.sent).toHaveLength(4);
  });

  test('counts what the journal takes between attempts into --max-wait', async () => {
    const journal = scripted.open();
    const commit: EngineContext['commit'] = (work, guards) => {
      scripted.clock.nowMs += 20_000;
      return journal.commit(work, guards);
    };
    const ended = await scripted.run(transfer(), Array(9).fill(lost), { journal, commit });
    expect(endOf(ended)).toBe('unknown');
    expect(scripted.sent).toHaveLength(3);
  });

  test('is kept from nothing by a clock that jumps within a flight, and goes on no longer for one that goes back', async () => {
    const jump = (ms: number) => (): Flight => {
      scripted.clock.nowMs += ms;
      return unsent;
    };
    const day = 24 * 3_600_000;
    expect(endOf(await scripted.run(transfer(), [unsent, jump(day), paid]))).toBe('accepted');
    const before = scripted.sent.length;
    await scripted.run(message(), [unsent, jump(-day), ...Array(20).fill(unsent)]);
    expect(scripted.sent.length - before).toBe(11);
  });

  test('waits the whole Retry-After, in seconds or as a date', async () => {
    const date = new Date(scripted.clock.now() + 30_000).toUTCString();
    await scripted.run(message(), [reply(429, {}, { 'retry-after': '7' }), posted]);
    expect(scripted.clock.sleeps).toContain(7000);
    scripted.clock.sleeps.length = 0;
    await scripted.run(message('Two'), [reply(503, {}, { 'retry-after': date }), posted]);
    expect(scripted.clock.sleeps[0]).toBeGreaterThan(20_000);
  });

  test('stops where Retry-After does not fit into --max-wait, and says when to come back', async () => {
    const ended = await scripted.run(message(), [reply(429, {}, { 'retry-after': '61' })]);
    expect(endOf(ended)).toBe('open');
    expect(stoppedOf(ended)).toEqual({
      because: 'would-wait-too-long',
      comeBackAtMs: scripted.clock.now() + 61_000,
    });
    expect(scripted.clock.sleeps).toEqual([]);
  });

  test('does not take the reset of a rate limit for a wish to wait where nothing was limited', async () => {
    const reset = { 'x-ratelimit-reset': '1800', 'x-ratelimit-remaining': '99' };
    const ended = await scripted.run(transfer(), [reply(503, {}, reset), paid]);
    expect(endOf(ended)).toBe('accepted');
  });

  test('ends where another would prove nothing, and says so', async () => {
    const ended = await scripted.run(transfer(), [reply(303)]);
    expect([endOf(ended), stoppedOf(ended)]).toEqual(['unknown', { because: 'nothing-to-gain' }]);
  });

  test('ends at the second certificate that is refused: one of several servers may have a wrong one', async () => {
    const trouble = { is: 'certificate' } as never;
    const refused: Flight = { came: 'nothing', headersSent: false, trouble };
    expect(endOf(await scripted.run(transfer(), [refused, paid]))).toBe('accepted');
    const ended = await scripted.run(message(), [refused, refused]);
    expect([endOf(ended), stoppedOf(ended)]).toEqual(['open', { because: 'certificate', trouble }]);
    expect(explained(ended, 0).problem?.code).toBe('bad-certificate');
  });

  test('in a batch waits with all its rows where it is limited, which costs no try, and else as alone', async () => {
    const events: unknown[] = [];
    const pace = {
      turn: async () => {
        for (let turn = 0; turn < 9; turn += 1) await new Promise(setImmediate);
        events.push('turn');
      },
      limited: (ms: number | undefined) => void events.push(ms),
      over: new AbortController().signal,
    };
    const limited = reply(429, {}, { 'retry-after': '7' });
    const good = () => {
      events.push('flight');
      return posted;
    };
    const batch = (replies: Parameters<typeof scripted.run>[1]) =>
      scripted.run(message(), replies, { pace, limits: { maxWaitMs: 600 } });
    expect(endOf(await batch([limited, limited, reply(500), good]))).toBe('accepted');
    expect([events, scripted.clock.sleeps]).toEqual([
      [7000, 'turn', 7000, 'turn', 'turn', 'flight'],
      [0, 0, 250],
    ]);
    await scripted.report((await scripted.only()).id);
    scripted.clock.advance(12 * 3_600_000 + 1);
    expect(endOf(await batch([reply(500), reply(500)]))).toBe('unknown');
  });

  test('in a batch that has waited long enough ends as its last reply says, with the reason', async () => {
    const over = new AbortController();
    const pace = { turn: async () => over.abort(), limited: () => {}, over: over.signal };
    await scripted.run(transfer(), [reply(409)], { pace });
    expect(await scripted.only()).toMatchObject({ state: 'held', heldReason: 'key-conflict' });
  });

  test('is shown step by step, and what is waited for', async () => {
    const seen: unknown[] = [];
    const observer: EngineContext['observer'] = {
      ...scripted.engine().observer,
      during: (waiting, work) => {
        seen.push(waiting);
        return work;
      },
      step: (progress) => void seen.push(progress),
    };
    const slow = () => {
      scripted.clock.nowMs += 9;
      return reply(500);
    };
    await scripted.run(transfer(), [lost, slow, paid], { observer });
    const sending = (number: number) => [
      { is: 'sending', number, url: scripted.sent[0]?.url },
      { for: 'reply', kind: 'transfer' },
    ];
    const lostReply = { is: 'no-answer' };
    expect(seen).toEqual([
      ...sending(1),
      { is: 'came-back', number: 1, what: lostReply, tookMs: 0 },
      { is: 'waiting', verdict: 'unknown', waitMs: 250 },
      { for: 'next-try', waitMs: 250, why: lostReply },
      ...sending(2),
      { is: 'came-back', number: 2, what: 500, tookMs: 9 },
      { is: 'waiting', verdict: 'unknown', waitMs: 500 },
      { for: 'next-try', waitMs: 500, why: 500 },
      ...sending(3),
      { is: 'came-back', number: 3, what: 200, tookMs: 0 },
    ]);
    seen.length = 0;
    await scripted.beginSending(transfer({ amount: '2' }));
    await scripted.run(transfer({ amount: '2' }), [], { observer, limits: { maxWaitMs: 0 } });
    expect(seen).toEqual([{ for: 'other-process', id: (await scripted.entries())[1]?.id }]);
  });

  test('asks for each commit that a request follows to be durable before', async () => {
    const journal = scripted.open();
    const asked: unknown[] = [];
    const commit: EngineContext['commit'] = (work, guards) => {
      asked.push(guards?.beforeSending);
      return journal.commit(work, guards);
    };
    await scripted.run(transfer(), [lost, paid], { journal, commit });
    expect(asked).toEqual([true, undefined, true, undefined]);
  });

  test('goes on through a 409 on a transfer, and leaves it held where tries end with one', async () => {
    expect(endOf(await scripted.run(transfer(), [reply(409), paid]))).toBe('accepted');
    const ended = await scripted.run(transfer({ amount: '2' }), Array(20).fill(reply(409)));
    expect(endOf(ended)).toBe('held');
    expect((await scripted.entries()).at(-1)).toMatchObject({
      state: 'held',
      heldReason: 'key-conflict',
    });
  });
});

test('a 409 that says a repetition is accepted on a named message', async () => {
  const words = { code: 'x_409', message: 'duplicate idempotency key' };
  const ended = await scripted.run(message('Hi', once('n')), [reply(409, words)]);
  expect(ended).toMatchObject({
    entry: { state: 'accepted' },
    attempt: { duplicate: true },
  });
  expect(endOf(await scripted.run(message('Hi', run('n')), [reply(409, words)]))).toBe('accepted');
});

describe('a key’s age', () => {
  const minutes = (count: number) => count * 60_000;

  test('is looked at before every attempt, waits included', async () => {
    const slow = reply(503, {}, { 'retry-after': '1801' });
    const ended = await scripted.run(transfer(), [slow, paid], { limits: { maxWaitMs: 3_600_000 } });
    expect(endOf(ended)).toBe('held');
    expect(scripted.sent).toHaveLength(1);
    expect(await scripted.only()).toMatchObject({ heldReason: 'too-old', attempts: 1 });
    expect(stoppedOf(ended)).toEqual({ because: 'nothing-to-gain' });
  });

  test('counts from the first attempt that may have taken effect, not from the first', async () => {
    const limits = { maxWaitMs: 7_200_000 };
    const wait = (seconds: number) => ({ 'retry-after': String(seconds) });
    const replies = [reply(429, {}, wait(1700)), reply(503, {}, wait(1700)), paid];
    expect(endOf(await scripted.run(transfer(), replies, { limits }))).toBe('accepted');
  });

  test('holds what is resumed too late, and sends what is resumed in time', async () => {
    await scripted.run(transfer(), [lost], noRetries);
    scripted.clock.advance(minutes(30));
    expect(endOf(await scripted.run(transfer(), [lost], noRetries))).toBe('unknown');
    scripted.clock.advance(1);
    expect(endOf(await scripted.run(transfer()))).toBe('held');
    expect(scripted.sent).toHaveLength(2);
  });

  test.each([
    ['unsent', unsent],
    ['limited', reply(429)],
    ['lost', lost],
  ])('counts again from an operator’s word to send it once more: %s', async (_what, answer) => {
    await scripted.run(transfer(), [lost], noRetries);
    scripted.clock.advance(minutes(31));
    await scripted.run(transfer());
    const { id } = await scripted.only();
    const word = scripted.word('send-again');
    expect(endOf(await scripted.resume(id, [answer], { word, limits: { maxWaitMs: 0 } }))).toBe('unknown');
    scripted.clock.advance(minutes(29));
    expect(endOf(await scripted.resume(id, [answer], noRetries))).toBe('unknown');
    scripted.clock.advance(minutes(2));
    expect(endOf(await scripted.resume(id))).toBe('held');
  });

  test('is asked again at the lastCheck, when the connection stands: whatever tries are left, it is held', async () => {
    scripted.whileConnecting = () => scripted.clock.advance(minutes(14));
    const ended = await scripted.run(transfer(), [lost, lost, paid], { limits: { maxWaitMs: 3_600_000 } });
    expect(endOf(ended)).toBe('held');
    expect(scripted.sent).toHaveLength(2);
    const entry = await scripted.only();
    expect(entry.heldReason).toBe('too-old');
    const attempts = await scripted.look((journal) => journal.attemptsOf(entry.id));
    expect(attempts.map(({ phase, verdict }) => `${phase} ${verdict}`)).toEqual([
      'sent unknown',
      'sent unknown',
      'not-sent unknown',
    ]);
    expect(attempts.at(-1)?.trouble).toEqual({ is: 'too-late' });
    // There is no pause before a try that will not come.
    expect(scripted.clock.sleeps).toHaveLength(2);
  });

  test('keeps no first attempt from leaving, however long its connection took', async () => {
    scripted.whileConnecting = () => scripted.clock.advance(minutes(600));
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
  });

  test('cannot be told at the lastCheck by a clock that went back', async () => {
    await scripted.run(transfer(), [lost], noRetries);
    scripted.whileConnecting = () => scripted.clock.advance(-minutes(6));
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('held');
    expect((await scripted.only()).heldReason).toBe('too-old');
    expect(scripted.sent).toHaveLength(1);
  });

  test('cannot be told by a clock that went back', async () => {
    await scripted.run(transfer(), [lost], noRetries);
    scripted.clock.nowMs -= minutes(5) + 1;
    expect(endOf(await scripted.run(transfer()))).toBe('held');
    expect((await scripted.only()).heldReason).toBe('too-old');
  });
});

describe('a reply that the journal cannot take', () => {
  /** The disk is full after so many commits. */
  function fullAfter(most: number, journal: Journal): EngineContext['commit'] {
    let commits = 0;
    return async (work) => {
      commits += 1;
      if (commits > most) throw new Error('disk full');
      return journal.commit(work);
    };
  }

  test('is told all the same, as one that may have happened', async () => {
    const journal = scripted.open();
    const ended = await scripted.run(transfer(), [paid], {
      journal,
      commit: fullAfter(1, journal),
    });
    expect(ended).toMatchObject({ is: 'not-recorded', attempt: { verdict: 'accepted', status: 200 } });
    scripted.end(journal);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
    expect(new Set(scripted.sent.map(({ key }) => key)).size).toBe(1);
  });

  test('is told too where what came before it cannot even be read', async () => {
    const journal = scripted.open();
    const broken = (): never => {
      throw new Error('disk I/O error');
    };
    const commits = [journal.commit, journal.commit, journal.commit];
    const ended = await scripted.run(message('Hello', once('n')), [unsent, reply(409)], {
      journal: { ...journal, reads: { ...journal.reads, attemptsOf: broken } },
      commit: async (work) => (commits.shift() ?? broken)(work),
    });
    // Whether it was the first that was heard of the name, nobody knows then.
    expect(ended).toMatchObject({ is: 'not-recorded', attempt: { verdict: 'held' } });
    scripted.end(journal);
  });

  test('is told too where only the next attempt cannot be put on record', async () => {
    const journal = scripted.open();
    const ended = await scripted.run(transfer(), [lost, paid], {
      journal,
      commit: fullAfter(2, journal),
    });
    expect(ended).toMatchObject({
      is: 'not-recorded',
      entry: { wasInDoubt: true },
      attempt: { verdict: 'unknown' },
    });
    expect(scripted.sent).toHaveLength(1);
  });
});

describe('a journal that is taken away while it is in use', () => {
  const away = () => renameSync(scripted.path, `${scripted.path}.away`);

  test('before the bytes leave: nothing is sent, and that is a fault of this machine', async () => {
    scripted.whileConnecting = away;
    const failure = await failureOf(() => scripted.run(transfer(), [paid]));
    expect(failure).toMatchObject({ code: 'journal-gone' });
    expect(exitOf(failure.code)).toBe(1);
    expect(scripted.sent).toHaveLength(0);
    scripted.whileConnecting = () => {};
    renameSync(`${scripted.path}.away`, scripted.path);
    expect(endOf(await scripted.run(transfer(), [paid]))).toBe('accepted');
    expect(await scripted.entries()).toHaveLength(1);
  });

  test('before the bytes of what may have taken effect earlier leave: that is what is told', async () => {
    await scripted.run(transfer(), [lost], noRetries);
    scripted.whileConnecting = away;
    const journal = scripted.open();
    const attempt = { trouble: { is: 'journal-gone' } };
    expect(await scripted.run(transfer(), [], { journal })).toMatchObject({ is: 'not-recorded', attempt });
    expect(scripted.sent.length).toBe(1);
  });

  test('before its outcome is told: it is not taken for recorded', async () => {
    const ended = await scripted.run(transfer(), [
      () => {
        away();
        return paid;
      },
    ]);
    expect(ended).toMatchObject({ is: 'not-recorded', attempt: { verdict: 'accepted' } });
    const { exit, problem } = explained(ended, 0);
    expect(exit).toBe(9);
    expect(problem?.message).toMatch(/could not record it: The journal was removed while it was in use: /u);
    expect(problem?.hint).toMatch(/Bring the journal back/u);
  });
});

describe('a claim that others may soon take over', () => {
  const stale = () => ({
    ...noRetries,
    journal: { ...scripted.open(), trouble: () => 'stale-claim' as const },
  });

  test('lets nothing leave, and is no fault of the network', async () => {
    const ended = await scripted.run(transfer({}, once('rent')), [], stale());
    expect([endOf(ended), scripted.sent.length]).toEqual(['open', 0]);
    const { exit, problem } = explained(ended, 0);
    expect([exit, problem?.code, problem?.retry]).toEqual([8, 'fenced', 'same-command']);
    expect(problem?.message).toMatch(/was not made \(this process was silent for too long/u);
  });

  test('is claimed again, where there is time for another try', async () => {
    const stale = 'stale-claim' as const;
    const troubles = [stale, stale];
    const journal = { ...scripted.open(), trouble: () => troubles.pop() };
    expect(endOf(await scripted.run(transfer(), [paid], { journal }))).toBe('accepted');
    expect((await scripted.only()).attempts).toBe(2);
  });

  test('leaves in doubt what an earlier attempt left in doubt', async () => {
    await scripted.run(transfer({}, once('rent')), [lost], noRetries);
    const { exit, problem } = explained(await scripted.run(transfer({}, once('rent')), [], stale()), 0);
    expect(exit).toBe(9);
    expect(problem?.message).toMatch(/an earlier request was sent, and the last one was not/u);
  });
});

test('what another process proved meanwhile is told with its proof, not with our refusal', async () => {
  const ended = await scripted.run(transfer(), [
    () => {
      doneByAnother();
      return reply(402);
    },
  ]);
  expect(ended).toMatchObject({ entry: { state: 'accepted' }, attempt: { number: 2, verdict: 'accepted' } });
});

test.each([[paid], [reply(500), paid]])('what is accepted is told as it is on record', async (...replies) => {
  const ended = await scripted.run(transfer(), replies);
  const entry = ended.is === 'concluded' ? ended.entry : undefined;
  const { entry: kept } = await scripted.shown(String(entry?.id));
  expect(entry).toEqual(kept);
});

test('a connection whose reply proves nothing is dropped before the command ends', async () => {
  let isDropped = false;
  const drop = async (): Promise<void> => {
    await new Promise(setImmediate);
    isDropped = true;
  };
  const socket = { before: undefined, keep: () => {}, drop };
  await scripted.run(transfer(), [{ ...(reply(402) as Reply), socket }]);
  expect(isDropped).toBe(true);
});

test('a message leaves no receipt, whatever its reply has in it', async () => {
  await scripted.run(message(), [reply(200, { message: { id: 'm' }, transfer_id: 't', signature: 's' })]);
  const kept = await scripted.look(async (journal) => journal.receiptsOf((await scripted.only()).id));
  expect(kept).toEqual([]);
});

describe('a channel that breaks its word and throws', () => {
  test.each([new Error('a bug on the wire'), 'a bug on the wire'])(
    'is an attempt that may have taken effect, like any other that did not come back: %s',
    async (thrown) => {
      const thrower = (): Flight => {
        throw thrown;
      };
      expect(endOf(await scripted.run(transfer(), [thrower, paid]))).toBe('accepted');
      const attempts = await scripted.look(async (journal) => journal.attemptsOf((await scripted.only()).id));
      const trouble = { is: 'attempt-failed', text: 'a bug on the wire' };
      expect(attempts).toMatchObject([{ verdict: 'unknown', trouble }, { verdict: 'accepted' }]);
    },
  );
});

describe('a next attempt that the journal refuses', () => {
  const refusing = (fails: () => never) => {
    const journal = scripted.open();
    let commits = 0;
    const commit: EngineContext['commit'] = async (work, guards) => {
      commits += 1;
      return commits === 3 ? fails() : journal.commit(work, guards);
    };
    return { journal, commit };
  };

  test('because others have the entry now, is told as it stands there', async () => {
    const fenced = refusing(() => {
      throw sharedFailure('fenced', { place: 'db' });
    });
    expect(await scripted.run(transfer(), [lost], fenced)).toMatchObject({
      is: 'concluded',
      entry: { id: (await scripted.only()).id, wasInDoubt: true },
      attempt: { number: 1, verdict: 'unknown' },
      replayed: false,
      stopped: { because: 'nothing-to-gain' },
    });
  });

  test('for another reason, is told as not recorded', async () => {
    const damaged = refusing(() => {
      throw engineFailure('entry-missing', {});
    });
    expect((await scripted.run(transfer(), [lost], damaged)).is).toBe('not-recorded');
  });
});
