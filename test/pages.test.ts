import { existsSync, readdirSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { drawTable, markdownTable } from '../bench/measure/tables.ts';
import { withMarked } from '../scripts/marked.ts';
import { linkTargets, pagesWithTables, withTables } from '../scripts/pages.ts';
import { pages, pageText } from '../testing/pages.ts';

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

describe('docs/performance.md', () => {
  test('says of every mark that it misses that it does', () => {
    const rows = [
      ...pageText('docs/performance.md').matchAll(
        /^\| ([^|]+)((?: \|[^|]* ×[^|]*)+) \| ≤ ([\d.]+) ×(.*) \|$/gmu,
      ),
    ];
    expect(rows.length).toBeGreaterThan(4);
    for (const [row, , cells = '', mark, where] of rows) {
      const columns = cells.split(' | ').slice(0, where === '' ? undefined : 1);
      for (const cell of columns) {
        const ratio = Number(/([\d.]+) ×/u.exec(cell)?.[1]);
        if (ratio !== Number(mark)) expect(cell.includes('**missed**'), row).toBe(ratio > Number(mark));
      }
    }
  });

  const timing = (name: string, ratio: number) => ({
    name,
    medianMs: 25 * ratio,
    ratio,
    cpuRatio: undefined,
    timesMs: [25 * ratio],
  });
  const figures = {
    nodeVersion: 'v20',
    rounds: 3,
    intents: 5,
    timings: [timing('node -e 0', 1), timing('botctl send', 3), timing('botctl --help', 1.1)],
    absent: ['/usr/bin/python3, urllib'],
    firstSandboxMs: 100,
    memory: { sendMiB: 60, nodeMiB: 30 },
  };

  test('gets a table with a row for what was measured, and none for what is absent', () => {
    const later = {
      ...figures,
      nodeVersion: 'v22',
      timings: [timing('node -e 0', 1), timing('botctl send', 3)],
    };
    const table = markdownTable([figures, later]);
    expect(table).toContain(
      '| botctl send | 75 ms, 3.00 × **missed** | 75 ms, 3.00 × | ≤ 2.75 × on Node 20 |',
    );
    expect(table).toContain('| botctl --help | 28 ms, 1.10 × |   | ≤ 1.3 × on Node 20 |');
    expect(table).toContain(
      '| peak memory of a send | 60 MiB, 2.00 × **missed** | 60 MiB, 2.00 × **missed** | ≤ 1.6 × |',
    );
    expect(table).not.toContain('python');
    expect(drawTable(figures)).toContain('absent');
  });
});

test('a page without the marks is refused', () => {
  expect(withMarked('a\n<!-- x -->\nold\n<!-- /x -->\nb', 'x', 'new')).toBe(
    'a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb',
  );
  expect(() => withMarked('a', 'x', 'new')).toThrow('<!-- x -->');
});
