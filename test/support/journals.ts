import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { BaseUrl } from '../../src/once/entry/baseUrl.ts';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import type {
  AttemptEnd,
  Journal,
  NewEntry,
  Reads,
  State,
  Transaction,
  Verdict,
  Writes,
} from '../../src/once/journal/journal.ts';
import { closedAfterTest } from './closedAfterTest.ts';

/** A folder for this test, removed after it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function newPath(): string {
  return join(newFolder(), 'data', 'journal.db');
}

/** A journal with the methods of a transaction: each call is one commit. */
export type JournalInHand = Journal & Transaction;

export function inHand(journal: Journal): JournalInHand {
  const writes = Object.fromEntries(
    writeVerbs.map((verb) => [
      verb,
      (...given: unknown[]) =>
        journal.commit((tx) => (tx[verb] as (...some: unknown[]) => Promise<unknown>)(...given), {
          beforeSending: precedingSends.some((one) => one === verb),
        }),
    ]),
  ) as unknown as Writes;
  const reads: Reads = journal.reads;
  return { ...journal, ...reads, ...writes };
}

const writeVerbs = [
  'begin',
  'claim',
  'rewrite',
  'recordDeath',
  'startAttempt',
  'endAttempt',
  'conclude',
  'keepReceipts',
  'hold',
  'decide',
  'observe',
  'markReported',
  'keepBatch',
  'propose',
] as const satisfies readonly (keyof Writes)[];

export const isWrite = (verb: string): boolean => writeVerbs.some((one) => one === verb);

const precedingSends = ['begin', 'claim', 'startAttempt'] as const satisfies readonly (keyof Writes)[];

/** Opens a journal that is closed after the test. */
export function opened(path = newPath()): JournalInHand {
  return inHand(closedAfterTest(openJournal(path)));
}

export const baseUrl = 'https://bots.example.com' as BaseUrl;
export const nowMs = Date.UTC(2026, 10, 20);

let made = 0;

export function newEntry(change: Partial<NewEntry> = {}): NewEntry {
  made += 1;
  const id = `entry-${String(made).padStart(6, '0')}`;
  return {
    id,
    kind: 'message',
    baseUrl,
    bot: 'payer',
    namedBy: undefined,
    name: undefined,
    rowId: undefined,
    key: `key-${id}`,
    identity: `identity-${id}`,
    fingerprint: 'fingerprint',
    payment: undefined,
    body: Buffer.from('{"content":"x"}'),
    ...change,
  };
}

export function endWith(verdict: Verdict, change: Partial<AttemptEnd> = {}): AttemptEnd {
  return {
    phase: 'replied',
    verdict,
    status: 200,
    requestId: undefined,
    trouble: undefined,
    retryAfterMs: undefined,
    duplicate: false,
    reply: undefined,
    headers: {},
    ...change,
  };
}

/** An entry that was begun, tried once with this verdict, and concluded accordingly. */
export async function done(
  journal: Transaction,
  verdict: 'accepted' | 'rejected' | 'unknown' | 'held',
  change: Partial<NewEntry> = {},
  atMs = nowMs,
): Promise<string> {
  const entry = newEntry(change);
  const { attempts: number } = await journal.begin(entry, 'hash', atMs);
  await journal.endAttempt(entry.id, number, endWith(verdict), atMs);
  await journal.conclude(entry.id, verdict, undefined, atMs);
  return entry.id;
}

/** How many entries are in each state. */
export async function countStates(journal: Reads): Promise<Partial<Record<State, number>>> {
  const counts: Partial<Record<State, number>> = {};
  for await (const { state } of journal.select({ limit: 100_000 })) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

export async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
