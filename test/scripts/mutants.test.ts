import { expect, test } from 'vitest';
import { mutable, withMutants } from '../../scripts/mutate/mutants.ts';

/** What `source` may become: each change in its place. */
function changes(source: string): string[] {
  return mutable(source, 'source.ts').mutants.map(
    ({ start, end, by }) => `${source.slice(start, end)} → ${by}`,
  );
}

test.each<[string, readonly string[]]>([
  ['x = a < b;', ['x = a < b → undefined', 'a < b → (a) <= (b)']],
  ['x = a === b;', ['x = a === b → undefined', 'a === b → (a) !== (b)']],
  ['x = a ?? b;', ['x = a ?? b → undefined', 'a ?? b → b']],
  ['x = !a;', ['x = !a → undefined', '!a → a']],
  ['if (a === b) f();', ['a === b → true', 'a === b → false', 'f() → undefined']],
  ['const x = a ? b : c;', ['a → true', 'a → false']],
  ['const x = 1;', ['1 → 2']],
  ['const x = 5n;', ['5n → 6n']],
  ['const x = true;', ['true → false']],
  ["const x = { key: 'kind' } as const;", ["'kind' → ''"]],
  ["const x = a + ' of ';", []],
  ["const x: 'kind' = f<'kind'>(a);", []],
  ["import { a } from 'there';", []],
  ["switch (a) { case 'b': }", []],
  [
    'async () => { await f(); };',
    ['async () => { await f(); } → undefined', 'await f() → undefined', 'await f() → f()'],
  ],
  [
    "run('SELECT a FROM t WHERE b = 1 AND c');",
    [
      "run('SELECT a FROM t WHERE b = 1 AND c') → undefined",
      "'SELECT a FROM t WHERE b = 1 AND c' → 'SELECT a FROM t WHERE b = 1 OR c'",
      "'SELECT a FROM t WHERE b = 1 AND c' → 'SELECT a FROM t WHERE b <> 1 AND c'",
    ],
  ],
])('%s may become something else', (source, expected) => {
  expect(changes(source)).toEqual(expected);
});

const source = `
function total(numbers: readonly number[], limit: number): number {
  let sum = 0;
  for (const one of numbers) {
    if (one > limit && sum < 100) sum += one * 2;
  }
  return numbers.length === 0 ? -1 : sum;
}`;

/** Runs `source` while one of its mutants lives. */
function play(alive: number, numbers: readonly number[], limit: number): number {
  const found = mutable(source, 'source.ts');
  const code = withMutants(source, found, 0).replaceAll(/: (?:readonly )?number(?:\[\])?/gu, '');
  const living = { at: (number: number) => number === alive, loop: () => undefined };
  return new Function('__mutant', `${code}; return total(${JSON.stringify(numbers)}, ${limit})`)(
    living,
  ) as number;
}

test('the code with all mutants in it does what it did while none of them lives', () => {
  for (const [numbers, limit] of [
    [[], 1],
    [[1, 2, 3], 1],
    [[90, 20, 5], 4],
  ] as const)
    expect(play(-1, numbers, limit)).toBe(
      new Function(
        `${source.replaceAll(/: (?:readonly )?number(?:\[\])?/gu, '')}; return total(${JSON.stringify(numbers)}, ${limit})`,
      )(),
    );
});

test('each mutant changes what the code does', () => {
  const inputs = [
    [[], 1],
    [[1, 2, 3], 1],
    [[90, 20, 5], 4],
    [[1, 50, 60], 1],
  ] as const;
  const results = (alive: number): string =>
    JSON.stringify(inputs.map(([numbers, limit]) => play(alive, numbers, limit)));
  const unnoticed = mutable(source, 'source.ts').mutants.filter(
    (_, number) => results(number) === results(-1),
  );
  expect(unnoticed).toEqual([]);
});

test('a text of a table may become another while the program runs, and the table stays one', () => {
  const table = `const given = (what) => what;
    const table = { a: 'one', 'b c': /* sql */ \`SELECT \${given('two')} WHERE x = 1\`, d: { e: 'three' }, f: [1] } as const;`;
  const found = mutable(table, 'source.ts');
  let alive = -1;
  const living = { at: (number: number) => number === alive };
  const code = withMutants(table, found, 0).replace(' as const', '');
  const read = new Function('__mutant', `${code}; return table`)(living);
  const before = { a: 'one', 'b c': 'SELECT two WHERE x = 1', d: { e: 'three' }, f: [1] };
  expect({ ...read, d: { ...read.d } }).toEqual(before);
  const isSeen = found.mutants.map((_mutant, number) => {
    alive = number;
    return JSON.stringify(read) !== JSON.stringify(before);
  });
  // A list is made while the file loads.
  expect(isSeen).toEqual([true, true, true, false]);
});
