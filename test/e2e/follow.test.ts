import { afterEach, beforeEach, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

test.each<[string, readonly string[], string, RegExp]>([
  [
    'a transfer',
    payAda,
    '',
    /^note: Interrupted while the transfer is being sent: .* Interrupt again to leave/mu,
  ],
  [
    'a batch',
    ['batch', 'send', '-', '--once', 'b'],
    'conversation_id,content\nconv_demo,one\n',
    /^note: Interrupted: no new row is started\. .* Interrupt again to leave/mu,
  ],
])(
  'the first interrupt of %s in flight says what is waited for, and how to leave',
  async (_what, argv, stdin, line) => {
    await operator.sandbox.faults({ kind: 'stall', when: 'after', ms: 60_000 });
    const { child, ended } = operator.start(argv, 'pipe');
    child.stdin?.end(stdin);
    await operator.effects(1);
    const told = new Promise<string>((resolve) => {
      let text = '';
      child.stderr?.on('data', (chunk: string) => {
        text += chunk;
        if (line.test(text)) resolve(text);
      });
    });
    child.kill('SIGINT');
    await told;
    child.kill('SIGINT');
    const { code } = await ended;
    expect([9, 11]).toContain(code);
  },
);
