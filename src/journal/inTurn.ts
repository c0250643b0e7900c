import type { GuardedWork } from './journal.ts';

/** All at once, but for those that must be alone with the same: they share a commit, and have no locks between them. */
export function inTurn<Result>(
  works: readonly GuardedWork<Result>[],
  run: (work: GuardedWork<Result>) => Promise<Result>,
): Promise<Result>[] {
  const alone = new Map<string, Promise<unknown>>();
  const alongside = new Map<string, Promise<unknown>[]>();
  return works.map((one) => {
    const { guards } = one;
    const before = [
      ...[...(guards.alone ?? []), ...(guards.alongside ?? [])].flatMap((name) => alone.get(name) ?? []),
      ...(guards.alone ?? []).flatMap((name) => alongside.get(name) ?? []),
    ];
    const running = before.length === 0 ? run(one) : Promise.allSettled(before).then(() => run(one));
    for (const name of guards.alone ?? []) alone.set(name, running);
    for (const name of guards.alongside ?? []) {
      alongside.set(name, [...(alongside.get(name) ?? []), running]);
    }
    return running;
  });
}
