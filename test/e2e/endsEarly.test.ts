import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../support/botctl.ts';
import { loadingFirst } from '../support/program.ts';
import { payAda, SandboxHome, said, sendHello } from '../support/sandboxHome.ts';

let own: SandboxHome;
beforeEach(async () => {
  own = await SandboxHome.open();
});
afterEach(() => own.close());

/** Stdin that is never read, and that holds no process: what another engine makes of a named pipe. */
const unreadInput = `
  const { Readable } = require('node:stream');
  Object.defineProperty(process, 'stdin', { value: new Readable({ read() {} }) });`;

/** From a SIGUSR2 on nothing that is waited for holds the process. */
const unwatchedReply = `
  const { Socket } = require('node:net');
  for (const timer of ['setTimeout', 'setInterval']) {
    const start = globalThis[timer];
    globalThis[timer] = (...words) => start(...words).unref();
  }
  const waits = require('node:timers/promises');
  const wait = waits.setTimeout;
  waits.setTimeout = (waitMs, value, options) => wait(waitMs, value, { ...options, ref: false });
  const { write } = Socket.prototype;
  Socket.prototype.write = function (...words) {
    if (String(words[0]).startsWith('POST')) process.once('SIGUSR2', () => end(this));
    return write.apply(this, words);
  };
  const end = (socket) => {
    socket.unref();
    socket.ref = () => socket;
  };`;

/** Loads code into the processes that botctl runs in. */
function preload(code: string): void {
  Object.assign(own.env, loadingFirst(own.home.file('preload.cjs', code)));
}

/** Runs the built program with such code, and tells it when its request is done and its reply on the way. */
async function endWhileAnswered(code: string, argv: readonly string[]): Promise<Ran> {
  preload(code);
  const gate = await own.gate();
  const came = gate.holdNext('reply');
  const { child, ended } = own.start(argv);
  await came;
  child.kill('SIGUSR2');
  const ran = await ended;
  gate.release();
  delete own.env.NODE_OPTIONS;
  delete own.env.BUN_OPTIONS;
  return ran;
}

describe('a process that ends before its work, with nothing claimed', () => {
  const run = (code: string, argv: readonly string[]): Promise<Ran> => {
    preload(code);
    return own.apart(argv);
  };
  const fromInput = ['send', '--conversation', 'conv_demo', '--content-file', '-'];

  test('exits 1, and says that nothing was sent', async () => {
    const ended = await run(unreadInput, fromInput);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain(
      'botctl: botctl stopped before it had finished. Nothing was sent this time.\n',
    );
    expect(ended.stderr).toContain('Run the same command again.');
    expect(await own.sandbox.ledger()).toEqual([]);
  });

  test('says it as JSON where that is asked for', async () => {
    const ended = await run(unreadInput, [...fromInput, '--json']);
    expect(ended).toMatchObject({ code: 1, stderr: '' });
    expect(said(ended).error).toMatchObject({ code: 'bug', retry: 'after-fix' });
  });

  test('exits 1 where its streams take no more words', async () => {
    const closed = `${unreadInput}
      const fs = require('node:fs');
      const { writeSync } = fs;
      fs.writeSync = (to, ...words) => {
        if (to <= 2) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
        return writeSync(to, ...words);
      };`;
    expect(await run(closed, fromInput)).toMatchObject({ code: 1, stdout: '', stderr: '' });
  });
});

describe('a process that ends while its request is answered', () => {
  test.each([
    ['transfer', payAda],
    ['message', sendHello],
  ])(
    'exits 9 and names the entry, and the same command finds what became of it: %s',
    async (_kind, words) => {
      const argv = [...words, '--once', 'rent', '--yes'];
      const ended = await endWhileAnswered(unwatchedReply, argv);
      const [effect] = await own.sandbox.ledger();
      const [, id = ''] =
        /botctl stopped before it had finished\. Entry (\S+) may have been sent\./u.exec(ended.stderr) ?? [];
      expect([ended.code, ended.stdout]).toEqual([9, '']);
      expect(ended.stderr).toContain('Run the same command again: nothing is sent twice');

      const again = await own.json(argv);
      expect([again.exit, again.entry?.id, again.entry?.key]).toEqual([0, id, effect?.key]);
      expect(await own.sandbox.ledger()).toHaveLength(1);
    },
  );

  test('a batch says how many it had begun', async () => {
    const rows = own.home.file('rows.csv', 'id,conversation_id,content\n1,conv_demo,a\n2,conv_demo,b\n');
    const argv = ['batch', 'send', rows, '--once', 'news', '--yes', '--json', '--concurrency', '2'];
    const ended = await endWhileAnswered(unwatchedReply, argv);
    expect(ended.code).toBe(9);
    const { error } = JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'unknown', retry: 'same-command' });
    expect(error.message).toContain('Any of the 2 entries that it began may have been sent.');
  });
});

test('what breaks out of the program while its request is answered exits 9, not 1', async () => {
  const broken = unwatchedReply.replace('socket.unref();', 'throw new Error("broken");');
  const ended = await endWhileAnswered(broken, [...payAda, '--once', 'rent', '--yes']);
  expect(ended.code).toBe(9);
  expect(ended.stderr).toContain('botctl stopped before it had finished. Entry ');
});
