// SQL: files whose copy into a shared journal was begun. The table of losses, which is only added to, has it.
import { hash } from 'node:crypto';
import { nowMs, type Row } from './sql.ts';

/** A file that is copied, wherever it lies: its backup has the same salt, and as many rows if it is as new. */
export type CopiedFile = {
  readonly salt: Uint8Array;
  readonly rows: number;
  readonly path: string;
  readonly who: string;
};

/** As it is written down. */
export type BegunCopy = { readonly detail: string; readonly rows: number; readonly path: string };

export function begunCopy(detail: Row[string] | undefined): BegunCopy | undefined {
  if (typeof detail !== 'string') return undefined;
  const [, rows = '', path = ''] = /^\S* (\d+) (.*)$/su.exec(detail) ?? [];
  return { detail, rows: Number(rows), path };
}

export function digestOf({ salt }: CopiedFile): string {
  return hash('sha256', salt, 'hex').slice(0, 32);
}

/** What is written down: who, and the file. */
export function noted(file: CopiedFile): [who: string, detail: string] {
  return [file.who, `${digestOf(file)} ${file.rows} ${file.path}`];
}

const same = (of: string): string =>
  /* sql */ `split_part(${of}.detail, ' ', 1) = split_part(begun.detail, ' ', 1)`;
const rowsIn = (of: string): string => /* sql */ `split_part(${of}.detail, ' ', 2)::bigint`;

/** Those that are not whole, and were not given up. A newer file of the same journal has all of an older one. */
export const unfinishedCopies = /* sql */ `SELECT begun.detail FROM @schema.losses begun WHERE begun.what = 'copying' AND NOT EXISTS
  (SELECT FROM @schema.losses done WHERE done.what IN ('copied', 'given-up') AND done.seq > begun.seq
    AND ${same('done')} AND ${rowsIn('done')} >= ${rowsIn('begun')})`;

const ofDigest = (name: string): string => /* sql */ `split_part(${name}.detail, ' ', 1) = $1`;

/** Of the same journal as the file with this digest. */
export const unfinishedOfSame = /* sql */ `${unfinishedCopies} AND ${ofDigest('begun')}`;

export const unfinishedOfOthers = /* sql */ `${unfinishedCopies} AND NOT ${ofDigest('begun')}`;

/** A copy of this file, or of a newer one, that is whole. */
export const wholeCopies = /* sql */ `SELECT FROM @schema.losses done WHERE done.what = 'copied' AND ${ofDigest('done')}
  AND ${rowsIn('done')} >= $2`;

export function note(what: 'copying' | 'copied'): string {
  return /* sql */ `INSERT INTO @schema.losses (what, who, at, detail) VALUES ('${what}', $1, ${nowMs}, $2)`;
}

/** Gives up one of them, if it is not whole by now. */
export const giveUp = /* sql */ `INSERT INTO @schema.losses (what, who, at, detail)
  SELECT 'given-up', $1, ${nowMs}, detail FROM (${unfinishedCopies}) AS unfinished WHERE detail = $2 RETURNING seq`;
