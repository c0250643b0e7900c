import { describe, expect, test } from 'vitest';
import type { Intent, Selection } from '../../../src/once/journal/journal.ts';
import { select } from '../../../src/once/journal/pages.ts';
import type { JournalRow, Values } from '../../../src/once/journal/rows.ts';

type Says = {
  readonly few?: number;
  readonly next?: number;
  readonly names?: number;
  readonly rows?: number;
};

/** The first three are of one time. */
const row = (seq: number): JournalRow => ({ seq, created_at: Math.max(3, seq), name: `n${seq}` });
const rowsOf = (count: number): JournalRow[] => Array.from({ length: count }, (_, n) => row(n + 1));

/** What is asked, told by what leads; the database says how much it has of each. */
async function asked(selection: Partial<Selection>, says: Says = {}) {
  const way: string[] = [];
  const texts: string[] = [];
  const values: Values[] = [];
  const ask = async (text: string, given: Values): Promise<readonly JournalRow[]> => {
    texts.push(text);
    values.push(given);
    const what = shapeOf(text);
    way.push(what);
    if (what === 'count') return [{ count: says.few ?? 0 }];
    if (what === 'next') return rowsOf(says.next ?? 0);
    if (what === 'names') return rowsOf(says.names ?? 0).reverse();
    if (what === 'by name') return [row(Number(String(given.name).slice(1)))];
    if (what === 'one') return [row(Number(given.seq))];
    return rowsOf(says.rows ?? 0);
  };
  const found: number[] = [];
  const toIntent = ({ seq }: JournalRow): Intent => ({ id: String(seq) }) as Intent;
  for await (const { id } of select({ limit: 1000, ...selection }, ask, toIntent)) found.push(Number(id));
  return { way, texts, values, found };
}

function shapeOf(text: string): string {
  if (text.includes('count(*)')) return 'count';
  if (text.startsWith('WITH RECURSIVE')) return 'names';
  if (text.includes('WHERE seq = :seq')) return 'one';
  if (text.includes('LIMIT 20000')) return 'next';
  if (text.includes('UNION ALL') || text.includes('AS of_0')) return 'states';
  if (text.includes("payment >= '")) return 'to';
  if (text.includes('name >= :nameStart AND')) return 'names together';
  if (/name (?:[<>]=|IN) :name\b|\(name, created_at, seq\) [<>] \(:name/u.test(text)) return 'by name';
  const [, order = ''] = /ORDER BY (\w+)/u.exec(text) ?? [];
  return order;
}

describe('the narrowest condition with an index leads', () => {
  const [held, accepted] = [{ states: ['held'] }, { states: ['held', 'accepted'] }] as const;
  const [to, batch, nameStart] = [{ to: 'ada' }, { batch: 'nov' }, { nameStart: 'no' }];
  const [bot, kind] = [{ bot: 'prod' }, { kind: 'transfer' }] as const;

  test.each<[string, Partial<Selection>, Says, string[]]>([
    ['nothing', {}, {}, ['created_at']],
    ['a kind', { ...kind, ...accepted }, {}, ['kind']],
    ['a bot', { ...bot, ...kind }, {}, ['bot']],
    ['the beginning of a name', { ...nameStart, ...bot, ...kind }, {}, ['next', 'names']],
    ['a batch', { ...batch, ...nameStart, ...bot }, {}, ['name']],
    ['a recipient', { ...to, ...batch, ...bot }, {}, ['to']],
    ['states', { ...held, ...bot, ...kind }, {}, ['states']],
    ['no state at all', { states: [], ...bot }, {}, []],
    ['states of few, before a name', { ...held, ...batch }, { few: 20_000 }, ['count', 'states']],
    ['a batch, before states of many', { ...held, ...batch }, { few: 20_001 }, ['count', 'name']],
    ['a recipient, before states of many', { ...held, ...to }, { few: 20_001 }, ['count', 'to']],
    [
      'the beginning of a name, before them',
      { ...held, ...nameStart },
      { few: 20_001 },
      ['count', 'next', 'names'],
    ],
  ])('%s', async (_, selection, says, way) => {
    expect((await asked(selection, says)).way).toEqual(way);
  });

  test('and each of the others stays a condition', async () => {
    const all = {
      ...to,
      ...batch,
      ...nameStart,
      ...bot,
      ...kind,
      asset: 'SOL',
      states: ['held', 'accepted'],
    } as const;
    const { texts } = await asked(all);
    for (const condition of [
      ':to',
      ':batch',
      ':nameStart',
      ':behind',
      ':bot',
      ':kind',
      ':asset',
      "'held', 'accepted'",
    ])
      expect(texts[0]).toContain(condition);
  });

  test('and no more is counted than tells few from many', async () => {
    const { texts } = await asked({ states: ['held'], batch: 'nov' });
    expect(texts[0]).toMatch(/LIMIT 20001\)/u);
  });
});

describe('the beginning of a name', () => {
  test('is looked for among the next first, and they are enough if they fill the page', async () => {
    const full = await asked({ nameStart: 'n', limit: 3 }, { next: 3, names: 9 });
    expect(full).toMatchObject({ way: ['next'], found: [1, 2, 3] });
    const { way } = await asked({ nameStart: 'n', limit: 3 }, { next: 2, names: 1 });
    expect(way.slice(0, 3)).toEqual(['next', 'names', 'by name']);
  });

  test('is looked up name by name while they are few, else all together', async () => {
    const few = await asked({ nameStart: 'n', limit: 60 }, { names: 50 });
    expect(few.way.filter((one) => one === 'by name')).toHaveLength(50);
    expect(few.found).toEqual(Array.from({ length: 50 }, (_, n) => 50 - n));
    const many = await asked({ nameStart: 'n', limit: 60 }, { names: 51 });
    expect(many.way).toEqual(['next', 'names', 'names together']);
    expect(many.texts[1]).toMatch(/LIMIT 51$/u);
  });

  test('has its entries in order, the later number first where the time is the same', async () => {
    const oldest = await asked({ nameStart: 'n', limit: 60, oldestFirst: true }, { names: 3 });
    expect(oldest.found).toEqual([1, 2, 3]);
  });
});

describe('a page', () => {
  test.each([
    [{}, undefined],
    [{ sinceMs: 5 }, ['>=', 5]],
    [{ sinceMs: 5, untilMs: 9 }, ['>=', 5]],
    [{ sinceMs: 5, untilMs: 9, oldestFirst: true }, ['<=', 9]],
    [{ untilMs: 9 }, undefined],
    [{ sinceMs: 5, oldestFirst: true }, undefined],
  ] as const)('of %j ends there: %j', async (selection, end) => {
    const { texts, values } = await asked(selection);
    const [, sign] = /created_at ([<>]=) :far/u.exec(texts[0] ?? '') ?? [];
    expect(sign === undefined ? undefined : [sign, values[0]?.far]).toEqual(end);
  });

  test('follows the one before it, until one is not full', async () => {
    const { found, values } = await asked({ limit: 700 }, { rows: 500 });
    expect(found).toHaveLength(1000);
    expect(values.map(({ length, lastAt, last }) => [length, lastAt, last])).toEqual([
      [500, undefined, undefined],
      [200, 500, 500],
    ]);
  });

  test('is the last one if it is not full, or no more is wanted', async () => {
    expect((await asked({ limit: 700 }, { rows: 3 })).way).toHaveLength(1);
    expect((await asked({ limit: 500 }, { rows: 500 })).way).toHaveLength(1);
  });

  test.each([
    [{}, undefined, undefined],
    [{ untilMs: 9 }, 9, Number.MAX_SAFE_INTEGER],
    [{ sinceMs: 5, oldestFirst: true }, 5, 0],
  ] as const)('of %j begins at its edge', async (selection, lastAt, last) => {
    const { values } = await asked(selection);
    expect([values[0]?.lastAt, values[0]?.last]).toEqual([lastAt, last]);
  });
});
