import type { Commit } from '../engine/ports.ts';
import type { GuardedWork, Journal, Work } from '../journal/journal.ts';

type Queued = GuardedWork<unknown> & {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

/**
 * Everything that is to be committed in one turn of the event loop shares one durable commit; and so does whatever
 * comes while another one is being made, which on a server takes its time, or for as long as it is worth waiting for
 * more.
 */
export function sharedCommit(
  journal: Pick<Journal, 'commitTogether'>,
  worthWaitingMs: () => number = () => 0,
): Commit {
  let queue: Queued[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    const queued = queue;
    queue = [];
    await commitAll(queued, journal);
    // What its rows want next is asked for in this turn: it goes along.
    setImmediate(() => {
      isBusy = false;
      if (queue.length > 0) flushInTime();
    });
  };
  const flushNow = (): void => {
    clearTimeout(later);
    later = undefined;
    isBusy = true;
    setImmediate(() => void flush());
  };
  const flushInTime = (): void => {
    const waitMs = worthWaitingMs();
    if (waitMs === 0) flushNow();
    else later ??= setTimeout(flushNow, waitMs);
  };
  return <Result>(work: Work<Result>, guards = {}) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ work, guards, resolve: resolve as (result: unknown) => void, reject });
      if (!isBusy) flushInTime();
    });
}

async function commitAll(queued: readonly Queued[], journal: Pick<Journal, 'commitTogether'>): Promise<void> {
  try {
    const ends = await journal.commitTogether(queued);
    for (const [index, end] of ends.entries()) {
      if (end.status === 'fulfilled') queued[index]?.resolve(end.value);
      else queued[index]?.reject(end.reason);
    }
  } catch (cause) {
    for (const { reject } of queued) reject(cause);
  }
}
