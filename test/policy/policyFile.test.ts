import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { policyAt } from '../../src/cli/bot/policyFile.ts';
import { newFolder } from '../support/journals.ts';

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
      kind: 'other-owner',
      fields: expect.objectContaining({ source: path, path, uid: me === 0 ? stranger : me }),
    }),
  );
});

test.runIf(me === 0)('nor does one in a folder of another user', () => {
  const { path, folder } = writePolicy();
  giveAway(folder);
  expect(() => policyAt(path, 'is-refused')).toThrowError(
    expect.objectContaining({
      code: 'policy-unsafe',
      kind: 'other-owner',
      fields: expect.objectContaining({ source: path, path: folder }),
    }),
  );
});

test.each([
  ['a folder far above it', (top: string) => top],
  [
    'a folder that holds a link to its folder',
    (top: string) => {
      const open = join(newFolder(), 'open');
      mkdirSync(open);
      symlinkSync(top, join(open, 'link'));
      return open;
    },
  ],
])('nor does one where others can change %s', (_which, opened) => {
  const top = newFolder();
  const folder = join(top, 'a', 'b');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'policy.json'), '{"schema":"botctl-policy/1","limits":{}}', { mode: 0o600 });
  const open = opened(top);
  const path = join(open === top ? top : join(open, 'link'), 'a', 'b', 'policy.json');
  chmodSync(open, 0o700);
  expect(policyAt(path, 'is-refused')).toMatchObject({ source: path });
  chmodSync(open, 0o777);
  expect(() => policyAt(path, 'is-refused')).toThrowError(
    expect.objectContaining({
      code: 'policy-unsafe',
      kind: 'open-to-others',
      fields: { source: path, path: open, mode: 0o777 },
    }),
  );
  chmodSync(open, 0o1777);
  expect(policyAt(path, 'is-refused')).toMatchObject({ source: path });
});
