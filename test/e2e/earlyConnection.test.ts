import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { botctl, type Ran } from '../support/botctl.ts';
import { closedAfterTest } from '../support/closedAfterTest.ts';
import { Home } from '../support/home.ts';
import { httpReply, type Loopback, startLoopback } from '../support/loopback.ts';

let home: Home;
let service: Loopback;
beforeEach(async () => {
  home = new Home();
  service = closedAfterTest(await startLoopback(reply));
});
afterEach(() => home.remove());

function reply(socket: Socket, _request: string, nth: number): void {
  socket.end(httpReply(`{"message":{"message_id":"msg_${nth}"}}`));
}

function run(words: readonly string[], more: Record<string, string> = {}): Promise<Ran> {
  const env = {
    ...home.env,
    BOTCTL_TOKEN: 'token_0123456789',
    // Whoever waits for the journal hears of no answer to a name, which comes later.
    BOTCTL_BASE_URL: `http://127.0.0.1:${service.port}`,
  };
  return botctl(words, { env: { ...env, ...more } });
}

function send(content: string, ...more: readonly string[]): string[] {
  return ['send', '--conversation', 'c', '--content', content, ...more];
}

/** Nobody commits to the journal until what is returned is called. */
function holdCommits(): () => void {
  const database = new DatabaseSync(join(home.path, 'data/botctl/journal.db'));
  database.exec('BEGIN IMMEDIATE');
  return () => {
    database.exec('ROLLBACK');
    database.close();
  };
}

test('while the commit is held back, the server has the connection and not a byte of the request', async () => {
  expect(await run(send('first'))).toMatchObject({ code: 0 });
  const release = holdCommits();
  const running = run(send('second'));
  try {
    await expect.poll(() => service.talks.length).toBe(2);
    // Nothing tells of what does not come: for so long it could have.
    await sleep(200);
    expect(service.talks[1]?.received.length).toBe(0);
  } finally {
    release();
  }
  expect(await running).toMatchObject({ code: 0 });
  expect(service.talks).toHaveLength(2);
  expect(String(service.talks[1]?.received)).toMatch(/^POST /u);
});

test('nobody is contacted for a replay, a dry run or a refusal', async () => {
  expect(await run(send('hello', '--once', 'one'))).toMatchObject({ code: 0 });
  const made = service.talks.length;
  expect(await run(send('hello', '--once', 'one'))).toMatchObject({ code: 0 });
  expect(await run(send('new', '--dry-run'))).toMatchObject({ code: 0 });
  expect(await run(send('other', '--once', 'one'))).toMatchObject({ code: 6 });
  expect(await run(send(''))).toMatchObject({ code: 2 });
  expect(
    await run(send('new'), { NODE_TLS_REJECT_UNAUTHORIZED: '0', BOTCTL_BASE_URL: 'https://bots.test' }),
  ).toMatchObject({ code: 2 });
  // Connections are taken in turn: whoever came before this one would be there.
  const last = connect(service.port, '127.0.0.1');
  await once(last, 'connect');
  const isTaken = (): boolean => service.talks.some(({ socket }) => socket.remotePort === last.localPort);
  await expect.poll(isTaken).toBe(true);
  last.destroy();
  expect(service.talks).toHaveLength(made + 1);
});
