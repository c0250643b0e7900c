import { expect, test } from 'vitest';
import published from '../../package.json' with { type: 'json' };
import lock from '../../package-lock.json' with { type: 'json' };
import tests from '../package.json' with { type: 'json' };

test('who installs botctl gets none of the servers that it is tested against', () => {
  expect(Object.keys(published.optionalDependencies).filter((name) => !name.startsWith('litesvm-'))).toEqual(
    [],
  );
  expect(published).not.toHaveProperty('dependencies');
  expect(published.files.filter((name) => /^(?:test|testing)\b/u.test(name))).toEqual([]);
});

test('the servers are one version of each on every platform, exactly named', () => {
  const versions = Object.values(tests.optionalDependencies).map((one) => one.replace(/^npm:.*@/u, ''));
  expect([...new Set(versions)].map((one) => /^\d+\.\d+\.\d+-beta\.\d+$/u.test(one))).toEqual([true, true]);
});

test('the sandbox’s machine and the types it is checked with are one version', () => {
  const machines = Object.values(published.optionalDependencies);
  expect([...new Set(machines)]).toEqual([tests.devDependencies.litesvm]);
});

test('who only wants to run botctl fetches nothing that only tests need', () => {
  const brought = Object.keys(lock.packages);
  const heavy = [...Object.keys(tests.devDependencies), ...Object.keys(tests.optionalDependencies)];
  expect(heavy.filter((name) => brought.includes(`node_modules/${name}`))).toEqual([]);
});
