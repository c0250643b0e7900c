import { writeFileSync } from 'node:fs';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programInShell } from '../../testing/program.ts';
import { payAda, SandboxHome, said, sendHello } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const tokenless = () => Reflect.deleteProperty(operator.env, 'BOTCTL_TOKEN');

const here: SandboxHome['json'] = (argv, more) => operator.json(argv, more);
/** Where the journal's files are limited or replaced: here SQLite keeps them open. */
const apart: SandboxHome['json'] = (argv, more) => operator.jsonApart(argv, more);

/** A release to come has been here: this one may read it, and must not write it. */
function makeNewer(): void {
  const journal = new DatabaseSync(operator.journal);
  journal.exec('PRAGMA user_version = 999');
  journal.close();
}

async function unknown(argv: readonly string[], json: SandboxHome['json'] = here): Promise<string> {
  await operator.sandbox.faults({ kind: 'drop', when: 'after' });
  const { exit, intent } = await json(argv);
  expect(exit).toBe(9);
  return intent?.id ?? '';
}

describe('what may have happened in an earlier run is told', () => {
  test.each([
    ['unnamed', payAda],
    ['--once', [...payAda, '--once', 'payday']],
    ['--run', [...payAda, '--run', 'nightly']],
    ['--idempotency-key', [...payAda, '--idempotency-key', 'key-1']],
    ['a message', sendHello],
  ])('where there is no token any more: %s', async (_what, argv) => {
    const id = await unknown(argv);
    tokenless();
    const ended = await operator.json(argv);
    expect(ended).toMatchObject({ exit: 9, error: { code: 'unknown', retry: 'same-command' } });
    expect(ended.error?.message).toMatch(
      /token.* Nothing was sent this time\. It may have happened in an earlier run/u,
    );
    expect(ended.error?.message).toContain(id);
    const other = await operator.json([...payAda.slice(0, 6), '0.7', '--once', 'another']);
    expect(other).toMatchObject({ exit: 3, error: { code: 'no-token' } });
  });

  test('beside a token that is none: of this run alone it is said that nothing was sent', async () => {
    await unknown(payAda);
    const ended = await operator.json(payAda, { env: { BOTCTL_TOKEN: 'two words' } });
    expect(ended).toMatchObject({ exit: 9, error: { code: 'unknown' } });
    expect(ended.error?.message).toMatch(
      / Nothing was sent this time\. It may have happened in an earlier run of this command/u,
    );
  });

  test('as held where it is', async () => {
    await operator.sandbox.faults({ kind: 'reply', status: 200, body: 'OK', when: 'after' });
    expect((await operator.json(payAda)).exit).toBe(10);
    tokenless();
    expect(await operator.json(payAda)).toMatchObject({
      exit: 10,
      error: { code: 'held', retry: 'decide' },
    });
  });

  test('where the journal can be read, but not be opened for sending', async () => {
    const id = await unknown(payAda);
    makeNewer();
    const ended = await operator.json(payAda);
    expect(ended).toMatchObject({ exit: 9, error: { code: 'unknown' } });
    expect(ended.error?.message).toMatch(/newer botctl/u);
    expect(ended.error?.message).toContain(id);
    expect(await operator.json([...payAda.slice(0, 6), '0.7'])).toMatchObject({
      exit: 1,
      error: { code: 'journal-newer' },
    });
  });

  test('where the journal can be opened, but not be written', async () => {
    const id = await unknown(payAda, apart);
    // As many blocks as what is beside the journal needs, and fewer than its log has.
    const full = `ulimit -f 70; exec ${programInShell} --json`;
    const ended = said(await operator.shell(`${full} ${payAda.join(' ')}`));
    expect(ended.error).toMatchObject({ code: 'unknown', retry: 'same-command' });
    expect(ended.error?.message).toMatch(/cannot be written/u);
    expect(ended.error?.message).toContain(id);
    const other = said(await operator.shell(`${full} ${[...payAda.slice(0, 6), '0.7'].join(' ')}`));
    expect(other.error).toMatchObject({ code: 'journal-not-writable', retry: 'after-fix' });
    expect(await operator.jsonApart(payAda)).toMatchObject({ exit: 0, intent: { id } });
  });

  test('by the history, where the journal cannot be written and its process died', async () => {
    await operator.sandbox.faults({ kind: 'pass', times: 8 }, { kind: 'stall', when: 'after' });
    const { child, ended } = operator.start(
      ['batch', 'send', '-', '--once', 'stalled', '--concurrency', '1'],
      'pipe',
    );
    const rows = Array.from({ length: 9 }, (_, row) => `${row},conv_demo,Hello ${row}\n`).join('');
    child.stdin?.end(`id,conversation_id,content\n${rows}`);
    await operator.effects(9);
    child.kill('SIGKILL');
    await ended;
    const history = `exec ${programInShell} history`;
    for (const listing of [history, `${history} --format csv`]) {
      const { stderr } = await operator.shell(`ulimit -f 70; ${listing}`);
      expect(stderr).toMatch(
        /^warning: The journal .* cannot be written: .* may have happened: its process/u,
      );
    }
    const listed = await operator.shell(`ulimit -f 70; ${history}`);
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/ sending .*\[stalled 8\]/u) });
  });

  test('of a batch by its name', async () => {
    const rows = 'id,conversation_id,content\n1,conv_demo,one\n';
    const argv = ['batch', 'send', '-', '--once', 'news', '--max-wait', '0s'];
    await operator.sandbox.faults({ kind: 'drop', when: 'after' });
    expect((await operator.run(argv, { stdin: rows })).code).toBe(11);
    tokenless();
    const ended = await operator.json(argv, { stdin: rows });
    expect(ended).toMatchObject({ exit: 11, error: { code: 'stopped', retry: 'after-fix' } });
    expect(ended.error?.message).toMatch(/1 row of this batch may have happened/u);
  });
});

test('where nobody can read the journal, it is said that nobody can tell', async () => {
  await unknown(payAda, apart);
  writeFileSync(operator.journal, 'this is no journal'.repeat(1000));
  const ended = await operator.jsonApart(payAda);
  expect(ended).toMatchObject({ exit: 1, error: { code: 'journal-damaged' } });
  expect(ended.error?.message).toMatch(
    /Nothing was sent this time\..*Without the journal, botctl cannot tell whether an earlier run did this/u,
  );
});
