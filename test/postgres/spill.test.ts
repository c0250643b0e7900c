import { appendFileSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Intent, Journal, LateEnd, Receipt, Transaction } from '../../src/once/journal/journal.ts';
import { PgConnections } from '../../src/postgres/connections.ts';
import { LateReplies, uploadLateReplies } from '../../src/postgres/notes.ts';
import { baseUrl, endWith, newFolder, newIntent } from '../../testing/journals.ts';
import { newSharedPlace, openShared, type SharedPlace } from '../../testing/postgres/sharedJournal.ts';

const lateEnd = (id: string, number: number, verdict: 'accepted' | 'rejected' = 'accepted'): LateEnd => ({
  id,
  number,
  end: endWith(verdict),
  receipts: [],
  state: verdict,
  why: undefined,
  atMs: 5,
});

/** A process that could not tell the journal of this, and is gone. */
async function keep(place: SharedPlace, ...ends: readonly LateEnd[]): Promise<void> {
  const journal = await openShared(place);
  for (const end of ends) journal.keepForLater(end);
  await journal.close();
}

function folderOf({ dataFolder }: SharedPlace): string {
  const [journal = ''] = readdirSync(join(dataFolder, 'shared'));
  return join(dataFolder, 'shared', journal);
}

const filesOf = (place: SharedPlace): string[] =>
  readdirSync(folderOf(place)).filter((name) => name.endsWith('.jsonl'));

test.each([
  ['an intent that the journal has lost', false],
  ['an attempt that the journal has lost', true],
])('the reply to %s is kept on this machine, and keeps nobody from going on', async (_what, isBegun) => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const intent = newIntent();
  if (isBegun) await journal.commit((tx) => tx.begin(intent, 'hash', 1), { beforeSending: true });
  await keep(place, lateEnd(intent.id, 2));
  for (const _open of ['first', 'again']) {
    await (await openShared(place)).close();
    expect(filesOf(place)).toEqual([expect.stringMatching(/^lost-late-[\w-]+\.\d+\.taken\.jsonl$/u)]);
  }
});

const beforeSending = { beforeSending: true };
const receipt: Receipt = { origin: baseUrl, what: 'transfer-id', value: 'tr_1' };

/** A transfer that this process is sending, and how it stands once the reply to it was uploaded. */
async function sending(place: SharedPlace): Promise<{
  readonly journal: Journal;
  readonly id: string;
  readonly uploaded: (late: LateEnd) => Promise<Intent | undefined>;
}> {
  const journal = await openShared(place);
  const { id } = await journal.commit((tx) => tx.begin(newIntent(), 'hash', 1), beforeSending);
  const uploaded = async (late: LateEnd): Promise<Intent | undefined> => {
    journal.keepForLater(late);
    await (await openShared(place)).close();
    return journal.reads.get(id);
  };
  return { journal, id, uploaded };
}

test('a reply that is uploaded late is whole, and its receipts are nobody else’s from then on', async () => {
  const place = await newSharedPlace();
  const { journal, id, uploaded } = await sending(place);
  const late = { ...lateEnd(id, 1), receipts: [receipt] };
  const reply = Buffer.from('{"transfer_id":"tr_1"}');
  expect(await uploaded({ ...late, end: { ...late.end, reply } })).toMatchObject({
    state: 'accepted',
    updatedAtMs: 5,
  });
  const [attempt] = await journal.reads.attemptsOf(id);
  expect(attempt).toMatchObject({ verdict: 'accepted' });
  expect(Buffer.from(attempt?.reply ?? []).toString()).toBe(String(reply));
  expect(await journal.reads.receiptsOf(id)).toEqual([receipt]);
  const other = await sending(place);
  const another = { ...lateEnd(other.id, 1), receipts: [receipt] };
  expect(await other.uploaded(another)).toMatchObject({ state: 'unknown' });
  expect(await journal.reads.attemptsOf(other.id)).toMatchObject([
    { verdict: 'unknown', trouble: { is: 'someone-elses-reply' } },
  ]);
  expect(await journal.reads.receiptsOf(other.id)).toEqual([]);
});

test('a rejection that is uploaded late is the end, and leaves no receipts', async () => {
  const place = await newSharedPlace();
  const { journal, id, uploaded } = await sending(place);
  const late = { ...lateEnd(id, 1, 'rejected'), receipts: [receipt] };
  expect(await uploaded(late)).toMatchObject({ state: 'rejected' });
  expect(await journal.reads.receiptsOf(id)).toEqual([]);
  // Whoever has that transfer ID: nothing is claimed by a rejection.
  const other = await sending(place);
  await other.uploaded({ ...lateEnd(other.id, 1), receipts: [receipt] });
  const third = await sending(place);
  const rejected = { ...lateEnd(third.id, 1, 'rejected'), receipts: [receipt] };
  expect(await third.uploaded(rejected)).toMatchObject({ state: 'rejected' });
});

test('why it is held is uploaded with it', async () => {
  const { id, uploaded } = await sending(await newSharedPlace());
  const late = { ...lateEnd(id, 1), end: endWith('unknown') };
  expect(await uploaded({ ...late, state: 'held', why: 'key-ignored' })).toMatchObject({
    state: 'held',
    heldReason: 'key-ignored',
  });
});

test('what an earlier attempt is uploaded to have done is done, unless the reply is somebody else’s', async () => {
  const place = await newSharedPlace();
  const one = await sending(place);
  await one.journal.commit((tx) => tx.startAttempt(one.id, 'hash', 2), beforeSending);
  expect(await one.uploaded({ ...lateEnd(one.id, 1), receipts: [receipt] })).toMatchObject({
    state: 'accepted',
    attempts: 2,
  });
  const other = await sending(place);
  await other.journal.commit((tx) => tx.startAttempt(other.id, 'hash', 2), beforeSending);
  expect(await other.uploaded({ ...lateEnd(other.id, 1), receipts: [receipt] })).toMatchObject({
    state: 'sending',
  });
  expect(await other.journal.reads.attemptsOf(other.id)).toMatchObject([
    { verdict: 'unknown', trouble: { is: 'someone-elses-reply' } },
    { verdict: undefined },
  ]);
});

test('a process keeps further replies while those before are uploaded, for nobody else to read', async () => {
  const folder = join(newFolder(), 'shared', 'journal');
  const late = new LateReplies(folder, 'owner');
  const path = late.keep(lateEnd('first', 1));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(path ?? '').mode & 0o777).toBe(0o600);
  const [taken] = late.take();
  late.keep(lateEnd('second', 1));
  for (const _process of ['one', 'another']) LateReplies.remove(taken?.path ?? '');
  expect(late.take().map(({ owner, ends }) => [owner, ends.map(({ id }) => id)])).toEqual([
    ['owner', ['second']],
  ]);
  // Who took them has died: the next process takes them as they are.
  const [again] = late.take();
  expect(again?.ends).toMatchObject([{ id: 'second' }]);
  for (const _process of ['one', 'another']) LateReplies.setAside(again?.path ?? '');
  expect(late.take()).toEqual([]);
});

test('replies that cannot be set aside are not forgotten', () => {
  const folder = newFolder();
  const late = new LateReplies(folder, 'owner');
  late.keep(lateEnd('first', 1));
  const [taken] = late.take();
  const path = taken?.path ?? '';
  mkdirSync(join(folder, `lost-${basename(path)}`));
  expect(() => LateReplies.setAside(path)).toThrow('EISDIR');
  expect(late.take()).toHaveLength(1);
});

test.each([
  ...['get', 'attemptsOf', 'otherHolder', 'endAttempt', 'keepReceipts', 'conclude'].map(
    (verb) => [verb, undefined] as const,
  ),
  ...['endAttempt', 'conclude'].map((verb) => [verb, 'another'] as const),
])(
  'a late reply is kept where the journal fails to %s; its receipts’ other holder is %s',
  async (verb, holder) => {
    const late = new LateReplies(newFolder(), 'owner');
    late.keep({ ...lateEnd('i', 1), receipts: [receipt] });
    const works = async (): Promise<undefined> => undefined;
    const otherHolder = async (): Promise<string | undefined> => holder;
    const verbs = { otherHolder, endAttempt: works, keepReceipts: works, conclude: works };
    const get = async (): Promise<{ attempts: number }> => ({ attempts: 1 });
    const fails = { [verb]: () => Promise.reject(new Error(verb)) };
    const attemptsOf = async (): Promise<readonly unknown[]> => [];
    const tx = { get, attemptsOf, ...verbs, ...fails } as unknown as Transaction;
    const store: Parameters<typeof uploadLateReplies>[1] = { commit: (work) => work(tx) };
    for (const taken of late.take()) await expect(uploadLateReplies(taken, store)).rejects.toThrow(verb);
    expect(late.take()).toHaveLength(1);
  },
);

test('what was recorded although nobody heard so is not recorded again, and keeps nobody from going on', async () => {
  const place = await newSharedPlace();
  const { journal, id, uploaded } = await sending(place);
  const late = lateEnd(id, 1, 'rejected');
  await journal.commit(async (tx) => {
    await tx.endAttempt(id, 1, late.end, 4);
    await tx.conclude(id, 'rejected', undefined, 4);
  });
  expect(await uploaded(late)).toMatchObject({ state: 'rejected', updatedAtMs: 4 });
  expect(filesOf(place)).toEqual([]);
});

test('what is uploaded late does not end an attempt begun since', async () => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const intent = newIntent({ namedBy: 'once', name: 'n' });
  await journal.commit((tx) => tx.begin(intent, 'hash', 1), beforeSending);
  const late = lateEnd(intent.id, 1, 'rejected');
  const trouble = { is: 'certificate', text: 't', atProxy: true } as const;
  journal.keepForLater({ ...late, end: { ...late.end, trouble } });
  await journal.commit((tx) => tx.startAttempt(intent.id, 'hash', 2), beforeSending);
  await (await openShared(place)).close();
  expect((await journal.reads.get(intent.id))?.state).toBe('sending');
  const [first] = await journal.reads.attemptsOf(intent.id);
  expect(first).toMatchObject({ verdict: 'rejected', trouble });
  expect(filesOf(place)).toEqual([]);
});

test('a reply is not lost behind one that a full disk cut off', async () => {
  const place = await newSharedPlace();
  const journal = await openShared(place);
  const intents = [
    newIntent({ namedBy: 'once', name: 'a' }),
    newIntent({ namedBy: 'once', name: 'b' }),
  ] as const;
  for (const intent of intents)
    await journal.commit((tx) => tx.begin(intent, 'hash', 1), { beforeSending: true });
  journal.keepForLater(lateEnd(intents[0].id, 1));
  const [file = ''] = filesOf(place);
  appendFileSync(join(folderOf(place), file), '{"id":"cut o');
  journal.keepForLater(lateEnd(intents[1].id, 1));
  await (await openShared(place)).close();
  const states = intents.map(async ({ id }) => (await journal.reads.get(id))?.state);
  expect(await Promise.all(states)).toEqual(['accepted', 'accepted']);
});

test('a journal is closed again where the replies that were kept for it cannot be read', async () => {
  const place = await newSharedPlace();
  vi.spyOn(LateReplies.prototype, 'take').mockImplementationOnce(() => {
    throw new Error('unreadable');
  });
  const closed = vi.spyOn(PgConnections.prototype, 'close');
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(openShared(place)).rejects.toThrow('unreadable');
  expect(closed).toHaveBeenCalledTimes(1);
});
