import type { Commit } from '../once/engine/context.ts';
import type { GuardedWork, Journal, Work } from '../once/journal/journal.ts';

type Queued = GuardedWork<unknown> & {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
};

// With this wait, 7 of 8 rows in flight share a commit; without it, 3 do. It gives a third more rows a second.
const untilOthersLandMs = 2;

/**
 * Makes one commit at a time. Requests and replies that arrive meanwhile share the next one, because a sync of the disk
 * costs more than a row. While other replies may come soon (`othersMayLand`), a commit waits a moment for them.
 */
export function sharedCommit(
  journal: Pick<Journal, 'commitTogether'>,
  othersMayLand: () => boolean = () => false,
): Commit {
  let queue: Queued[] = [];
  let isBusy = false;
  let later: NodeJS.Timeout | undefined;
  const flush = async (): Promise<void> => {
    isBusy = true;
    later = undefined;
    const queued = queue;
    queue = [];
    await commitAll(queued, journal);
    // Waits one turn: work that this commit sets off is queued by then, and shares the next commit.
    setImmediate(() => {
      isBusy = false;
      if (queue.length > 0) flushSoon();
    });
  };
  const flushSoon = (): void => {
    if (othersMayLand()) {
      later ??= setTimeout(flush, untilOthersLandMs);
      return;
    }
    clearTimeout(later);
    isBusy = true;
    setImmediate(flush);
  };
  return <Result>(work: Work<Result>, guards = {}) =>
    new Promise<Result>((resolve, reject) => {
      queue.push({ work, guards, resolve: resolve as (result: unknown) => void, reject });
      if (!isBusy) flushSoon();
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
