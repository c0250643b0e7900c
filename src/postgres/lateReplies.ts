import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncFolder } from '../machine/disk.ts';
import { takeLock } from '../machine/fileLock.ts';
import type { Intent, LateEnd, Transaction } from '../once/journal/journal.ts';
import { receiptGuards } from '../once/journal/receipts.ts';
import type { Store } from './store.ts';

const prefix = 'late-';
const lostPrefix = `lost-${prefix}`;
const suffix = '.jsonl';

/** Replies that a process could not record in the journal, and the process. */
type KeptReplies = { readonly owner: string; readonly path: string; readonly ends: readonly LateEnd[] };

const lockWaitMs = 5000;

/** Replies that could not be recorded, kept beside a shared journal's notes: one file for each process. */
export class LateReplies {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string, owner: string) {
    this.#folder = folder;
    this.#path = join(folder, `${prefix}${owner}${suffix}`);
  }

  /** Returns the file once the reply is on disk, or undefined if this disk does not accept it either. */
  keep(late: LateEnd): string | undefined {
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      return this.#locked(() => {
        append(this.#path, `${JSON.stringify(toJson(late))}\n`);
        syncFolder(this.#folder);
        return this.#path;
      });
    } catch {
      return undefined;
    }
  }

  /** Takes the replies that processes of this machine have left. Those still alive write to new files from now on. */
  take(): readonly KeptReplies[] {
    if (lateReplyFiles(this.#folder).length === 0) return [];
    return this.#locked(() => {
      for (const name of lateReplyFiles(this.#folder).filter((one) => !one.endsWith(takenSuffix))) {
        const taken = `${name.slice(0, -suffix.length)}.${Date.now()}${takenSuffix}`;
        renameSync(join(this.#folder, name), join(this.#folder, taken));
      }
      return lateReplyFiles(this.#folder).map((name) => {
        const path = join(this.#folder, name);
        const [owner = ''] = name.slice(prefix.length).split('.');
        return { path, owner, ends: endsIn(path) };
      });
    });
  }

  static remove(path: string): void {
    rmSync(path, { force: true });
  }

  /** Keeps the file for people to read, but no longer offers it to the journal. */
  static setAside(path: string): void {
    try {
      renameSync(path, join(dirname(path), `${lostPrefix}${basename(path).slice(prefix.length)}`));
    } catch (error) {
      // Another process was quicker.
      if (existsSync(path)) throw error;
    }
  }

  #locked<Result>(work: () => Result): Result {
    const lock = takeLock(join(this.#folder, 'late.lock'), lockWaitMs);
    try {
      return work();
    } finally {
      lock?.release();
    }
  }
}

const takenSuffix = `.taken${suffix}`;

export function lateReplyFiles(folder: string): readonly string[] {
  return filesIn(folder, prefix);
}

/** Files with replies to attempts that the journal has lost. */
export function lostReplies(folder: string): readonly string[] {
  return filesIn(folder, lostPrefix).map((name) => join(folder, name));
}

function filesIn(folder: string, beginning: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.startsWith(beginning) && name.endsWith(suffix));
  } catch {
    return [];
  }
}

function append(path: string, text: string): void {
  const file = openSync(path, 'a', 0o600);
  try {
    const bytes = Buffer.from(text);
    if (writeSync(file, bytes) !== bytes.length) throw new Error('cut-off');
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

type Json = Omit<LateEnd, 'end'> & {
  readonly end: Omit<LateEnd['end'], 'reply'> & { readonly reply?: string };
};

function toJson({ end: { reply, ...end }, ...late }: LateEnd): Json {
  return { ...late, end: { ...end, ...(reply && { reply: Buffer.from(reply).toString('base64') }) } };
}

function fromJson({ end: { reply, ...end }, ...late }: Json): LateEnd {
  return { ...late, end: { ...end, reply: reply === undefined ? undefined : Buffer.from(reply, 'base64') } };
}

/** Reads complete lines only. An incomplete line was never acknowledged. */
function endsIn(path: string): LateEnd[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [fromJson(JSON.parse(line) as Json)];
      } catch {
        return [];
      }
    });
}

/** Records replies that could not be recorded when they came, in the name of the process that received them. */
export async function uploadLateReplies(
  { owner, path, ends }: KeptReplies,
  store: Pick<Store, 'commitAs'>,
): Promise<void> {
  let isWhole = true;
  for (const late of ends) {
    const guards = receiptGuards(late.receipts);
    await store.commitAs(
      owner,
      async (tx) => {
        const intent = await tx.get(late.id);
        if (intent !== undefined && intent.attempts >= late.number) return recordLate(late, intent, tx);
        // The journal has lost the attempt, so this file is the only proof left.
        isWhole = false;
      },
      guards,
    );
  }
  if (isWhole) LateReplies.remove(path);
  else LateReplies.setAside(path);
}

async function recordLate(
  { id, number, end, receipts, state, why, atMs }: LateEnd,
  { attempts }: Intent,
  tx: Transaction,
): Promise<void> {
  // A later attempt decides the state of the intent itself.
  const isLatest = attempts === number;
  const isAnothers = (await tx.otherHolder(id, receipts)) !== undefined;
  if (isAnothers && end.verdict === 'accepted') {
    const trouble = { is: 'someone-elses-reply' } as const;
    await tx.endAttempt(id, number, { ...end, verdict: 'unknown', trouble }, atMs);
    if (isLatest) await tx.conclude(id, 'unknown', undefined, atMs);
    return;
  }
  await tx.endAttempt(id, number, end, atMs);
  if (end.verdict === 'accepted') await tx.keepReceipts(id, receipts);
  if (isLatest || state === 'accepted') await tx.conclude(id, state, why, atMs);
}
