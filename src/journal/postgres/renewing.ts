import type { Lease } from './lease.ts';
import { isFenced, thisMoment } from './lease.ts';
import type { Line } from './line.ts';
import type { Lines } from './lines.ts';

/**
 * Renews the lease while nothing is committed for long, on a line of its own: the other one may be waiting in a lock
 * or a commit.
 */
export function keepLeaseRenewed(lease: Lease, lines: Lines): { stop(): void } {
  let own: Line | undefined;
  let isBusy = false;
  let isStopped = false;
  const renew = async (): Promise<void> => {
    if (isBusy || !lease.isDue()) return;
    isBusy = true;
    try {
      if (own === undefined || own.isBroken) own = await lines.another();
      if (isStopped) return own.destroy();
      const askedAt = thisMoment();
      const { rows } = await own.query(lease.renewalOnlyOn(own));
      lease.fence(rows);
      lease.renewed(askedAt);
    } catch (error) {
      // A server that is away is found so by the next commit; at the door a lease that is too old is seen.
      if (!isFenced(error)) own?.destroy();
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void renew(), Math.max(50, lease.renewAfterMs / 2));
  timer.unref();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      void own?.close();
    },
  };
}
