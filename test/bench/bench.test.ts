import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readWords } from '../../bench/asked.ts';
import { benches, type Mark } from '../../bench/benches.ts';
import { help } from '../../bench/help.ts';
import { drawTable, markdownTable, misses } from '../../bench/measure/table.ts';
import { root } from '../../testing/root.ts';

describe('npm run bench', () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, ['scripts/run.mjs', 'bench/main', ...words], { cwd: root, encoding: 'utf8' });

  test('--help names every bench, what it compares, its options and its marks', () => {
    const { status, stdout } = run('--help');
    expect(status).toBe(0);
    expect(stdout.trimEnd()).toBe(help(benches));
    for (const { name, compares, takes, options, marks } of benches) {
      for (const text of [`${name} (${takes})`, compares, ...marks.map(({ of }) => of)])
        expect(stdout).toContain(text);
      for (const option of Object.keys(options)) expect(stdout).toContain(`--${option}`);
    }
    const hint = '`npm run bench -- --help` lists what there is.';
    const { status: refused, stdout: nothing, stderr } = run('start');
    expect([refused, nothing, stderr]).toEqual([2, '', `No bench is called “start”. ${hint}\n`]);
  });

  test.each([
    [['batch', '--fast'], "Unknown option '--fast'"],
    [['--round-trip', '5'], "Unknown option '--round-trip'"],
    [['batch', '20000'], "Unexpected argument '20000'"],
    [['batch', '--rounds'], "Option '--rounds <value>' argument missing"],
    [['batch', '--rounds', 'x'], '--rounds takes a whole number above 0, not “x”'],
    [['batch', '--rounds', '0'], '--rounds takes a whole number above 0, not “0”'],
    [['verify', '--markdown'], 'docs/performance.md has no table for the bench verify'],
  ])('refuses %j', (words, why) => {
    expect(() => readWords(words)).toThrow(why);
  });

  test('runs the first bench where none is named, with what is usual for what is not given', () => {
    const asked = readWords(['--rounds', '3', '--nodes', '--check']);
    if (asked.is !== 'run') throw new Error('asked for help');
    const { bench, given, isChecked, page } = asked;
    expect([bench.name, isChecked, page]).toEqual(['single', true, undefined]);
    expect([given.number('rounds'), given.number('entries')]).toEqual([3, 1_000_000]);
    expect([given.has('nodes'), readWords(['batch', '--help'])]).toEqual([
      true,
      { is: 'help', benches: [benches.find(({ name }) => name === 'batch')] },
    ]);
  });
});

describe('a table of figures', () => {
  const figures = {
    about: 'Ten rounds',
    columns: ['Node 20.1', 'Node 22.2'],
    lines: [
      { what: 'node', figure: '20 ms' },
      { what: 'send', figure: '62 ms', more: 'CPU 3.0 ×', value: 3.1 },
      { what: 'send', column: 'Node 22.2', figure: '61 ms', value: 3.3 },
      { what: 'rate', figure: '0.20', value: 0.2 },
    ],
  };
  const marks: Mark[] = [
    { of: 'send', most: 3, unit: '× node', on: 'Node 20', why: '' },
    { of: 'rate', least: 0.2, unit: '× curl', on: 'Node 20', why: '' },
    { of: 'memory', most: 2, unit: 'MB', why: '' },
  ];

  test('says in its row and in a sentence which marks were missed, and which not measured', () => {
    expect(misses(figures, marks)).toEqual([
      'missed: send, Node 20.1: 62 ms (at most 3 × node, on Node 20)',
      'not measured: memory, Node 20.1 (at most 2 MB)',
      'not measured: memory, Node 22.2 (at most 2 MB)',
    ]);
    expect(markdownTable(figures, marks).split('\n').slice(2)).toEqual([
      '| what | Node 20.1 | Node 22.2 |',
      '| --- | ---: | ---: |',
      '| node | 20 ms |  |',
      '| send | 62 ms **missed** | 61 ms |',
      '| rate | 0.20 |  |',
    ]);
    expect(drawTable(figures, marks)).toContain('62 ms, CPU 3.0 × (missed)');
  });

  test('takes no figure that is no number for a mark that was met', () => {
    const lines = [{ what: 'memory', figure: '?', value: Number.NaN }];
    expect(misses({ ...figures, columns: ['Node 20.1'], lines }, marks.slice(2))).toEqual([
      'missed: memory, Node 20.1: ? (at most 2 MB)',
    ]);
  });
});
