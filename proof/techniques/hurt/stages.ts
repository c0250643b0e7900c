/** A step of every send, even the first of its journal, just before its intent is committed. */
export const beforeCommit = 'run INSERT INTO attempts (intent, number, st';

/** How far a send has come when its process is killed and its journal is hurt. */
export type Moment = {
  readonly name: string;
  /** The step it is killed at; it is let finish where there is none. */
  readonly step?: string;
};

export const moments: readonly Moment[] = [
  { name: 'killed before the commit', step: beforeCommit },
  { name: 'killed before the bytes', step: 'undici:client:sendHeaders (synchronous=2)' },
  { name: 'killed after the bytes', step: 'undici:request:bodySent' },
  { name: 'killed after the reply', step: 'undici:request:trailers' },
  { name: 'killed after the end', step: 'write to stdout' },
  { name: 'finished' },
];
