import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const page = (): string => join(operator.home.path, 'summary.md');
const inJob = (path = page()) => ({ env: { GITHUB_STEP_SUMMARY: path } });
const read = (): string => readFileSync(page(), 'utf8');
const annotations = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('::'));

const stdin = 'conversation_id,content\nconv_demo,one\nconv_none,two\nconv_none,three\n';

describe('a job of GitHub Actions', () => {
  test('gets a table of what was done, appended to its page', async () => {
    writeFileSync(page(), 'before\n');
    const { code, stderr } = await operator.run([...payAda, '--json'], inJob());
    expect(code).toBe(0);
    expect(annotations(stderr)).toEqual([]);
    expect(read()).toMatch(
      /^before\n\n#### botctl transfer ended with exit 0\n\n\| State \| What \| ID \| Result \|\n\| --- \| --- \| --- \| --- \|\n\| <code>accepted<\/code> \| <code>0&#46;/u,
    );
  });

  test('gets one annotation of a command, however many of its rows failed', async () => {
    const { code, stderr } = await operator.run(['batch', 'send', '-', '--once', 'b'], { ...inJob(), stdin });
    expect(code).toBe(2);
    expect(annotations(stderr)).toEqual([
      expect.stringMatching(/^::error title=botctl batch send ended with exit 2::Rows not done: 2 rejected/u),
    ]);
    const misspelt = await operator.run(['transfer', '--too', 'x'], inJob());
    expect(annotations(misspelt.stderr)).toEqual([
      expect.stringMatching(/^::error title=botctl ended with exit 2::/u),
    ]);
    expect(read()).toContain('<code>done 1&#44; done now 1&#44; rejected 2</code> | <code>b</code>');
  });

  test('reads on its page why something was refused, a row of a batch as well', async () => {
    await operator.run(['send', '--conversation', 'conv_none', '--content', 'x', '--once', 'e'], inJob());
    await operator.run(['batch', 'send', '-', '--once', 'b'], { ...inJob(), stdin });
    await operator.run(['batch', 'send', '-', '--once', 'c', '--json'], { ...inJob(), stdin });
    const rows = read()
      .replace(/<\/?code>/gu, '')
      .replace(/&#(\d+);/gu, (_, code) => String.fromCodePoint(Number(code)))
      .split('\n');
    const why = 'The service refused the message (status 404';
    expect(
      rows.filter((row) => row.startsWith('| rejected | conv_none: x |') && row.includes(why)),
    ).toHaveLength(1);
    expect(rows.filter((row) => /^\| warning .*2 rows \(lines .*status 404/u.test(row))).toHaveLength(1);
    expect(
      rows.filter((row) => /^\| rejected \| line [34]: conv_none: t.*status 404/u.test(row)),
    ).toHaveLength(2);
    expect(rows.filter((row) => row.includes(' rejected 2 | '))).toHaveLength(2);
  });

  test('gets nothing that its page or its runner would take for more than text', async () => {
    const evil = '| x |\n\n# <img src=x> @ada [a](https://evil.example) ::error::%0A';
    const sent = ['send', '--conversation', 'conv_demo', '--content', evil, '--once', 'e'];
    expect((await operator.run(sent, inJob())).code).toBe(0);
    const cells = read().split('\n').at(-2) ?? '';
    expect(cells.replace(/<\/?code>|&#\d+;/gu, '')).toMatch(
      /^\| [A-Za-z0-9 ]+ \| [A-Za-z0-9 ]+ \| [a-z0-9]+ \| [A-Za-z0-9]+ \|$/u,
    );
    await operator.sandbox.faults({
      kind: 'reply',
      status: 400,
      body: '::error::%0A::warning::x',
      when: 'before',
    });
    const { stderr } = await operator.run(['send', '--conversation', 'conv_demo', '--content', 'x'], inJob());
    expect(annotations(stderr)).toHaveLength(1);
    expect(annotations(stderr)[0]).not.toMatch(/%0A/u);
  });

  test('whose page is full, or is none, ends as it would without', async () => {
    writeFileSync(page(), 'x'.repeat(64 * 1024 - 10));
    expect((await operator.run(payAda, inJob())).code).toBe(0);
    expect(read()).toHaveLength(64 * 1024 - 10);
    expect((await operator.run(payAda, inJob('/nowhere/summary.md'))).code).toBe(0);
    expect((await operator.run(payAda, inJob(operator.home.path))).code).toBe(0);
  });
});
