import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import type { BaseUrl } from '../../src/intent/baseUrl.ts';
import type { AttemptEnd, Journal, NewIntent, Verdict } from '../../src/journal/journal.ts';
import { openJournal } from '../../src/journal/sqliteJournal.ts';

const folders: string[] = [];
const journals: Journal[] = [];

afterEach(() => {
  for (const journal of journals.splice(0)) journal.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of this test's own, gone after it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'botctl-journal-'));
  folders.push(folder);
  return folder;
}

export function newPath(): string {
  return join(newFolder(), 'data', 'journal.db');
}

/** Opens a journal that is closed after the test. */
export function opened(path = newPath()): Journal {
  const journal = openJournal(path);
  journals.push(journal);
  return journal;
}

export const baseUrl = 'https://bots.example.com' as BaseUrl;
export const nowMs = Date.UTC(2026, 10, 20);

let made = 0;

export function newIntent(change: Partial<NewIntent> = {}): NewIntent {
  made += 1;
  const id = `intent-${String(made).padStart(6, '0')}`;
  return {
    id,
    kind: 'message',
    baseUrl,
    bot: 'payer',
    namedBy: undefined,
    name: undefined,
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
    verified: true,
    reply: undefined,
    headers: {},
    ...change,
  };
}

/** An intent that was begun, tried once with this verdict, and concluded accordingly. */
export function done(
  journal: Journal,
  verdict: 'accepted' | 'rejected' | 'unknown' | 'held',
  change: Partial<NewIntent> = {},
  atMs = nowMs,
): string {
  const intent = newIntent(change);
  const { attempts: number } = journal.begin(intent, 'hash', atMs);
  journal.endAttempt(intent.id, number, endWith(verdict), atMs);
  journal.conclude(intent.id, verdict, undefined, atMs);
  return intent.id;
}
