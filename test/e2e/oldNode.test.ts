// A Node that is too old for botctl: one line, exit 1, and nothing was touched.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ended, type Ran } from '../support/botctl.ts';
import { Home } from '../support/home.ts';
import { undocumented } from '../support/jsonOutput.ts';
import { botctlPath, programWords } from '../support/program.ts';

const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8'));

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

const send = ['--sandbox', 'send', '--conversation', 'conv_demo', '--content', 'hi'];

/** The built program on this Node, which says that it is another. */
function onNode(node: string, words: readonly string[]): Promise<Ran> {
  const disguise = home.file(
    'disguise.cjs',
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } });`,
  );
  return ended(process.execPath, ['--require', disguise, botctlPath, ...words], { env: home.env });
}

const sentence = (node: string): string =>
  `Node ${node} is not supported: botctl needs Node 20.19 or newer. Nothing was sent.`;

describe.skipIf(programWords.length === 0)('a Node (the single file needs none)', () => {
  test.each(['14.21.3', '18.20.8', '20.18.3'])('Node %s is refused', async (node) => {
    expect(await onNode(node, send)).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `botctl: ${sentence(node)}\n`,
    });
    expect(existsSync(join(home.path, 'data'))).toBe(false);
  });

  test.each(['20.19.0', '20.99.1', '22.3.0', '100.0.0'])('Node %s is not', async (node) => {
    expect(await onNode(node, ['--help'])).toMatchObject({ code: 0, stderr: '' });
  });

  test('with --json the refusal is the documented object', async () => {
    const { code, stdout, stderr } = await onNode('18.20.8', [...send, '--json']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(undocumented(stdout)).toBeUndefined();
    expect(JSON.parse(stdout)).toEqual({
      schema: 'botctl/1',
      error: { code: 'machine-fault', message: sentence('18.20.8'), retry: 'after-fix' },
    });
  });

  test('the version is told all the same', async () => {
    expect(await onNode('18.20.8', ['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` });
  });
});
