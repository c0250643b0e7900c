import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { controlPaths } from '../../src/sandbox/control.ts';
import { faultKinds } from '../../src/sandbox/faults.ts';
import { defaultReadings } from '../../src/sandbox/readings.ts';

const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test('the table of docs/sandbox.md has a row for every reading, with its default first', () => {
  for (const [name, value] of Object.entries(defaultReadings)) {
    const [, , values = ''] = rows.find(([, first]) => first === `\`${name}\``) ?? [];
    expect(values.startsWith(`\`${JSON.stringify(value)}\``), `${name}: ${values}`).toBe(true);
  }
});

test('the table of docs/sandbox.md has every fault and every control call', () => {
  const first = rows.map(([, cell]) => cell).join('\n');
  expect(faultKinds.filter((kind) => !first.includes(`\`${kind}\``))).toEqual([]);
  expect(controlPaths.filter((path) => !new RegExp(`[ \`]${path}\``, 'u').test(first))).toEqual([]);
});
