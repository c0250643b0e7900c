import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { programInShell } from '../../testing/program.ts';
import { payAda, SandboxHome, sendHello } from '../../testing/sandboxHome.ts';
import { hasNginx, type ManySpelled, startNginx, startPrefixProxy } from '../../testing/spellings.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const fronts: Record<string, (target: string) => Promise<ManySpelled>> = {
  'behind a server that looks at the end of a path': startPrefixProxy,
  ...(hasNginx ? { 'behind nginx': startNginx } : {}),
};
test.skipIf(hasNginx)('nginx is not installed: its spellings are not tried', ({ skip }) => skip());

/** A profile of this base URL, whose token command leaves a trace. */
function useProfile(baseUrl: string): { readonly fetched: string; readonly env: Record<string, string> } {
  const fetched = join(operator.home.path, 'fetched');
  const print = join(operator.home.path, 'print-token');
  writeFileSync(print, `#!/bin/sh\ntouch '${fetched}'\necho '${operator.sandbox.tokens.full}'\n`, {
    mode: 0o755,
  });
  const token = { kind: 'command', command: print };
  operator.home.writeConfig({
    version: 1,
    'in-use': 'payer',
    profiles: { payer: { 'base-url': baseUrl, token } },
  });
  const { BOTCTL_TOKEN: _token, BOTCTL_BASE_URL: _url, ...env } = operator.env;
  for (const name of ['BOTCTL_TOKEN', 'BOTCTL_BASE_URL']) Reflect.deleteProperty(operator.env, name);
  return { fetched, env };
}

function rows(): string {
  const path = join(operator.home.path, 'rows.csv');
  writeFileSync(path, `id,to_address,asset,amount\na,${payAda[2]},SOL,0.5\n`);
  return path;
}

describe('beside a profile', () => {
  const commands: Record<string, () => string[]> = {
    send: () => [...sendHello],
    transfer: () => [...payAda, '--once', 'pay-nov'],
    'a dry run': () => [...payAda, '--once', 'pay-nov', '--dry-run'],
    batch: () => ['batch', 'transfer', rows(), '--once', 'payroll', '--yes'],
    'a dry run of a batch': () => ['batch', 'transfer', rows(), '--once', 'payroll', '--dry-run'],
  };

  test.each(Object.entries(commands))(
    '%s refuses another base URL before the token is fetched',
    async (_what, words) => {
      const { fetched } = useProfile(operator.sandbox.baseUrl);
      for (const path of ['/bots', '/bots/v2']) {
        const other = `${operator.sandbox.baseUrl}${path}`;
        const byOption = await operator.json([...words(), '--base-url', other]);
        expect(byOption).toMatchObject({ exit: 2, error: { code: 'base-url', retry: 'after-fix' } });
        expect(byOption.error?.message).toContain(
          `--base-url is ${other}, but the profile payer is for ${operator.sandbox.baseUrl}`,
        );
        const byVariable = await operator.json(words(), { env: { BOTCTL_BASE_URL: other } });
        expect(byVariable).toMatchObject({ exit: 2, error: { code: 'base-url' } });
        expect(byVariable.error?.next?.[0]).toMatch(/^env -u BOTCTL_BASE_URL botctl /u);
      }
      expect(existsSync(fetched)).toBe(false);
      expect(existsSync(operator.journal)).toBe(false);
      expect(await operator.sandbox.ledger()).toEqual([]);
    },
  );

  test('the command without the variable can be pasted, with all that it was given', async () => {
    const { env } = useProfile(operator.sandbox.baseUrl);
    const bin = join(operator.home.path, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'botctl'), `#!/bin/sh\nexec ${programInShell} "$@"\n`, {
      mode: 0o755,
    });
    const words = [...payAda, '--once', "it's pay day", '--profile', 'payer', '--memo', '$HOME'];
    Object.assign(operator.env, env, {
      PATH: `${bin}:${env.PATH}`,
      BOTCTL_BASE_URL: 'https://stage.example',
    });
    const [pasted = ''] = (await operator.json(words)).error?.next ?? [];
    expect(await operator.shell(pasted)).toMatchObject({ code: 0 });
    const [effect] = await operator.sandbox.ledger();
    expect(effect?.request).toMatchObject({ memo: '$HOME' });
  });

  test('the same base URL in another spelling is the same', async () => {
    useProfile(operator.sandbox.baseUrl);
    const { port } = new URL(operator.sandbox.baseUrl);
    for (const same of [`http://127.0.0.1:${port}/`, `HTTP://LOCALHOST:${port}`, `http://[::1]:${port}/`]) {
      const paid = await operator.json([...payAda, '--once', 'pay-nov', '--base-url', same]);
      expect(paid).toMatchObject({ exit: 0, intent: { base_url: operator.sandbox.baseUrl } });
      expect(
        await operator.json([...payAda, '--once', 'pay-nov'], { env: { BOTCTL_BASE_URL: same } }),
      ).toMatchObject({
        exit: 0,
        replayed: true,
      });
    }
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });

  test('commands that do not send ignore the variable, and resume goes to the base URL that was kept', async () => {
    useProfile(operator.sandbox.baseUrl);
    await operator.sandbox.faults({ kind: 'drop', when: 'before' });
    const lost = await operator.json([...payAda, '--once', 'pay-nov']);
    expect(lost.exit).toBe(9);
    const id = lost.intent?.id ?? '';
    const env = { BOTCTL_BASE_URL: 'https://stage.example/' };
    expect(await operator.run(['history', id], { env })).toMatchObject({ code: 0 });
    expect(await operator.run(['policy', 'show'], { env })).toMatchObject({ code: 0 });
    expect(await operator.json(['resume', id], { env })).toMatchObject({ exit: 0, outcome: 'accepted' });
    expect(await operator.sandbox.ledger()).toHaveLength(1);
    await operator.sandbox.faults({ kind: 'drop', when: 'before' });
    const second = await operator.json([...payAda, '--once', 'pay-dec']);
    const decided = ['resolve', second.intent?.id ?? '', '--did-not-happen', '--reason', 'seen', '--yes'];
    expect(await operator.run(decided, { env })).toMatchObject({ code: 0 });
  });
});

describe.each(Object.entries(fronts))('%s', (_name, start) => {
  const spellings = ['/%2f', '//%2f', '/%62ots', '//bots', '/bots/', '/bots/../bots', '/bots;x'];

  test('what one service may be called otherwise is refused, and happens once', async () => {
    const { baseUrl } = closedAfterTest(await start(operator.sandbox.baseUrl));
    operator.env.BOTCTL_BASE_URL = `${baseUrl}/bots`;
    expect(await operator.json([...payAda, '--once', 'pay-nov'])).toMatchObject({ exit: 0 });
    for (const spelling of spellings) {
      const ran = await operator.json([
        ...payAda,
        '--once',
        'pay-nov',
        '--base-url',
        `${baseUrl}${spelling}`,
      ]);
      expect({ spelling, exit: ran.exit, code: ran.error?.code }).toEqual(
        spelling === '/bots/'
          ? { spelling, exit: 0, code: undefined }
          : { spelling, exit: 2, code: 'base-url' },
      );
    }
    expect(await operator.sandbox.ledger()).toHaveLength(1);
  });
});

test.skipIf(!hasNginx)('nginx takes these spellings for one service', async () => {
  const { baseUrl } = closedAfterTest(await startNginx(operator.sandbox.baseUrl));
  for (const spelling of ['', '/%2f', '//%2f', '/bots', '/%62ots', '//bots'])
    await fetch(`${baseUrl}${spelling}/api/bot/v1/messages/send`, {
      method: 'POST',
      headers: { authorization: `Bot ${operator.sandbox.tokens.full}`, 'content-type': 'application/json' },
      body: JSON.stringify({ conversation_id: 'conv_demo', content: `at ${spelling}` }),
    });
  const said = (await operator.sandbox.ledger()).map(({ request }) => request.content);
  expect(said).toHaveLength(6);
});
