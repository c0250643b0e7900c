import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { httpReply, type Loopback, startLoopback } from '../support/loopback.ts';
import { payAda, SandboxHome, said } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

describe('loopback', () => {
  const payday = [...payAda, '--once', 'payday'];

  test('is spoken to as it is spelled, also on resume', async () => {
    const hosts: string[] = [];
    const server = await startLoopback((socket, request) => {
      hosts.push(/^host: (.*)\r$/imu.exec(request)?.[1] ?? '');
      if (hosts.length === 1) socket.destroy();
      else socket.end(httpReply('{"transfer_id":"tr_1","status":"confirmed","signature":"sig_1"}'));
    });
    try {
      const url = `http://localhost:${server.port}`;
      const { entry, exit } = await operator.json([...payday, '--base-url', url]);
      expect(exit).toBe(9);
      expect(await operator.json(['resume', entry?.id ?? '', '--base-url', url])).toMatchObject({ exit: 0 });
      expect(hosts).toEqual([`localhost:${server.port}`, `localhost:${server.port}`]);
    } finally {
      await server.close();
    }
  });
});

describe('a token from the environment without a base URL beside it', () => {
  let other: Loopback;
  beforeEach(async () => {
    other = await startLoopback((socket) => socket.end(httpReply('{"message":{"id":"m"}}')));
  });
  afterEach(() => other.close());

  async function unknownElsewhere(): Promise<string> {
    const dropping = await startLoopback((socket) => socket.destroy());
    const { port } = dropping;
    try {
      const url = `http://127.0.0.1:${port}`;
      const ended = await operator.json(
        ['send', '--conversation', 'conv_demo', '--content', 'x', '--base-url', url],
        { env: { BOTCTL_TOKEN: 'token-of-elsewhere' } },
      );
      expect(ended.exit).toBe(9);
      return ended.entry?.id ?? '';
    } finally {
      await dropping.close();
    }
  }

  test('speaks for no entry of another token, neither with --all nor with an ID', async () => {
    const id = await unknownElsewhere();
    Reflect.deleteProperty(operator.env, 'BOTCTL_BASE_URL');
    for (const argv of [
      ['resume', '--all'],
      ['resume', id],
    ]) {
      const ended = await operator.run([...argv, '--json']);
      expect(ended.code).toBe(9);
      expect(said(ended)).toMatchObject({
        outcome: 'unknown',
        error: { code: 'other-token', retry: 'after-fix' },
      });
      expect(ended.stdout).not.toContain('--base-url');
      expect(said(ended).error?.message).toMatch(
        / Nothing was sent this time\. It may have been (?:made|sent) by an earlier request\.$/u,
      );
    }
    const own = await operator.json(['resume', id], { env: { BOTCTL_TOKEN: 'token-of-elsewhere' } });
    expect(own).toMatchObject({ exit: 9, error: { code: 'unknown' }, entry: { attempts: 2 } });
  });

  test('is asked for by name where none is given, and no profile is taken for it', async () => {
    const id = await unknownElsewhere();
    Reflect.deleteProperty(operator.env, 'BOTCTL_BASE_URL');
    Reflect.deleteProperty(operator.env, 'BOTCTL_TOKEN');
    const url = `http://127.0.0.1:${other.port}`;
    await operator.run(['config', 'add', 'own', '--base-url', url, '--token-stdin'], {
      stdin: 'a-profiles-own',
    });
    for (const argv of [
      ['resume', '--all'],
      ['resume', id],
    ]) {
      const ended = await operator.json(argv);
      expect(ended).toMatchObject({ exit: 9, error: { code: 'no-token' }, entry: { attempts: 1 } });
      expect(ended.error?.message).not.toContain('--base-url');
      expect(ended.error?.hint).toContain('BOTCTL_TOKEN');
    }
  });

  test('speaks for it where the base URL is given with it', async () => {
    const id = await unknownElsewhere();
    const ended = await operator.json(['resume', id]);
    // What is given is another service than the entry's.
    expect(ended).toMatchObject({ error: { code: 'bot-moved' } });
    expect(ended.entry).toMatchObject({ attempts: 1 });
  });
});
