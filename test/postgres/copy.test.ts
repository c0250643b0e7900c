import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { unitsOf } from '../../src/once/intent/amount.ts';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import type { Attempt, Decision, Intent, Journal } from '../../src/once/journal/journal.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { failureOf } from '../../testing/failure.ts';
import {
  allOf,
  baseUrl,
  done,
  endWith,
  inHand,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../testing/journals.ts';
import { copy, fileOf } from '../../testing/postgres/copies.ts';
import { startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { newSharedPlace, onServer, openShared } from '../../testing/postgres/sharedJournal.ts';

const transfer = { kind: 'transfer', payment: 'p' } as const;

/** One of each kind of end that is settled, in a file that nobody has open any more. Its path. */
async function fileWithAll(): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  for (const verdict of ['accepted', 'rejected'] as const) {
    await done(journal, verdict, { ...transfer, payment: verdict, bot: 'é' });
    await done(journal, verdict, { namedBy: 'once', name: verdict });
  }
  const happened = await done(journal, 'unknown', transfer);
  const decision = { who: 'ada@home', atMs: nowMs, reason: 'seen\0', signature: 'sig', fingerprint: 'f' };
  await journal.decide(happened, { ...decision, kind: 'happened' });
  const not = await done(journal, 'unknown', { namedBy: 'once', name: 'again' });
  await journal.decide(not, { ...decision, kind: 'did-not-happen' });
  const columns = JSON.stringify({ note: 'é\0' });
  const row = { namedBy: 'row', name: 'b', rowId: '7', columns } as const;
  const paid = newIntent({ ...transfer, ...row, spelledUrl: 'https://BOTS.example.com' as typeof baseUrl });
  await journal.begin(paid, 'hash', nowMs);
  const trouble = { is: 'other', code: 'E', text: 'a\ud800b' } as const;
  const unsent = endWith('unsent', { phase: 'not-sent', trouble, reply: Buffer.from([0, 255]) });
  await journal.endAttempt(paid.id, 1, unsent, nowMs);
  await journal.startAttempt(paid.id, 'hash', nowMs + 1);
  await journal.endAttempt(paid.id, 2, endWith('accepted'), nowMs + 2);
  await journal.conclude(paid.id, 'accepted', undefined, nowMs + 2);
  await journal.keepReceipts(paid.id, [{ origin: baseUrl, what: 'signature', value: 'sig' }]);
  await journal.markReported(paid.id, nowMs + 5);
  const proposed = await journal.propose(newIntent(transfer), 'proposed', nowMs);
  await journal.decide(proposed.id, { ...decision, kind: 'declined' });
  const left = await done(journal, 'unknown');
  await journal.supersede(left);
  await journal.close();
  return path;
}

/** Nobody is asked about what is refused anyway. */
const never = (): Promise<void> => Promise.reject(new Error('asked'));

type Everything = { intent: Intent; attempts: Attempt[]; decisions: Decision[]; receipts: string[] };

async function everything(journal: Journal): Promise<Everything[]> {
  const intents = await allOf(journal.reads.select({ limit: 1000 }));
  const whole = intents.map(async (intent) => ({
    intent: { ...intent, body: Buffer.from(intent.body) },
    attempts: await journal.reads.attemptsOf(intent.id),
    decisions: await journal.reads.decisionsOf(intent.id),
    receipts: (await journal.reads.receiptsOf(intent.id)).map(({ value }) => value),
  }));
  return (await Promise.all(whole)).sort((left, right) => (left.intent.id < right.intent.id ? -1 : 1));
}

/** As it comes back from PostgreSQL, whose text has no NUL and is Unicode. */
function asText(all: readonly Everything[]): unknown {
  const plain = (text: string | undefined): string | undefined =>
    text?.replaceAll('\0', '\ufffd').toWellFormed();
  return all.map(({ attempts, decisions, ...rest }) => ({
    ...rest,
    attempts: attempts.map((one) => ({ ...one, reply: one.reply && Buffer.from(one.reply) })),
    decisions: decisions.map((one) => ({ ...one, reason: plain(one.reason) })),
  }));
}

describe('a journal in a file, copied into an empty shared one', () => {
  test.each([18, 15] as const)('is there whole, with its tokens, on PostgreSQL %i', async (version) => {
    const [path, place] = [await fileWithAll(), await newSharedPlace({ version })];
    const { hashOf } = opened(path);
    const hash = hashOf('token');
    expect(await copy(path, place)).toEqual({ added: 9, known: 0, keepsTokens: true });
    const [file, shared] = [closedAfterTest(openJournal(path, 'look')), await openShared(place)];
    const there = await everything(shared);
    expect(asText(there)).toEqual(asText(await everything(file)));
    const troubles = there.flatMap(({ attempts }) => attempts.flatMap(({ trouble }) => trouble ?? []));
    expect(troubles).toHaveLength(1);
    expect(troubles).toContainEqual({ is: 'other', code: 'E', text: 'a\ufffdb' });
    expect(shared.hashOf('token')).toBe(hash);
    expect(await copy(path, place)).toMatchObject({ added: 0, known: 9 });
  });

  test('takes along what the files of its batches asked for', async () => {
    const [path, place] = [newPath(), await newSharedPlace()];
    const journal = inHand(openJournal(path));
    const scope = { baseUrl, kind: 'transfer', name: 'pay-11' } as const;
    const skips = {
      invalid: 1,
      skipped: 1,
      skippedInDoubt: 0,
      beyond: { rows: 2, totals: [{ asset: 'sol', amount: '1' }] },
    };
    const input = { ...scope, ...skips, digest: 'd', rows: 3, totals: [{ asset: 'SOL', amount: '3.5' }] };
    await done(journal, 'accepted', { ...transfer, namedBy: 'row', name: 'pay-11', rowId: '1' });
    await journal.keepBatch(input);
    await journal.close();
    await copy(path, place);
    const shared = await openShared(place);
    expect(await shared.reads.batchInputs('pay-11')).toEqual([input]);
    await copy(path, place);
    expect(await shared.reads.batchInputs('pay-11')).toEqual([input]);
  });

  test('sends nothing more, not even by who has it open', async () => {
    const [path, place] = [await fileWithAll(), await newSharedPlace()];
    const open = opened(path);
    await copy(path, place);
    const refused = { code: 'journal-moved' };
    await expect(open.begin(newIntent(), 'hash', nowMs)).rejects.toMatchObject(refused);
    await expect(open.markReported('x', nowMs)).resolves.toBeUndefined();
    expect(() => openJournal(path)).toThrow(expect.objectContaining(refused));
  });

  test('is not closed while a process lives that sends by it', async () => {
    const [path, place] = [newPath(), await newSharedPlace()];
    const journal = opened(path);
    await done(journal, 'accepted');
    await expect(copy(path, place, { confirm: never })).rejects.toMatchObject({ kind: 'owners-alive' });
    await journal.begin(newIntent(), 'hash', nowMs);
  });

  test('interrupted between two pages, is finished by another run', async () => {
    const [path, place] = [await fileOf(450), await newSharedPlace()];
    const stop = new AbortController();
    const first = copy(path, place, { interrupted: stop.signal, onPage: () => stop.abort() });
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    expect(() => openJournal(path)).toThrow(
      expect.objectContaining({ kind: 'moved', fields: expect.objectContaining({ isWhole: false }) }),
    );
    // What is not there yet would be sent again.
    await expect(openShared(place)).rejects.toMatchObject({ kind: 'copy-not-whole', fields: { path } });
    const [again, shown] = [new AbortController(), [] as number[]];
    const second = copy(path, place, {
      interrupted: again.signal,
      onPage: (done) => done === 400 && again.abort(),
    });
    await expect(second).rejects.toMatchObject({ fields: { copied: 400 } });
    const last = copy(path, place, { onPage: (done) => shown.push(done) });
    expect(await last).toMatchObject({ added: 50, known: 400, keepsTokens: true });
    expect(shown).toEqual([200, 400, 450]);
    expect(() => openJournal(path)).toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ isWhole: true }) }),
    );
    expect(await everything(await openShared(place))).toHaveLength(450);
  });

  test('cut off at any word, is finished by another run', { timeout: 60_000 }, async () => {
    let countdown = Number.POSITIVE_INFINITY;
    const proxy = await startCuttableProxy((await sharedServer()).port, (_from, message) => {
      countdown -= 1;
      if (countdown === 0) proxy.now('cut');
      return message;
    });
    let cut = 0;
    for (let at = 25; cut === (at - 25) / 45; at += 45) {
      const [path, place] = [await fileWithAll(), await newSharedPlace()];
      countdown = at;
      const first = await copy(path, { ...place, url: proxy.through(place.url) }).catch((error) => error);
      countdown = Number.POSITIVE_INFINITY;
      if (first instanceof Error) {
        cut += 1;
        // It is what broke the line, and not that the line is broken.
        expect(first.message).not.toContain('queryable');
      }
      const { added, known, keepsTokens } = await copy(path, place);
      expect([at, added + known, keepsTokens]).toEqual([at, 9, true]);
      expect(await everything(await openShared(place))).toHaveLength(9);
    }
    expect(cut).toBeGreaterThan(1);
    await proxy.close();
  });

  test('goes into no other one afterwards', async () => {
    const path = await fileWithAll();
    await copy(path, await newSharedPlace());
    await expect(copy(path, await newSharedPlace())).rejects.toMatchObject({ code: 'usage' });
  });

  test('stays as it is where the answer is No', async () => {
    const [path, place] = [await fileWithAll(), await newSharedPlace()];
    const no = async (): Promise<void> => {
      throw new Error('No');
    };
    await expect(copy(path, place, { confirm: no })).rejects.toThrow('No');
    await done(opened(path), 'accepted');
    expect(await everything(await openShared(place))).toEqual([]);
  });

  test('is not made by a process that others took for dead', async () => {
    const [path, place] = [await fileWithAll(), await newSharedPlace()];
    await onServer(place, (client) =>
      client.query(`CREATE FUNCTION no_row() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER nobody BEFORE INSERT ON owners FOR EACH ROW EXECUTE FUNCTION no_row()`),
    );
    await expect(copy(path, place)).rejects.toMatchObject({ kind: 'fenced', code: 'fenced' });
  });

  test('is not gone on with by a process that others took for dead between two pages', async () => {
    const [path, place] = [await fileOf(250), await newSharedPlace()];
    await onServer(place, (client) =>
      client.query(`CREATE FUNCTION end_owners() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN UPDATE ${place.schema}.owners SET ended_at = 1; RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER ends AFTER INSERT ON intents DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION end_owners()`),
    );
    await expect(copy(path, place)).rejects.toMatchObject({ kind: 'fenced', code: 'fenced' });
    const counted = await onServer(place, (client) => client.query('SELECT count(*)::int FROM intents'));
    expect(counted.rows).toEqual([{ count: 200 }]);
  });
});

describe('a second machine’s journal', () => {
  /** An intent by this key, as each of the two journals knows it. */
  async function twice(
    here: Parameters<typeof done>[1],
    there: Parameters<typeof done>[1],
    fingerprint = 'fingerprint',
  ) {
    const named = { ...transfer, namedBy: 'once', name: 'n', key: randomUUID() } as const;
    const place = await newSharedPlace();
    const shared = inHand(await openShared(place));
    const id = await done(shared, here, named);
    await shared.close();
    const path = newPath();
    const file = inHand(openJournal(path));
    const other = await done(file, there, { ...named, fingerprint }, nowMs + 1);
    await file.close();
    return { path, place, id, other };
  }

  test.each(['accepted', 'rejected'] as const)(
    'that has what is %s here too is one intent',
    async (state) => {
      const { path, place, id } = await twice(state, state);
      expect(await copy(path, place)).toMatchObject({ added: 0, known: 1, keepsTokens: false });
      const shared = await openShared(place);
      expect(await shared.reads.get(id)).toMatchObject({ state, attempts: 1 });
      expect(await everything(shared)).toHaveLength(1);
    },
  );

  test.each([
    ['another body', 'rejected', 'rejected', 'another'],
    ['another end', 'rejected', 'accepted', undefined],
    ['what is in doubt here', 'unknown', 'accepted', undefined],
  ] as const)('is not copied at all where the same key has %s', async (_what, here, there, fingerprint) => {
    const { path, place, id, other } = await twice(here, there, fingerprint);
    const refused = await failureOf(() => copy(path, place, { confirm: never }));
    expect(refused.code).toBe('other-body');
    expect(refused.details.next).toEqual([
      ['history', other, '--journal', path],
      ['history', id],
    ]);
    await done(opened(path), 'accepted');
    expect(await everything(await openShared(place))).toHaveLength(1);
  });

  test.each(['unknown', 'held'] as const)('is not copied while anything of it is %s', async (state) => {
    const [place, path] = [await newSharedPlace(), newPath()];
    const journal = inHand(openJournal(path));
    await done(journal, 'accepted');
    const id = await done(journal, state);
    await journal.close();
    const refused = await failureOf(() => copy(path, place, { confirm: never }));
    expect(refused).toMatchObject({ code: 'not-allowed-now' });
    expect(refused.message).toContain(id);
    await done(opened(path), 'accepted');
    expect(await everything(await openShared(place))).toEqual([]);
  });

  test('is not copied while a process sends through the shared one', async () => {
    const [path, place] = [await fileWithAll(), await newSharedPlace()];
    const shared = inHand(await openShared(place));
    await done(shared, 'accepted');
    expect(await failureOf(() => copy(path, place))).toMatchObject({ code: 'not-allowed-now' });
    await shared.close();
    expect(await copy(path, place)).toMatchObject({ added: 9, keepsTokens: false });
    const tokens = (await everything(await openShared(place))).map(({ intent }) => intent.tokenHash);
    expect(tokens.filter((hash) => hash !== undefined)).toHaveLength(1);
  });

  test('has a transfer counted as spent at its latest attempt', async () => {
    const payment = JSON.stringify(['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', 'sol', '1']);
    const named = { kind: 'transfer', payment, namedBy: 'once', name: 'n', key: randomUUID() } as const;
    const hour = 3_600_000;
    const [place, path] = [await newSharedPlace(), newPath()];
    const journal = inHand(openJournal(path));
    const id = await done(journal, 'unknown', named, nowMs - 72 * hour);
    await journal.claim(id, nowMs - hour);
    const { attempts } = await journal.startAttempt(id, 'hash', nowMs - hour);
    await journal.endAttempt(id, attempts, endWith('accepted'), nowMs);
    await journal.conclude(id, 'accepted', undefined, nowMs);
    await journal.close();
    await copy(path, place);
    const { total } = await inHand(await openShared(place)).spending({
      ...{ asset: 'sol', recipient: undefined, sinceHour: 0 },
    });
    expect([...total].filter(([, units]) => units !== 0n)).toEqual([[nowMs / hour - 1, unitsOf('1')]]);
  });
});
