import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { codeOf, syncFolder } from '../../../machine/disk.ts';
import type { Loss, LostRows } from '../facts.ts';
import { giveToOwner } from './ownFiles.ts';

/** The highest number of each kind of row. */
export type RowNumbers = { readonly intents: number; readonly attempts: number; readonly decisions: number };

const numbered = ['intents', 'attempts', 'decisions'] as const;

export const noRowNumbers: RowNumbers = { intents: 0, attempts: 0, decisions: 0 };

export function highestOf(left: RowNumbers, right: RowNumbers): RowNumbers {
  return {
    intents: Math.max(left.intents, right.intents),
    attempts: Math.max(left.attempts, right.attempts),
    decisions: Math.max(left.decisions, right.decisions),
  };
}

/*
 * The file: a header that identifies the mark; 64 slots, each with the numbers of one commit; and how far the database
 * itself had come, without its log, when it was last opened. A torn or flipped slot costs one lower bound; the others
 * still count.
 */
const magic = Buffer.from('botctl mark 1\n\0\0');
const idBytes = 16;
const sumBytes = 8;
const headBytes = magic.length + idBytes + sumBytes;
const slots = 64;
const slotBytes = numbered.length * 8 + sumBytes;
const baseAt = headBytes + slots * slotBytes;
const baseBytes = 8 + sumBytes;
const wholeBytes = baseAt + baseBytes;

export function markPath(journalPath: string): string {
  return `${journalPath}.mark`;
}

function draftPath(journalPath: string): string {
  return `${markPath(journalPath)}.new`;
}

/** What was found at the mark's place. */
export type MarkFound =
  | { readonly is: 'mark'; readonly mark: Mark }
  | { readonly is: 'missing' }
  | { readonly is: 'damaged' };

/** What was ever committed to a journal, kept beside it. A journal that holds less has lost something. */
export class Mark {
  readonly id: string;
  /** How far the database, without its log, had come at least when this mark was opened. */
  readonly base: number;
  readonly #file: number;
  #highest: RowNumbers;
  #isClosed = false;

  private constructor(file: number, id: string, highest: RowNumbers, base: number) {
    this.#file = file;
    this.id = id;
    this.#highest = highest;
    this.base = base;
  }

  /** At least this was committed. A late or missing write leaves the mark lower, never higher. */
  get highest(): RowNumbers {
    return this.#highest;
  }

  static open(journalPath: string, access: 'r' | 'r+'): MarkFound {
    return Mark.#openAt(markPath(journalPath), access);
  }

  static #openAt(path: string, access: 'r' | 'r+'): MarkFound {
    let file: number;
    try {
      file = openSync(path, access);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { is: 'missing' };
      throw error;
    }
    const found = fstatSync(file).isFile() ? Mark.#read(file) : undefined;
    if (found !== undefined) return { is: 'mark', mark: found };
    closeSync(file);
    return { is: 'damaged' };
  }

  noteBase(base: number): void {
    if (base === this.base) return;
    const cell = Buffer.alloc(baseBytes);
    cell.writeBigUInt64LE(BigInt(base));
    slotSum(cell, this.id).copy(cell, 8);
    if (writeSync(this.#file, cell, 0, baseBytes, baseAt) !== baseBytes) throw short();
  }

  static #read(file: number): Mark | undefined {
    const bytes = Buffer.alloc(wholeBytes);
    readSync(file, bytes, 0, wholeBytes, 0);
    const head = bytes.subarray(0, headBytes - sumBytes);
    if (!head.subarray(0, magic.length).equals(magic)) return undefined;
    if (!sumOf(head).equals(bytes.subarray(headBytes - sumBytes, headBytes))) return undefined;
    const id = head.toString('hex', magic.length);
    const highest = highestIn(bytes, id);
    const cell = bytes.subarray(baseAt);
    const base = slotSum(cell, id).equals(cell.subarray(8)) ? Number(cell.readBigUInt64LE(0)) : 0;
    return new Mark(file, id, highest, base);
  }

  /** Writes a new mark to a draft file and syncs it. `adoptDraft` puts it in place. */
  static draft(journalPath: string, highest: RowNumbers): string {
    const id = randomBytes(idBytes).toString('hex');
    const head = Buffer.concat([magic, Buffer.from(id, 'hex')]);
    const whole = Buffer.alloc(wholeBytes);
    Buffer.concat([head, sumOf(head)]).copy(whole);
    slotWith(highest, id).copy(whole, headBytes + slotOf(highest) * slotBytes);
    removeDraft(journalPath);
    const file = openSync(draftPath(journalPath), 'wx', 0o600);
    try {
      giveToOwner(draftPath(journalPath), journalPath);
      if (writeSync(file, whole) !== whole.length) throw short();
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    return id;
  }

  /** Fills the mark beside a copy, without the base: the copy counts its changes from the start. Syncs nothing. */
  static copy(journalPath: string, copyPath: string): void {
    const bytes = readFileSync(markPath(journalPath)).subarray(0, baseAt);
    writeFileSync(markPath(copyPath), bytes);
  }

  /** Puts the draft with this id in the mark's place. Does nothing if there is no such draft. */
  static adoptDraft(journalPath: string, id: string | undefined): void {
    const draft = Mark.#openAt(draftPath(journalPath), 'r');
    if (draft.is !== 'mark') return;
    draft.mark.close();
    if (draft.mark.id !== id) return;
    renameSync(draftPath(journalPath), markPath(journalPath));
    syncFolder(dirname(journalPath));
  }

  /**
   * Notes what was committed. There is no sync: after a power failure the mark may say less than the journal holds,
   * never more.
   */
  raise(given: RowNumbers): void {
    const numbers = highestOf(this.#highest, given);
    const at = headBytes + slotOf(numbers) * slotBytes;
    const there = Buffer.alloc(slotBytes);
    // Another process, 64 commits ahead or behind, may have used this slot.
    if (readSync(this.#file, there, 0, slotBytes, at) !== slotBytes) throw short();
    const raised = highestOf(numbers, numbersAt(there, this.id));
    if (writeSync(this.#file, slotWith(raised, this.id), 0, slotBytes, at) !== slotBytes) throw short();
    this.#highest = highestOf(this.#highest, raised);
  }

  /** How far the mark says that the journal had come, or why it says nothing. Opens it only for this look. */
  static look(journalPath: string): RowNumbers | 'missing' | 'damaged' {
    const found = Mark.open(journalPath, 'r');
    if (found.is !== 'mark') return found.is;
    found.mark.close();
    return found.mark.highest;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    closeSync(this.#file);
  }
}

function short(): Error {
  return Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
}

/** Every commit that the mark notes has a higher sum than the commits before it. */
function slotOf({ intents, attempts, decisions }: RowNumbers): number {
  return (intents + attempts + decisions) % slots;
}

function sumOf(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes), 'hex').subarray(0, sumBytes);
}

function slotWith(numbers: RowNumbers, id: string): Buffer {
  const slot = Buffer.alloc(slotBytes);
  for (const [nth, kind] of numbered.entries()) slot.writeBigUInt64LE(BigInt(numbers[kind]), nth * 8);
  slotSum(slot, id).copy(slot, slotBytes - sumBytes);
  return slot;
}

function slotSum(slot: Buffer, id: string): Buffer {
  return sumOf(Buffer.concat([slot.subarray(0, -sumBytes), Buffer.from(id, 'hex')]));
}

/**
 * Usually the highest slot says it all. Slots that say no more are not checked, which saves 0.5 ms of every command.
 */
function highestIn(whole: Buffer, id: string): RowNumbers {
  const written = Array.from({ length: slots }, (_none, nth) => {
    const at = headBytes + nth * slotBytes;
    const slot = whole.subarray(at, at + slotBytes);
    return { slot, numbers: numbersOf(slot) };
  });
  written.sort((one, other) => other.numbers.intents - one.numbers.intents);
  return written.reduce(
    (highest, { slot, numbers }) =>
      isBeyond(numbers, highest) && isWhole(slot, id) ? highestOf(highest, numbers) : highest,
    noRowNumbers,
  );
}

function isBeyond(numbers: RowNumbers, highest: RowNumbers): boolean {
  return numbered.some((kind) => numbers[kind] > highest[kind]);
}

function isWhole(slot: Buffer, id: string): boolean {
  return slotSum(slot, id).equals(slot.subarray(slotBytes - sumBytes));
}

function numbersOf(slot: Buffer): RowNumbers {
  const at = (nth: number): number => Number(slot.readBigUInt64LE(nth * 8));
  return { intents: at(0), attempts: at(1), decisions: at(2) };
}

/** A torn or unwritten slot counts as nothing. */
function numbersAt(slot: Buffer, id: string): RowNumbers {
  return isWhole(slot, id) ? numbersOf(slot) : noRowNumbers;
}

function removeDraft(journalPath: string): void {
  try {
    unlinkSync(draftPath(journalPath));
  } catch {
    // There is no draft: nobody was killed while setting up this journal.
  }
}

/** The rows that the mark knows and the journal does not hold. */
export function lostRows(marked: RowNumbers, held: RowNumbers): LostRows[] {
  return numbered
    .map((what) => ({ what, first: held[what] + 1, last: marked[what] }))
    .filter(({ first, last }) => last >= first);
}

/** All rows that the mark knows, for a journal that holds none of them. */
export function rowsKnownTo(found: MarkFound): LostRows[] {
  return found.is === 'mark' ? lostRows(found.mark.highest, noRowNumbers) : [];
}

/**
 * The mark, if the journal holds all that it says, or else what was lost. Undefined if the journal never had a mark.
 */
export function checkMark(
  found: MarkFound,
  note: string | undefined,
  held: RowNumbers,
): Mark | Loss | undefined {
  if (note === undefined) {
    if (found.is === 'missing') return undefined;
    return { is: 'journal', found: 'older', rows: rowsKnownTo(found) };
  }
  if (found.is !== 'mark') return { is: 'mark', found: found.is };
  if (found.mark.id !== note) return { is: 'mark', found: 'anothers' };
  const rows = lostRows(found.mark.highest, held);
  return rows.length === 0 ? found.mark : { is: 'rows', rows };
}

/** One statement, so that no commit comes in between. */
const heldNumbers = /* sql */ `SELECT (SELECT max(seq) FROM intents) AS intents, (SELECT max(seq) FROM attempts) AS attempts,
                       (SELECT max(seq) FROM decisions) AS decisions`;
const acceptedLosses =
  /* sql */ 'SELECT what, max(last_lost) AS last FROM losses WHERE last_lost IS NOT NULL GROUP BY what';

/** The numbers that are accounted for: their rows are there, or were accepted as lost. */
export function accountedNumbers(database: DatabaseSyncInstance): RowNumbers {
  const row = database.prepare(heldNumbers).get() as Record<keyof RowNumbers, number | null>;
  const held = { intents: row.intents ?? 0, attempts: row.attempts ?? 0, decisions: row.decisions ?? 0 };
  return highestOf(held, lastAcceptedLost(database));
}

/** The last number of each kind that was accepted as lost. */
export function lastAcceptedLost(database: DatabaseSyncInstance): RowNumbers {
  const losses = database.prepare(acceptedLosses).all() as { what: keyof RowNumbers; last: number }[];
  return { ...noRowNumbers, ...Object.fromEntries(losses.map(({ what, last }) => [what, last])) };
}

export function writeMarkId(database: DatabaseSyncInstance, id: string): void {
  database
    .prepare(
      /* sql */ `INSERT INTO meta (name, value) VALUES ('mark', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    )
    .run(Buffer.from(id, 'hex'));
}

/** The id of the mark that a journal must have, as the journal notes it. */
export function readMarkId(database: DatabaseSyncInstance): string | undefined {
  const row = database.prepare(/* sql */ `SELECT value FROM meta WHERE name = 'mark'`).get() as
    | { value: Uint8Array }
    | undefined;
  return row === undefined ? undefined : Buffer.from(row.value).toString('hex');
}
