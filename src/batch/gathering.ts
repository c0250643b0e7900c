import type { Gathering, GatherWay, GuardedWork } from '../once/journal/journal.ts';

type Asker<Row> = {
  readonly rows: Row[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (cause: unknown) => void;
};

/** Each item has its asker at the same place. */
type Asked<Item, Row> = { readonly items: Item[]; readonly askers: Asker<Row>[] };

type NumberedRow = Readonly<Record<string, unknown>>;

function gather<Name extends string, Item, Row extends NumberedRow>({
  run,
  soon,
  together = (ask) => ask(),
  last,
}: GatherWay<Name, Item, Row>): (name: Name, ...items: Item[]) => Promise<readonly Row[]> {
  let all = new Map<Name, Asked<Item, Row>>();
  const askOne = async (name: Name, { items, askers }: Asked<Item, Row>): Promise<void> => {
    try {
      const rows = await run(name, items);
      for (const row of rows) askers[Number(row.n)]?.rows.push(row);
      for (const { resolve, rows: own } of askers) resolve(own);
    } catch (cause) {
      for (const { reject } of askers) reject(cause);
    }
  };
  const askAll = (): void => {
    const asked = all;
    all = new Map();
    together(() => {
      for (const [name, same] of asked) if (name !== last) void askOne(name, same);
      const same = last && asked.get(last);
      if (last !== undefined && same !== undefined) void askOne(last, same);
    });
  };
  return (name, ...items) =>
    new Promise((resolve, reject) => {
      if (all.size === 0) soon(askAll);
      const same = all.get(name) ?? { items: [], askers: [] };
      all.set(name, same);
      const asker = { rows: [], resolve, reject };
      for (const item of items) {
        same.items.push(item);
        same.askers.push(asker);
      }
    });
}

/** Works that share a commit have no locks between them. */
function inTurn<Result>(
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

/** Lets many rows share statements and commits. */
export const gathering: Gathering = { gather, inTurn };
