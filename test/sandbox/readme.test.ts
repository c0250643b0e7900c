import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { controlPaths } from '../../src/sandbox/control.ts';
import { faultKinds } from '../../src/sandbox/faults.ts';
import { defaultReadings } from '../../src/sandbox/readings.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const rows = readme
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test("the README's table has a row for every reading, with its default first", () => {
  for (const [name, value] of Object.entries(defaultReadings)) {
    const [, , values = ''] = rows.find(([, first]) => first === `\`${name}\``) ?? [];
    expect(values.startsWith(`\`${JSON.stringify(value)}\``), `${name}: ${values}`).toBe(true);
  }
});

test("the README's table has every fault and every control call", () => {
  const first = rows.map(([, cell]) => cell).join('\n');
  expect(faultKinds.filter((kind) => !first.includes(`\`${kind}\``))).toEqual([]);
  expect(controlPaths.filter((path) => !new RegExp(`[ \`]${path}\``, 'u').test(first))).toEqual([]);
});
