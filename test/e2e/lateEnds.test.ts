import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl } from '../../testing/botctl.ts';
import { closedAfterTest } from '../../testing/closedAfterTest.ts';
import { Home } from '../../testing/home.ts';
import { httpReply, startLoopback } from '../../testing/loopback.ts';
import { type CuttableProxy, startCuttableProxy } from '../../testing/postgres/cuttableProxy.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const transfer = ['transfer', '--to', to, '--amount', '0.1', '--asset', 'SOL', '--once', 'rent', '--yes'];

let home: Home;
let proxy: CuttableProxy;
let env: Record<string, string>;
/** What the service does once it has a request, and before it answers. */
let beforeReply: () => void;
let requests: number;

beforeEach(async () => {
  home = new Home();
  const server = await sharedServer(18);
  proxy = closedAfterTest(await startCuttableProxy(server.port));
  requests = 0;
  beforeReply = () => {};
  const service = closedAfterTest(
    await startLoopback((socket) => {
      requests += 1;
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

const run = (...words: string[]) => botctl([...words, '--max-wait', '20s'], { env });
/** In which the server is lost: it is waited for until this is over. */
const runLosing = (...words: string[]) => botctl([...words, '--max-wait', '2s'], { env });

function keptFiles(): string[] {
  const shared = join(home.path, 'data', 'botctl', 'shared');
  const [journal = ''] = readdirSync(shared);
  return readdirSync(join(shared, journal))
    .filter((name) => name.startsWith('late-') && name.endsWith('.jsonl'))
    .map((name) => join(shared, journal, name));
}

const loseServer = (): void => {
  proxy.refuse();
  proxy.now('cut');
};

test('a reply that the server of the journal is not there for is told, kept, and recorded by the next command', async () => {
  beforeReply = loseServer;
  const first = await runLosing(...transfer, '--json');
  expect(first.code).toBe(9);
  const [kept = '', ...others] = keptFiles();
  expect([others, statSync(kept).mode & 0o777]).toEqual([[], 0o600]);
  const told = JSON.parse(first.stdout) as Record<string, Record<string, unknown>>;
  expect(told.transfer).toMatchObject({ transfer_id: 'tr_1', signature: 'sig_1' });
  expect(told.error).toMatchObject({ code: 'not-recorded', retry: 'same-command' });
  expect(told.error?.hint).toContain(kept);
  expect(told.error?.message).not.toContain('Nothing was sent');

  expect(await run(...transfer)).toMatchObject({ code: 1, stdout: '' });

  await proxy.accept();
  beforeReply = () => {};
  const again = await run(...transfer, '--json');
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({
    outcome: 'accepted',
    replayed: true,
    transfer: { signature: 'sig_1' },
  });
  expect(requests).toBe(1);
  expect(keptFiles()).toEqual([]);
});

test('what was kept is recorded by a command for something else, too', async () => {
  beforeReply = loseServer;
  await runLosing(...transfer);
  await proxy.accept();
  beforeReply = () => {};
  await run('send', '--conversation', 'c', '--content', 'x', '--once', 'other');
  const [line = ''] = (await run('history', '--kind', 'transfer', '--json')).stdout.split('\n');
  expect(JSON.parse(line)).toMatchObject({ outcome: 'accepted', transfer: { signature: 'sig_1' } });
});

test('a server that is gone before anything leaves is exit 1, and the same command is to be run again', async () => {
  proxy.refuse();
  const { code, stdout } = await run(...transfer, '--json');
  expect(code).toBe(1);
  const { error } = JSON.parse(stdout) as { error: Record<string, string> };
  expect(error).toMatchObject({ code: 'journal-unreachable', retry: 'same-command' });
  expect(error.message).toMatch(
    /Nothing was sent this time\. Without the journal, .* cannot tell whether an earlier run did this/u,
  );
  expect(requests).toBe(0);
  await proxy.accept();
  expect((await run(...transfer)).code).toBe(0);
});
