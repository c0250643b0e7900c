import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outputs } from '../../scripts/schema/outputs.ts';
import { publishedPolicySchema } from '../../scripts/schema/policySchema.ts';
import { publishedPage, publishedSchema } from '../../scripts/schema/publish.ts';
import { commandTree } from '../../src/commands.ts';
import { undocumented } from '../support/jsonOutput.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');

describe('the documents (npm run docs makes them)', () => {
  test('the JSON Schema file is what the definitions say', () => {
    expect(JSON.parse(read('docs/botctl-1.schema.json'))).toEqual(
      JSON.parse(JSON.stringify(publishedSchema())),
    );
  });

  test('so is the schema of a policy', () => {
    expect(JSON.parse(read('docs/botctl-policy-1.schema.json'))).toEqual(
      JSON.parse(JSON.stringify(publishedPolicySchema())),
    );
  });

  test('docs/json.md is what the definitions say', () => {
    expect(read('docs/json.md')).toBe(publishedPage());
  });

  test('every command has its output, and no other', () => {
    const known = new Set(outputs.flatMap(({ commands }) => commands));
    const all = commandTree.flatMap((spec) =>
      'children' in spec ? spec.children.map(({ name }) => `${spec.name} ${name}`) : [spec.name],
    );
    // What mcp prints is the protocol's.
    expect([...known].filter((name) => name !== '*').sort()).toEqual(
      all.filter((name) => name !== 'mcp').sort(),
    );
  });
});

test('the program does not load the definitions', () => {
  const built = readdirSync(resolve(root, 'dist')).filter((name) => name.endsWith('.js'));
  const carrying = built.filter((name) => read(`dist/${name}`).includes('the idempotency key, chosen once'));
  expect(carrying).toEqual([]);
});

describe('a line', () => {
  const failure = { schema: 'botctl/1', error: { code: 'usage', message: 'x', retry: 'after-fix' } };
  test.each([
    [failure, true],
    [{ ...failure, extra: 1 }, false],
    [{ ...failure, schema: 'botctl/2' }, false],
    [{ ...failure, error: { ...failure.error, code: 'no-such-code' } }, false],
    [{}, false],
  ])('%j is documented: %s', (line, known) => {
    expect(undocumented(JSON.stringify(line)) === undefined).toBe(known);
  });
});
