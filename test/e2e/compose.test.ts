import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonLines } from '../../testing/jsonOutput.ts';
import { payAda, type Said, SandboxHome, sendHello } from '../../testing/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const messageId = (said: { message?: Record<string, unknown> }): unknown =>
  said.message?.id ?? said.message?.message_id;

describe('send --reply-to-entry', () => {
  const reply = (word: string) => ['send', '--content', 'yes', '--reply-to-entry', word, '--dry-run'];

  test('replies to the message that was sent under this name, or as this intent, in its conversation', async () => {
    const asked = await operator.json([...sendHello, '--once', 'question']);
    for (const word of ['question', asked.intent?.id ?? '', asked.intent?.id.slice(0, 5) ?? '']) {
      const { exit, intent } = await operator.json(reply(word));
      expect(exit).toBe(0);
      expect(intent?.request).toEqual({
        conversation_id: 'conv_demo',
        content: 'yes',
        reply_to_message_id: messageId(asked),
      });
    }
  });

  test('in another conversation is refused, and says how it is done if it is meant', async () => {
    const asked = await operator.json([...sendHello, '--once', 'question']);
    const elsewhere = await operator.json([...reply('question'), '--conversation', 'conv_test']);
    expect(elsewhere).toMatchObject({ exit: 2, error: { code: 'bad-input' } });
    expect(elsewhere.error?.message).toContain('is in conv_demo, but this one would go to conv_test');
    expect(elsewhere.error?.hint).toContain(`--reply-to ${messageId(asked)}`);
  });

  test('says of a name that the journal does not know that it does not, and how to look', async () => {
    await operator.run([...sendHello, '--once', 'question']);
    for (const word of ['answer', 'an']) {
      const { exit, error } = await operator.json(reply(word));
      expect(exit).toBe(2);
      expect(error?.message).toMatch(/^No message in the journal .* has the name or ID "\w+"\. /u);
      expect(JSON.stringify(error)).not.toContain('not a name');
      expect(error?.next).toEqual(['botctl history --kind message']);
    }
  });

  test('refuses what is no accepted message, and what could be several', async () => {
    expect(await operator.json(reply('question'))).toMatchObject({
      exit: 2,
      error: { code: 'no-such-intent' },
    });
    await operator.sandbox.faults({ kind: 'drop', when: 'before', operation: 'message' });
    const lost = await operator.json([...sendHello, '--once', 'question']);
    expect(await operator.json(reply('question'))).toMatchObject({
      exit: 2,
      error: { code: 'not-allowed-now' },
    });
    await operator.run([...payAda, '--once', 'rent']);
    expect(await operator.json(reply('rent'))).toMatchObject({ exit: 2, error: { code: 'no-such-intent' } });
    await operator.run([...sendHello, '--once', lost.intent?.id.slice(0, 6) ?? '']);
    const several = await operator.json(reply(lost.intent?.id.slice(0, 6) ?? ''));
    expect(several).toMatchObject({ exit: 2, error: { code: 'usage' } });
    const both = [...reply('question'), '--reply-to', 'msg_1'];
    expect(await operator.json(both)).toMatchObject({ exit: 2 });
  });
});

describe('batch send --template', () => {
  const batch = (text: string): string[] => [
    ...['batch', 'send', '-', '--once', 'hello', '--template', operator.home.file('hello.txt', text)],
  ];
  const stdin = 'id,conversation_id,first_name\nr1,conv_demo,Ada\nr2,conv_demo,"{{id}}"\n';

  test('sends each row its own text', async () => {
    const text = 'Hi {{first_name}},\nyour number is {{id}}.\n';
    expect((await operator.run(batch(text), { stdin })).code).toBe(0);
    const sent = await operator.run(['history', '--batch', 'hello', '--json']);
    const contents = (jsonLines(sent.stdout) as Said[]).map(({ intent }) => intent?.request.content);
    expect(contents.sort()).toEqual(['Hi Ada,\nyour number is r1.', 'Hi {{id}},\nyour number is r2.']);
  });

  test('is checked whole before anything is sent', async () => {
    for (const text of ['Hi {{first_name}} {{last_name}}', 'Hi {{first_name}']) {
      const refused = await operator.json(batch(text), { stdin });
      expect(refused).toMatchObject({ exit: 2, error: { code: 'bad-file' } });
    }
    const { code, stderr } = await operator.run(batch('Hi {{first_name}}'), {
      stdin: stdin.replace('Ada', ''),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /has no value for \{\{first_name\}\} \(.*hello\.txt, line 1, column 4\) in this row/u,
    );
    expect(await operator.sandbox.ledger()).toEqual([]);
  });
});

test('the short options are those of the long ones', async () => {
  const short = ['send', '-c', 'conv_demo', '-m', 'Hello', '-o', 'short'];
  expect(await operator.json(short)).toMatchObject({ exit: 0, intent: { name: 'short' } });
  const listed = await operator.run(['history', '-n', '1', '-s', 'accepted', '--quiet']);
  expect(listed.stdout.trimEnd().split('\n')).toHaveLength(1);
});
