import type { Commit } from '../engine/ports.ts';
import type { Journal } from '../journal/journal.ts';

type Queued = {
  /** Does the work; what it gives back tells the caller, once the work is durable. */
  readonly work: () => () => void;
  readonly fail: (cause: unknown) => void;
};

/** Everything that is to be committed in one turn of the event loop shares one durable commit. */
export function sharedCommit(journal: Pick<Journal, 'atomically'>): Commit {
  let queue: Queued[] = [];
  const flush = (): void => {
    const queued = queue;
    queue = [];
    commitAll(queued, journal);
  };
  return (work) =>
    new Promise((resolve, reject) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({
        work: () => {
          const result = work();
          return () => resolve(result);
        },
        fail: reject,
      });
    });
}

function commitAll(queued: readonly Queued[], journal: Pick<Journal, 'atomically'>): void {
  let tell: readonly (() => void)[];
  try {
    tell = journal.atomically(() => queued.map(({ work }) => work()));
  } catch (cause) {
    const [only] = queued;
    // One that fails must not take its neighbours with it: each tries alone, on what was rolled back.
    if (queued.length > 1) for (const one of queued) commitAll([one], journal);
    else only?.fail(cause);
    return;
  }
  for (const one of tell) one();
}
