import { describe, expect, test } from 'vitest';
import type { Statement } from '../../../src/once/journal/dialect.ts';
import { fileDialect } from '../../../src/once/journal/file/fileSchema.ts';
import type { Entry, Selection } from '../../../src/once/journal/journal.ts';
import { select } from '../../../src/once/journal/pages.ts';
import type { JournalRow, Values } from '../../../src/once/journal/rows.ts';

/** The first three are of one time. */
const row = (seq: number): JournalRow => ({ seq, created_at: Math.max(3, seq), name: `n${seq}` });
const rowsOf = (count: number): JournalRow[] => Array.from({ length: count }, (_, n) => row(n + 1));

/** What is asked, told by what leads. */
async function asked(selection: Partial<Selection>, count = 0) {
  const way: string[] = [];
  const texts: string[] = [];
  const values: Values[] = [];
  const ask = async (statement: Statement, given: Values): Promise<readonly JournalRow[]> => {
    const text = statement.text.replace(/\?(\d+)/gu, (_, n) => `:${statement.values[n - 1]}`);
    texts.push(text);
    values.push(given);
    way.push(shapeOf(text));
    return rowsOf(count);
  };
  const found: number[] = [];
  const toEntry = ({ seq }: JournalRow): Entry => ({ id: String(seq) }) as Entry;
  for await (const { id } of select({ limit: 1000, ...selection }, fileDialect, ask, toEntry, async () => {}))
    found.push(Number(id));
  return { way, texts, values, found };
}

function shapeOf(text: string): string {
  if (text.includes('UNION ALL') || text.includes('AS of_0')) return 'states';
  if (/WHERE .*payment IS NOT NULL/su.test(text)) return 'to';
  const [, order = ''] = /ORDER BY (\w+)/u.exec(text) ?? [];
  return order;
}

describe('the narrowest condition with an index leads', () => {
  const [held, accepted] = [{ states: ['held'] }, { states: ['held', 'accepted'] }] as const;
  const [to, batch, name] = [{ to: 'ada' }, { batch: 'nov' }, { name: 'rent' }];
  const kind = { kind: 'transfer' } as const;

  test.each<[string, Partial<Selection>, string[]]>([
    ['nothing', {}, ['created_at']],
    ['a kind', { ...kind, ...accepted }, ['kind']],
    ['a name', { ...name, ...kind }, ['name']],
    ['a batch', { ...batch, ...kind }, ['name']],
    ['a recipient', { ...to, ...batch, ...kind }, ['to']],
    ['states', { ...held, ...kind }, ['states']],
    ['no state at all', { states: [], ...kind }, []],
    ['states, before a batch', { ...held, ...batch }, ['states']],
  ])('%s', async (_, selection, way) => {
    expect((await asked(selection)).way).toEqual(way);
  });
});
