import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changeOf, judge, listed, readEquivalent, readList } from '../../scripts/mutate/equivalent.ts';
import { mutable } from '../../scripts/mutate/mutants.ts';

const source = 'const a = f();\nif (a > 1)   g(a);\n';
const changes = mutable(source, 'src/a.ts').mutants.map((one) => changeOf('src/a.ts', source, one));
const list = `cache: what is remembered.\n\n${listed(changes.map((one) => ({ ...one, label: 'cache' })))}`;

test('what mutate prints is what the list of equivalent changes reads', () => {
  expect(readEquivalent(list).changes).toEqual(changes.map((one) => ({ ...one, reason: 'cache' })));
});

test('a judged change is excused wherever its line moves, and is idle when it is killed', () => {
  const moved = changeOf('src/a.ts', `\n\n${source}`, { start: 21, end: 26, by: 'false' });
  const { changes: known } = readEquivalent(list);
  const { excused, idle } = judge([moved], known);
  expect(excused).toEqual([moved]);
  expect(idle).toHaveLength(changes.length - 1);
});

test('one judgement does not excuse two changes that are spelled alike', () => {
  const known = readEquivalent(list).changes;
  expect(judge([...changes, ...changes], known).excused).toEqual([]);
  expect(judge([...changes, ...changes], [...known, ...known]).excused).toHaveLength(2 * changes.length);
});

test('a reason that is not explained is refused', () => {
  expect(() => readEquivalent('src/a.ts\n  x = 1;\n    luck: 1 → 2\n')).toThrow('luck');
});

test('every equivalent change that is listed is one that the source can undergo', () => {
  const { changes: known } = readEquivalent(readList());
  const paths = new Set(known.map(({ path }) => path));
  const possible = [...paths].flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return mutable(text, path).mutants.map((one) => changeOf(path, text, one));
  });
  expect(
    judge(
      known,
      possible.map((one) => ({ ...one, reason: '' })),
    ).excused,
  ).toEqual(known);
});
