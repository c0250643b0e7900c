import { existsSync, readdirSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linkTargets, pagesWithTables, withTables } from '../scripts/pages.ts';
import { rules } from '../src/once/journal/schema.ts';
import { pages, pageText } from './support/pages.ts';

const root = resolve(import.meta.dirname, '..');

test.each(pagesWithTables)('the tables of %s are the program’s own (npm run docs makes them)', (path) => {
  expect(withTables(path, pageText(path))).toBe(pageText(path));
});

/** As a page of GitHub calls its headings. */
function headingsOf(path: string): string[] {
  return [...pageText(path).matchAll(/^#+ (.*)$/gmu)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const links = pages.flatMap((page) => linkTargets(pageText(page)).map((target) => ({ page, target })));

test.each(links)('the link of $page to $target leads somewhere', ({ page, target }) => {
  const [file = '', heading] = target.split('#');
  const path = file === '' ? page : posix.join(posix.dirname(page), file);
  expect(existsSync(join(root, path))).toBe(true);
  expect(heading === undefined || headingsOf(path).includes(heading)).toBe(true);
});

describe('docs/architecture.md', () => {
  const text = pageText('docs/architecture.md');
  const named = [...text.matchAll(/`((?:src|test|scripts|build|bench|proof)(?:\/[\w./-]+)?)`/gu)];

  test('names nothing that is not there', () => {
    expect(named.length).toBeGreaterThan(40);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('has a row for every part of src', () => {
    const rows = [...text.matchAll(/^\| `src\/([\w.]+)` /gmu)].map(([, name]) => name);
    expect(rows.sort()).toEqual(readdirSync(join(root, 'src')).sort());
  });
});

describe('the states in docs/reruns.md', () => {
  const [, picture = ''] = /```mermaid\n(flowchart [\s\S]*?)```/u.exec(pageText('docs/reruns.md')) ?? [];
  const [, ...arrows] = picture.trimEnd().split('\n');
  const drawn = arrows.flatMap((arrow) => {
    const [, from, back, to] = /^ {2}(\w+) (<?)-->\|[^|]+\| (\w+)$/u.exec(arrow) ?? [];
    return back === '<' ? [`${from}>${to}`, `${to}>${from}`] : [`${from}>${to}`];
  });
  const left = {
    'a late reply': ['open', 'unknown', 'held', 'rejected', 'resolved', 'declined'].map(
      (state) => `${state}>accepted`,
    ),
    'is proposed': ['open>held', 'rejected>held', 'resolved>held'],
    'is approved, or declined': ['held>open', 'held>declined', 'open>declined', 'rejected>declined'],
    resolve: ['open>resolved', 'unknown>resolved'],
    'another entry has paid the row': ['rejected>resolved'],
  };

  test('are drawn in at most ten lines', () => {
    expect([arrows.length + 1 <= 10, drawn.length]).toEqual([true, 12]);
  });

  test('and what is left out by reason are together the moves of the schema', () => {
    const moves = rules.flatMap(([, when]) => [...when.matchAll(/'(\w+>\w+)'/gu)].map(([, move]) => move));
    expect(moves).toHaveLength(28);
    expect([...drawn, ...Object.values(left).flat()].sort()).toEqual(moves.sort());
  });
});
