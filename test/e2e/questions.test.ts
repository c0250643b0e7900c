import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

const no = [['[y/N] ', 'n\r']] as const;

/** What the question shows, as one line. */
async function asked(...argv: string[]): Promise<string> {
  const { shown } = await onTerminalHere(argv, no, operator.env);
  return shown.replaceAll(/\s+/gu, ' ');
}

describe('a question shows', () => {
  test('the name of the command', async () => {
    expect(await asked(...payAda, '--once', 'rent-11')).toContain('Name rent-11');
  });

  test('whether the asset is misspelled, as a dry run does', async () => {
    operator.useProfiles(
      { payer: { assets: { USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' } } },
      'payer',
    );
    const pay = ['transfer', '--to', payAda[2], '--asset', 'usd', '--amount', '1', '--once', 'a'];
    expect(await asked(...pay)).toMatch(/does not name a token "usd"; .*Is it misspelled\? Send it\?/u);
  });

  test('the policy’s name beside the address, and that more than it lets go alone is proposed', async () => {
    const policy = operator.home.policy({
      schema: 'botctl-policy/1',
      limits: { SOL: {} },
      recipients: { ada: payAda[2] },
      approve_above: { SOL: '1' },
    });
    operator.useProfiles({ payer: { policy } }, 'payer');
    const pay = (amount: string) => [
      'transfer',
      '--to',
      '@ada',
      '--asset',
      'SOL',
      '--amount',
      amount,
      '--once',
      'a',
    ];
    expect(await asked(...pay('0.5'))).toMatch(/To \w+ \(@ada\) .*Send it\?/u);
    expect(await asked(...pay('2'))).toContain('Propose it? It waits for approval then.');
  });

  test('the name of the batch and the first of its messages as it will look', async () => {
    const path = operator.home.file(
      'hello.csv',
      `id,conversation_id,name,buttons\na,conv_demo,Ada,"[{""label"":""Yes"",""id"":""y""}]"\nb,conv_demo,Bob,\n`,
    );
    const template = operator.home.file('hello.txt', 'Hello {{name}}');
    const batch = ['batch', 'send', path, '--once', 'hello-11', '--template', template];
    expect(await asked(...batch)).toMatch(
      /The first: │ Hello Ada │ │ \[ Yes \] y Send 2 messages as hello-11\?/u,
    );
    expect((await operator.run([...batch, '--dry-run'])).stdout).toContain('│ Hello Ada');
  });

  test('the name of what is decided about', async () => {
    const { intent } = await operator.json([...payAda, '--once', 'rent-11', '--propose']);
    expect(await asked('approve', (intent?.id ?? '').slice(0, 8))).toMatch(
      /Name rent-11 .*Approve and send it\?/u,
    );
  });
});
