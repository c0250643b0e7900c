import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { blockAfter } from '../../scripts/pages.ts';
import { ended } from '../support/botctl.ts';
import { botctlHere } from '../support/builtHere.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { Home } from '../support/home.ts';
import { httpReply, startLoopback } from '../support/loopback.ts';
import { pageText } from '../support/pages.ts';
import { type CuttableProxy, startCuttableProxy } from '../support/postgres/cuttableProxy.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { silence, upForLong } from '../support/postgres/silence.ts';

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const transfer = ['transfer', '--to', to, '--amount', '0.1', '--asset', 'SOL', '--once', 'rent', '--yes'];

let home: Home;
let proxy: CuttableProxy;
let env: Record<string, string>;
/** What the service does once it has a request, and before it answers. */
let beforeReply: () => void;
let requests: number;
let keys: (string | undefined)[];
/** What happens to the server's answer to the commit that claims. */
let onClaimsCommit: () => void;
let isClaimed: boolean;

beforeEach(async () => {
  home = new Home();
  const server = await sharedServer(18);
  isClaimed = false;
  onClaimsCommit = () => {};
  proxy = closedAfterTest(
    await startCuttableProxy(server.port, (from, message) => {
      isClaimed ||= from === 'client' && message.includes('INSERT INTO "botctl".entries');
      if (isClaimed && from === 'server' && message.includes('COMMIT')) onClaimsCommit();
      return message;
    }),
  );
  requests = 0;
  keys = [];
  beforeReply = () => {};
  const service = closedAfterTest(
    await startLoopback((socket, request) => {
      requests += 1;
      keys.push(/"idempotency_key":"([^"]+)"/u.exec(request)?.[1]);
      beforeReply();
      socket.write(httpReply(`{"transfer_id":"tr_${requests}","signature":"sig_${requests}"}`));
    }),
  );
  env = {
    ...home.env,
    BOTCTL_JOURNAL: proxy.through(await newSharedJournal(server)),
    BOTCTL_BASE_URL: `http://127.0.0.1:${service.port}`,
    BOTCTL_TOKEN: 'token-of-the-bot-1234',
  };
});
afterEach(() => home.remove());

const run = (...words: string[]) => botctlHere([...words, '--max-wait', '20s'], { env });
/** In which the server is lost: it is waited for until this is over. */
const runLosing = (...words: string[]) => botctlHere([...words, '--max-wait', '2s'], { env });

const loseServer = (): void => {
  proxy.refuse();
  proxy.now('cut');
};

test('a reply that the server of the journal is not there for is told, and the next command sends the same again', async () => {
  beforeReply = loseServer;
  const first = await runLosing(...transfer, '--json');
  expect(first.code).toBe(9);
  const told = JSON.parse(first.stdout) as Record<string, Record<string, unknown>>;
  expect(told.transfer).toMatchObject({ transfer_id: 'tr_1', signature: 'sig_1' });
  expect(told.error).toMatchObject({ code: 'not-recorded', retry: 'same-command' });
  expect(told.error?.message).not.toContain('Nothing was sent');

  expect(await runLosing(...transfer)).toMatchObject({ code: 8, stdout: '' });

  await proxy.accept();
  beforeReply = () => {};
  await upForLong(env.BOTCTL_JOURNAL ?? '');
  await silence(env.BOTCTL_JOURNAL ?? '');
  expect((await run(...transfer)).code).toBe(0);
  expect([requests, new Set(keys).size]).toEqual([2, 1]);
  expect(keys[0]).toBeDefined();
});

test('a server that is lost once something was claimed is exit 9, whatever the command still had to ask it', async () => {
  const lost = proxy.when({ from: 'client', has: 'observations' }, 'cut').then(loseServer);
  const { code, stdout } = await runLosing(...transfer, '--json');
  await lost;
  const { error } = JSON.parse(stdout) as { error: Record<string, string> };
  expect([code, error.code, error.retry, requests]).toEqual([9, 'unknown', 'same-command', 1]);
  expect(error.message).toMatch(/cannot be reached: .*\. Entry \S+ may have been sent\.$/u);
  expect(error.message).not.toContain('othing');
});

test('a batch whose journal is lost before its first row is begun is exit 8; afterwards, 11', async () => {
  const file = home.file('rows.csv', 'id,conversation_id,content\na,c,x\nb,c,y\n');
  const most = ['--yes', '--json', '--concurrency', '1'];
  const batch = (name: string) => ['batch', 'send', file, '--once', name, ...most];
  const lost = proxy.when({ from: 'client', has: 'INSERT INTO "botctl".entries' }, 'cut').then(loseServer);
  const before = await runLosing(...batch('one'));
  await lost;
  expect([before.code, JSON.parse(before.stdout.trim()).error.code, requests]).toEqual([
    8,
    'journal-unreachable',
    0,
  ]);
  await proxy.accept();
  beforeReply = loseServer;
  const after = await runLosing(...batch('two'));
  expect([after.code, requests]).toEqual([11, 1]);
});

test('the script of the README goes on when the server of the journal is back', async () => {
  proxy.refuse();
  // What the script sleeps is the outage.
  const outage = createServer((socket) => {
    void proxy.accept().then(() => socket.end('over\n'));
  });
  outage.listen(0, '127.0.0.1');
  await once(outage, 'listening');
  const path = home.pathWithBotctl();
  const { port } = outage.address() as AddressInfo;
  const sleep = `#!/bin/bash\nexec 3<>/dev/tcp/127.0.0.1/${port}; read -r _ <&3\n`;
  writeFileSync(join(home.path, 'bin/sleep'), sleep, { mode: 0o755 });
  const script = blockAfter(pageText('README.md'), 'recipe').replace(
    'transfer --once',
    'transfer --max-wait 0s --once',
  );
  const ran = await ended('bash', ['-c', script, 'payday', to, '0.1', '2026-11'], {
    env: { ...env, PATH: path },
  });
  outage.close();
  expect([ran.code, ran.stdout, requests]).toEqual([0, 'paid: sig_1\n', 1]);
});
