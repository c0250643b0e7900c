import type { Process } from '../once/journal/journal.ts';

export function processOf({ host, pid }: Row): Process {
  return { host: String(host), pid: Number(pid) };
}

type Cell = null | number | string | boolean | Uint8Array;
export type Row = Readonly<Record<string, Cell>>;

/** A time of the server, in milliseconds. */
export const inMs = (time: string): string => /* sql */ `(extract(epoch FROM ${time}) * 1000)::bigint`;

/** The server's clock now, not when the transaction began. */
export const nowMs = inMs('clock_timestamp()');
