import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { unitsOf } from '../../src/once/intent/amount.ts';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { SourceFile } from '../../src/once/journal/file/sourceFile.ts';
import type { Attempt, Decision, Intent, Journal } from '../../src/once/journal/journal.ts';
import { parseAddress } from '../../src/postgres/address.ts';
import { copyIntoShared, openTarget } from '../../src/postgres/copy.ts';
import { meetServer } from '../../src/postgres/upkeep.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { failureOf } from '../../testing/failure.ts';
import {
  allOf,
  baseUrl,
  done,
  endWith,
  inHand,
  type JournalInHand,
  newIntent,
  newPath,
  nowMs,
  opened,
} from '../../testing/journals.ts';
import { startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import {
  newSharedPlace,
  onServer,
  openShared,
  patient,
  type SharedPlace,
} from '../../testing/postgres/sharedJournal.ts';

const transfer = { kind: 'transfer', payment: 'p' } as const;

/** One of each kind of end, in a file that nobody has open any more. Its path. */
async function fileWithAll(): Promise<string> {
  const path = newPath();
  const journal = inHand(openJournal(path));
  for (const verdict of ['accepted', 'rejected', 'unknown', 'held'] as const) {
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
  const paid = await done(journal, 'accepted', { ...transfer, ...row });
  await journal.keepReceipts(paid, [{ origin: baseUrl, what: 'signature', value: 'sig' }]);
  await journal.markReported(paid, nowMs + 5);
  const open = newIntent({ spelledUrl: 'https://BOTS.example.com' as typeof baseUrl });
  await journal.begin(open, 'hash', nowMs);
  const trouble = { is: 'other', code: 'E', text: 'a\ud800b' } as const;
  const unsent = endWith('unsent', { phase: 'not-sent', trouble, reply: Buffer.from([0, 255]) });
  await journal.endAttempt(open.id, 1, unsent, nowMs);
  await journal.conclude(open.id, 'open', undefined, nowMs);
  const left = await done(journal, 'unknown');
  await journal.supersede(left);
  await journal.begin(newIntent(), 'hash', nowMs);
  await journal.close();
  return path;
}

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

type More = { interrupted?: AbortSignal; onPage?: (done: number) => void; confirm?: () => Promise<void> };

async function copy(path: string, place: SharedPlace, more: More = {}) {
  const source = SourceFile.open(path);
  const address = parseAddress(place.url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const { connection, server } = await meetServer(address, patient);
  const shared = {
    connection,
    server,
    schema: place.schema,
    place: 'postgres://…',
    dataFolder: place.dataFolder,
  };
  try {
    const { target, journalId, salt, end } = await openTarget(shared);
    const copied = await copyIntoShared({
      source,
      target,
      moved: { place: 'postgres://…', journal: journalId, who: 'ada', atMs: nowMs + 60_000 },
      isSameSalt: Buffer.from(source.salt).equals(salt),
      interrupted: more.interrupted ?? patient.interrupted,
      confirm: more.confirm ?? (async () => {}),
      onPage: more.onPage ?? (() => {}),
    });
    await end();
    return copied;
  } finally {
    await connection.close();
    source.close();
  }
}

describe('a journal in a file, copied into an empty shared one', () => {
  test.each([18, 15] as const)('is there whole, with its tokens, on PostgreSQL %i', async (version) => {
    const [path, place] = [await fileWithAll(), await newSharedPlace({ version })];
    const { hashOf } = opened(path);
    const hash = hashOf('token');
    expect(await copy(path, place)).toEqual({ added: 14, known: 0, merged: 0, held: 0, keepsTokens: true });
    const [file, shared] = [closedAfterTest(openJournal(path, 'look')), await openShared(place)];
    const there = await everything(shared);
    expect(asText(there)).toEqual(asText(await everything(file)));
    const troubles = there.flatMap(({ attempts }) => attempts.flatMap(({ trouble }) => trouble ?? []));
    expect(troubles).toHaveLength(2);
    expect(troubles).toContainEqual({ is: 'other', code: 'E', text: 'a\ufffdb' });
    expect(troubles).toContainEqual({ is: 'process-died' });
    expect(shared.hashOf('token')).toBe(hash);
    expect(await copy(path, place)).toMatchObject({ added: 0, known: 14 });
  });

  test('takes along what the files of its batches asked for, and any file may go on with one', async () => {
    const [path, place] = [newPath(), await newSharedPlace()];
    const journal = inHand(openJournal(path));
    const scope = { baseUrl, kind: 'transfer', name: 'pay-11' } as const;
    const skips = {
      skipped: 1,
      skippedInDoubt: 0,
      beyond: { rows: 2, totals: [{ asset: 'sol', amount: '1' }] },
    };
    const input = { ...scope, ...skips, rows: 3, totals: [{ asset: 'SOL', amount: '3.5' }] };
    await done(journal, 'accepted', { ...transfer, namedBy: 'row', name: 'pay-11', rowId: '1' });
    await journal.keepBatch(input);
    await journal.close();
    await copy(path, place);
    const shared = await openShared(place);
    expect(await shared.reads.batchInputs('pay-11')).toEqual([input]);
    await copy(path, place);
    const file = { ...scope, digest: 'corrected', rows: 4 };
    expect(await shared.shares?.isOtherFile(file)).toBe(false);
    expect(await shared.shares?.join(file, false)).toMatchObject({ is: 'joined', round: { round: 2 } });
    expect(await shared.shares?.isOtherFile({ ...file, digest: 'another' })).toBe(true);
    expect(await shared.reads.batchInputs('pay-11')).toEqual([{ ...input, rows: 4 }]);
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
    await journal.begin(newIntent(), 'hash', nowMs);
    await expect(copy(path, place)).rejects.toMatchObject({ code: 'not-allowed-now' });
    await journal.begin(newIntent(), 'hash', nowMs);
  });

  test('interrupted between two pages, is finished by another run', async () => {
    const [path, place] = [newPath(), await newSharedPlace()];
    const journal = openJournal(path);
    await journal.commit(async (tx) => {
      for (let nth = 0; nth < 450; nth += 1) {
        const intent = newIntent();
        await tx.begin(intent, 'hash', nowMs);
        await tx.endAttempt(intent.id, 1, endWith('accepted'), nowMs);
        await tx.conclude(intent.id, 'accepted', undefined, nowMs);
      }
    });
    await journal.close();
    const stop = new AbortController();
    const first = copy(path, place, { interrupted: stop.signal, onPage: () => stop.abort() });
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    expect(() => openJournal(path)).toThrow(
      expect.objectContaining({ kind: 'moved', fields: expect.objectContaining({ isWhole: false }) }),
    );
    expect(await copy(path, place)).toMatchObject({ added: 250, known: 200, keepsTokens: true });
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
      if (first instanceof Error) cut += 1;
      const { added, known, keepsTokens } = await copy(path, place);
      expect([at, added + known, keepsTokens]).toEqual([at, 14, true]);
      expect(await everything(await openShared(place))).toHaveLength(14);
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
    const id = await doneShared(shared, here, named);
    const path = newPath();
    const file = inHand(openJournal(path));
    await done(file, there, { ...named, fingerprint }, nowMs + 1);
    await file.close();
    return { path, place, shared, id };
  }

  async function doneShared(
    journal: JournalInHand,
    verdict: Parameters<typeof done>[1],
    change: Parameters<typeof done>[2],
  ): Promise<string> {
    return done(journal, verdict, change);
  }

  test.each([
    ['accepted', 'unknown', 'accepted', 1, 0],
    ['unknown', 'accepted', 'accepted', 2, 1],
    ['rejected', 'accepted', 'accepted', 2, 1],
    ['rejected', 'unknown', 'held', 2, 1],
    ['unknown', 'rejected', 'held', 2, 1],
    ['held', 'rejected', 'held', 2, 1],
    ['rejected', 'rejected', 'rejected', 2, 1],
  ] as const)('%s here and %s there is one intent, %s', async (here, there, state, attempts, merged) => {
    const { path, place, shared, id } = await twice(here, there);
    expect(await copy(path, place)).toMatchObject({ added: 0, merged });
    const intent = await shared.get(id);
    expect(intent).toMatchObject({ state, attempts, owner: undefined });
    expect((await shared.attemptsOf(id)).map(({ number }) => number)).toHaveLength(attempts);
    expect(await everything(shared)).toHaveLength(1);
    expect(await copy(path, place)).toMatchObject({ added: 0, known: 1, merged: 0 });
    expect(await shared.get(id)).toEqual(intent);
  });

  test.each([
    ['that is new there', undefined],
    ['that is known there', 'unknown'],
  ] as const)('has a transfer %s counted as spent at its latest attempt', async (_which, known) => {
    const payment = JSON.stringify(['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', 'sol', '1']);
    const named = { kind: 'transfer', payment, namedBy: 'once', name: 'n', key: randomUUID() } as const;
    const hour = 3_600_000;
    const [place, path] = [await newSharedPlace(), newPath()];
    const shared = inHand(await openShared(place));
    if (known !== undefined) await done(shared, known, named, nowMs - 80 * hour);
    const journal = inHand(openJournal(path));
    const id = await done(journal, 'unknown', named, nowMs - 72 * hour);
    await journal.claim(id, nowMs - hour);
    const { attempts } = await journal.startAttempt(id, 'hash', nowMs - hour);
    await journal.endAttempt(id, attempts, endWith('accepted'), nowMs);
    await journal.conclude(id, 'accepted', undefined, nowMs);
    await journal.close();
    await copy(path, place);
    const scope = { baseUrl, asset: 'sol', recipient: undefined, sinceHour: 0 };
    const { total } = await shared.spending(scope);
    expect([...total].filter(([, units]) => units !== 0n)).toEqual([[nowMs / hour - 1, unitsOf('1')]]);
  });

  test('is not copied at all where the same key has another body', async () => {
    const { path, place, shared } = await twice('rejected', 'accepted', 'another');
    const refused = await failureOf(() => copy(path, place));
    expect(refused.code).toBe('other-body');
    const [[there], [here]] = [await everything(opened(path)), await everything(shared)];
    expect(refused.details.next).toEqual([
      ['history', there?.intent.id, '--journal', path],
      ['history', here?.intent.id],
    ]);
    await done(opened(path), 'accepted');
    expect(await everything(shared)).toHaveLength(1);
  });

  test('has its transfers in doubt held, and its tokens forgotten', async () => {
    const place = await newSharedPlace();
    await done(inHand(await openShared(place)), 'accepted');
    const path = newPath();
    const file = inHand(openJournal(path));
    const payment = await done(file, 'unknown', transfer);
    const message = await done(file, 'unknown');
    await file.close();
    expect(await copy(path, place)).toMatchObject({ added: 2, held: 1, keepsTokens: false });
    const shared = await openShared(place);
    expect(await shared.reads.get(payment)).toMatchObject({
      state: 'held',
      heldReason: 'other-token',
      tokenHash: undefined,
    });
    expect(await shared.reads.get(message)).toMatchObject({ state: 'unknown', tokenHash: undefined });
  });
});
