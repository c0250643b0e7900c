import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ran } from '../../testing/botctl.ts';
import { payAda, SandboxHome, said, sendHello } from '../../testing/sandboxHome.ts';

let own: SandboxHome;
beforeEach(async () => {
  own = await SandboxHome.open();
});
afterEach(() => own.close());

/** Stdin that is never read, and that holds no process: what another engine makes of a named pipe. */
const unreadInput = `
  const { Readable } = require('node:stream');
  Object.defineProperty(process, 'stdin', { value: new Readable({ read() {} }) });`;

/** Nothing that is waited for holds the process once the request is on its way. */
const unwatchedReply = `
  const { Socket } = require('node:net');
  const { write } = Socket.prototype;
  for (const timer of ['setTimeout', 'setInterval']) {
    const start = globalThis[timer];
    globalThis[timer] = (...words) => start(...words).unref();
  }
  const waits = require('node:timers/promises');
  const wait = waits.setTimeout;
  waits.setTimeout = (waitMs, value, options) => wait(waitMs, value, { ...options, ref: false });
  Socket.prototype.write = function (...words) {
    const written = write.apply(this, words);
    if (String(words[0]).startsWith('POST')) {
      this.unref();
      this.ref = () => this;
    }
    return written;
  };`;

/** Runs the built program in a process into which code was loaded before it. */
function runWith(preload: string, argv: readonly string[]): Promise<Ran> {
  const path = join(own.home.path, 'preload.cjs');
  writeFileSync(path, preload);
  return own.apart(argv, { env: { NODE_OPTIONS: `--require=${path}` } });
}

describe('a process that ends before its work, with nothing claimed', () => {
  const fromInput = ['send', '--conversation', 'conv_demo', '--content-file', '-'];

  test('exits 1, and says that nothing was sent', async () => {
    const ended = await runWith(unreadInput, fromInput);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('botctl: botctl ended before its work did. Nothing was sent now.\n');
    expect(ended.stderr).toContain('Run the same command again.');
    expect(await own.sandbox.ledger()).toEqual([]);
  });

  test('says it as JSON where that is asked for', async () => {
    const ended = await runWith(unreadInput, [...fromInput, '--json']);
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
    expect(await runWith(closed, fromInput)).toMatchObject({ code: 1, stdout: '', stderr: '' });
  });
});

describe('a process that ends while its request is answered', () => {
  test.each([
    ['transfer', payAda],
    ['message', sendHello],
  ])(
    'exits 9 and names the intent, and the same command finds what became of it: %s',
    async (_kind, words) => {
      const gate = await own.gate();
      const came = gate.holdNext('reply');
      const argv = [...words, '--once', 'rent', '--yes'];
      const ended = await runWith(unwatchedReply, argv);
      await came;
      const [effect] = await own.sandbox.ledger();
      const [, id = ''] =
        /botctl ended before its work did\. Intent (\S+) may have been sent\./u.exec(ended.stderr) ?? [];
      expect([ended.code, ended.stdout]).toEqual([9, '']);
      expect(ended.stderr).toContain('Run the same command again: nothing is sent twice');
      gate.release();

      const again = await own.json(argv);
      expect([again.exit, again.intent?.id, again.intent?.key]).toEqual([0, id, effect?.key]);
      expect(await own.sandbox.ledger()).toHaveLength(1);
    },
  );

  test('a batch says how many it had begun', async () => {
    const gate = await own.gate();
    const came = gate.holdNext('reply');
    const rows = join(own.home.path, 'rows.csv');
    writeFileSync(rows, 'id,conversation_id,content\n1,conv_demo,a\n2,conv_demo,b\n');
    const argv = ['batch', 'send', rows, '--once', 'news', '--yes', '--json', '--concurrency', '1'];
    const ended = await runWith(unwatchedReply, argv);
    await came;
    expect(ended.code).toBe(9);
    const { error } = JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(error).toMatchObject({ code: 'unknown', retry: 'same-command' });
    expect(error.message).toContain('Any of the 2 intents that it had begun may have been sent.');
    gate.release();
  });
});

test('what breaks out of the program while its request is answered exits 9, not 1', async () => {
  const gate = await own.gate();
  const came = gate.holdNext('reply');
  const broken = unwatchedReply.replace(
    'this.unref();',
    'setImmediate(() => { throw new Error("broken"); });',
  );
  const ended = await runWith(broken, [...payAda, '--once', 'rent', '--yes']);
  await came;
  expect(ended.code).toBe(9);
  expect(ended.stderr).toContain('botctl ended before its work did. Intent ');
  gate.release();
});
