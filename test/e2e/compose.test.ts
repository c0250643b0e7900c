import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { jsonLines } from '../support/jsonOutput.ts';
import { type Said, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

describe('batch send --template', () => {
  const batch = (text: string): string[] => [
    ...['batch', 'send', '-', '--once', 'hello', '--template', operator.home.file('hello.txt', text)],
  ];
  const stdin = 'id,conversation_id,first_name\nr1,conv_demo,Ada\nr2,conv_demo,"{{id}}"\n';

  test('sends each row its own text', async () => {
    const text = 'Hi {{first_name}},\nyour number is {{id}}.\n';
    expect((await operator.run(batch(text), { stdin })).code).toBe(0);
    const sent = await operator.run(['history', '--batch', 'hello', '--json']);
    const contents = (jsonLines(sent.stdout) as Said[]).map(({ entry }) => entry?.request.content);
    expect(contents.sort()).toEqual(['Hi Ada,\nyour number is r1.', 'Hi {{id}},\nyour number is r2.']);
  });
});

test('the short options are those of the long ones', async () => {
  const short = ['send', '-c', 'conv_demo', '-m', 'Hello', '-o', 'short'];
  expect(await operator.json(short)).toMatchObject({ exit: 0, entry: { name: 'short' } });
  const listed = await operator.run(['history', '-n', '1', '-s', 'accepted', '--quiet']);
  expect(listed.stdout.trimEnd().split('\n')).toHaveLength(1);
});
