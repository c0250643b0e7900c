import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { policyAt } from '../../src/policy/policyFile.ts';
import { newFolder } from '../../testing/journals.ts';

afterEach(() => vi.restoreAllMocks());

const me = process.getuid?.() ?? 0;
const stranger = me + 4711;

function writePolicy(): { path: string; folder: string } {
  const folder = join(newFolder(), 'policies');
  mkdirSync(folder, { mode: 0o700 });
  const path = join(folder, 'policy.json');
  writeFileSync(path, '{"schema":"botctl-policy/1","limits":{}}', { mode: 0o600 });
  chmodSync(path, 0o600);
  return { path, folder };
}

/** Root gives them away; anybody else takes them for another user's by being somebody else. */
function giveAway(...paths: readonly string[]): void {
  if (me === 0) for (const path of paths) chownSync(path, stranger, stranger);
  else vi.spyOn(process, 'getuid').mockReturnValue(stranger);
}

test('a policy file of another user lets nothing be sent, and its owner is named', () => {
  const { path } = writePolicy();
  expect(policyAt(path, 'is-refused')).toMatchObject({ source: path });
  giveAway(path);
  expect(() => policyAt(path, 'is-refused')).toThrowError(
    expect.objectContaining({
      code: 'policy-unsafe',
      message: expect.stringContaining(`${me === 0 ? stranger : me}`),
    }),
  );
});

test.runIf(me === 0)('nor does one in a folder of another user', () => {
  const { path, folder } = writePolicy();
  giveAway(folder);
  expect(() => policyAt(path, 'is-refused')).toThrowError(
    expect.objectContaining({ code: 'policy-unsafe', message: expect.stringContaining(folder) }),
  );
});
