import { on } from 'node:events';
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SkippingClock } from '../../testing/builtHere.ts';
import { nodeBeside } from '../../testing/nodeBeside.ts';
import type { FaultSpec } from '../../testing/sandbox.ts';
import { type Exited, payAda, SandboxHome } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.openWithNode(new SkippingClock());
});
afterEach(() => operator.close());

async function config(...argv: string[]): Promise<void> {
  const { code, stderr } = await operator.run(['config', ...argv]);
  expect(code, stderr).toBe(0);
}

type Balance = { asset: string; mint?: string; amount?: string; unknown?: string; too_little?: true };
type Told = Exited & { balances: Balance[]; wallet?: string; rpc?: string[] };

const told = async (...argv: string[]): Promise<Told> => (await operator.json(argv)) as Told;

const amounts = ({ balances }: Told): Record<string, string | undefined> =>
  Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount]));

/** What the sandbox itself says that its wallet holds. */
async function held(): Promise<Record<string, string>> {
  const { wallet } = await operator.sandbox.state();
  return Object.fromEntries(wallet.balances.map(({ asset, amount }) => [asset, amount]));
}

/** Answers that are no balance, each of a node that answers. */
const nonsense: readonly (readonly [string, RequestListener])[] = [
  ['redirects', (_request, response) => void response.writeHead(307, { Location: '/' }).end()],
  ['answers HTML', (_request, response) => void response.end('<html>')],
  ['answers more than can be read', (_request, response) => void response.end(' '.repeat(4 * 1024 * 1024))],
];

describe('balance', () => {
  test('shows SOL and each token of the profile, to the last unit', async () => {
    const { node } = operator.sandbox;
    await operator.sandbox.money({ address: node.wallet, asset: 'USDC', amount: '9007199254.740993' });
    const shown = await told('balance');
    expect(shown).toMatchObject({ exit: 0, wallet: node.wallet, rpc: new URL(node.rpcUrl).host });
    expect(amounts(shown)).toEqual(await held());
    expect(shown.balances.find(({ asset }) => asset === 'USDC')?.mint).toBe(node.assets.USDC);
    const { stdout } = await operator.run(['balance']);
    expect(stdout).toMatch(new RegExp(`SOL +${amounts(shown).SOL}\n +USDC +${amounts(shown).USDC}\n`, 'u'));
  });

  test('needs no token, and shows the sandbox’s own wallet', async () => {
    Reflect.deleteProperty(operator.env, 'PAYER');
    expect(await told('balance')).toMatchObject({ exit: 0 });
    expect(amounts(await told('balance', '--sandbox'))).toMatchObject({ SOL: '100', USDC: '10000' });
  });

  test('a wallet without an account of a token holds 0 of it', async () => {
    await config('set', 'payer', 'wallet', '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z');
    expect(amounts(await told('balance'))).toEqual({ SOL: '0', USDC: '0' });
  });

  test('without a node, or a wallet, says how to set what is missing', async () => {
    await config('unset', 'payer', 'rpc-url');
    expect(await told('balance')).toMatchObject({
      exit: 2,
      error: { code: 'no-rpc-url', next: ['botctl config set payer rpc-url'] },
    });
    await config('unset', 'payer', 'wallet');
    expect(await told('balance')).toMatchObject({
      exit: 2,
      error: { next: ['botctl config set payer rpc-url', 'botctl config set payer wallet ADDRESS'] },
    });
    const env = { BOTCTL_TOKEN: 'x'.repeat(20), BOTCTL_BASE_URL: operator.sandbox.baseUrl };
    const { code, stderr } = await operator.run(['balance'], { env });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('--profile NAME') });
  });

  test.each<[string, FaultSpec]>([
    ['nothing', { kind: 'twist', path: '', value: null }],
    ['an error', { kind: 'rpc-error', code: -32000, message: 'no' }],
  ])('that is %s is unknown, and what else is known is shown', async (_name, fault) => {
    await operator.sandbox.faults({ operation: 'rpc', method: 'getBalance', ...fault });
    const { exit, error, balances } = await told('balance');
    expect({ exit, code: error?.code }).toEqual({ exit: 8, code: 'node-unusable' });
    expect(balances).toMatchObject([
      { asset: 'SOL', unknown: expect.any(String) },
      { asset: 'USDC', amount: (await held()).USDC },
    ]);
    expect(balances[0]).not.toHaveProperty('amount');
  });

  test.each(nonsense)('of a node that %s is unknown', async (_name, listener) => {
    operator.env.NODE = await nodeBeside(listener);
    expect(await told('balance')).toMatchObject({ exit: 8, error: { code: 'node-unusable' } });
  });

  test('of a node that never answers is unknown after the time it has', async () => {
    operator.env.NODE = await nodeBeside(() => {});
    expect(await told('balance', '--timeout', '50ms')).toMatchObject({
      exit: 8,
      error: { message: expect.stringContaining('no answer in time') },
    });
  });
});

/** How many requests the sandbox's node has had. */
const asked = (): number => operator.sandbox.lines.filter(({ operation }) => operation === 'rpc').length;

const payLots = ['transfer', '--to', payAda[2], '--asset', 'USDC', '--amount', '10000.000001'] as const;
const rows = `id,to_address,asset,amount\na,${payAda[2]},USDC,6000\nb,${payAda[2]},USDC,5000\nc,${payAda[2]},SOL,1\n`;

describe('a dry run', () => {
  test('shows the balance, and warns where it is too little', async () => {
    const enough = await told(...payAda, '--dry-run');
    expect(enough).toMatchObject({ exit: 0, balances: [{ asset: 'SOL', amount: '100' }], warnings: [] });
    expect(await told(...payLots, '--dry-run')).toMatchObject({
      exit: 0,
      balances: [{ asset: 'SOL' }, { asset: 'USDC', amount: '10000', too_little: true }],
      warnings: ['The wallet holds 10000 USDC, too little to pay 10000.000001 USDC.'],
    });
    const { stdout, stderr } = await operator.run([...payLots, '--dry-run']);
    expect(stdout).toContain('100 SOL, 10000 USDC: too little to pay 10000.000001 USDC\n');
    expect(stderr).toContain('warning: The wallet holds 10000 USDC');
  });

  test('that says how to set a node asks nobody, and one of an asset without a mint says so', async () => {
    const unknown = ['transfer', '--to', payAda[2], '--asset', 'BONK', '--amount', '1', '--dry-run'];
    expect(await told(...unknown)).toMatchObject({
      balances: [
        { asset: 'SOL', amount: '100' },
        { asset: 'BONK', unknown: expect.stringContaining('no mint') },
      ],
    });
    await config('unset', 'payer', 'rpc-url');
    const { stdout } = await operator.run([...payAda, '--dry-run']);
    expect(stdout).toMatch(
      /Balance +not asked: the profile has no rpc-url \(botctl balance says how to set it\)\n/u,
    );
    expect(await told(...payAda, '--dry-run')).not.toHaveProperty('balances');
  });

  test('asks no node where it shows nothing, or would send nothing', async () => {
    await operator.run([...payAda, '--once', 'a']);
    const before = asked();
    await operator.run([...payAda, '--once', 'a', '--dry-run']);
    await operator.run([...payAda, '--once', 'b', '--dry-run', '--quiet']);
    await operator.run(['batch', 'transfer', '-', '--once', 'pay', '--dry-run', '--quiet'], { stdin: rows });
    expect(asked()).toBe(before);
  });
});

describe('without a terminal', () => {
  test('a transfer and a batch ask no node', async () => {
    expect(await told(...payAda, '--once', 'a')).toMatchObject({ exit: 0 });
    expect(await told(...payAda, '--once', 'a')).toMatchObject({ exit: 0, replayed: true });
    const { code } = await operator.run(['batch', 'transfer', '-', '--once', 'pay', '--max-failures', '1'], {
      stdin: `id,to_address,asset,amount\na,${payAda[2]},SOL,1\n`,
    });
    expect({ code, asked: asked() }).toEqual({ code: 0, asked: 0 });
  });
});

describe('the doctor', () => {
  type Check = { check: string; level: string; says: string; todo?: string; next?: string[] };
  const chainChecks = ['chain', 'mint', 'wallet', 'balance'];

  /** Its exit code, and what it says of the chain. */
  async function doctor(...words: string[]): Promise<{ code: number | null; checks: Check[] }> {
    const { code, stdout } = await operator.run(['doctor', '--json', ...words]);
    const { checks } = JSON.parse(stdout) as { checks: Check[] };
    for (const { level, todo } of checks) expect(todo === undefined).toBe(level === 'ok');
    return { code, checks: checks.filter(({ check }) => chainChecks.includes(check)) };
  }

  test('also where the token is missing', async () => {
    Reflect.deleteProperty(operator.env, 'PAYER');
    expect(await doctor()).toMatchObject({ code: 1, checks: [{ check: 'chain', level: 'ok' }, {}] });
  });

  test('says when the node is of another cluster', async () => {
    await config('set', 'payer', 'cluster', 'devnet');
    expect(await doctor()).toMatchObject({
      code: 1,
      checks: [
        {
          level: 'fail',
          says: expect.stringContaining('does not belong to the cluster devnet'),
          next: ['botctl config set payer cluster CLUSTER', 'botctl config set payer rpc-url'],
        },
      ],
    });
  });

  test('says when a mint is none of this cluster, and when a mint is set as the wallet', async () => {
    const mainnetUsdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    await config('set', 'payer', 'assets', JSON.stringify({ USDC: mainnetUsdc }));
    await config('set', 'payer', 'wallet', operator.sandbox.node.assets.USDC ?? '');
    expect(await doctor()).toMatchObject({
      code: 1,
      checks: [
        { check: 'chain', level: 'ok' },
        { check: 'mint', level: 'fail', says: expect.stringContaining(mainnetUsdc) },
        { check: 'wallet', level: 'fail', says: expect.stringContaining('not a wallet') },
      ],
    });
  });

  test('warns of an empty wallet', async () => {
    await config('set', 'payer', 'wallet', '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z');
    expect(await doctor()).toMatchObject({ code: 0, checks: [{}, { check: 'balance', level: 'warn' }] });
  });

  test('says that no node or no wallet is set, and that is in order', async () => {
    await config('unset', 'payer', 'wallet');
    expect(await doctor()).toMatchObject({ code: 0, checks: [{}, { check: 'wallet', level: 'ok' }] });
    await config('unset', 'payer', 'rpc-url');
    const says = expect.stringContaining('botctl balance says how to set it');
    expect(await doctor()).toMatchObject({ code: 0, checks: [{ check: 'chain', level: 'ok', says }] });
  });

  test.each([...nonsense, ['never answers', () => {}]] as typeof nonsense)(
    'warns of a node that %s',
    async (_name, listener) => {
      operator.env.NODE = await nodeBeside(listener);
      expect(await doctor()).toMatchObject({ code: 0, checks: [{ check: 'chain', level: 'warn' }] });
    },
  );

  test('fails where the URL of the node cannot be read', async () => {
    Reflect.deleteProperty(operator.env, 'NODE');
    expect(await doctor()).toMatchObject({ code: 1, checks: [{ check: 'chain', level: 'fail' }] });
  });
});

describe('on a terminal', () => {
  const pay = [...payAda, '--once', 'a'];

  test('the question shows the balance, and a replay asks no node', async () => {
    const { code, shown } = await onTerminalHere(pay, [['[y/N] ', 'y\r']], operator.env);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringMatching(/Balance +100 SOL\r\n/u) });
    const before = asked();
    expect(await onTerminalHere(pay, [], operator.env)).toMatchObject({ code: 0 });
    expect(await onTerminalHere([...pay.with(-1, 'b'), '--yes'], [], operator.env)).toMatchObject({
      code: 0,
    });
    expect(asked()).toBe(before);
  });

  test.each([
    ['approve', ['--propose'], 10],
    ['resume', [], 10],
  ] as const)('the question of %s shows it, and says what is too little', async (command, more, exit) => {
    if (command === 'resume')
      await operator.sandbox.faults({ kind: 'reply', status: 409, operation: 'transfer', times: 9 });
    const lots = [...payLots, '--once', 'lots', ...more];
    const { intent } = await operator.json(lots);
    const before = asked();
    const id = intent?.id ?? '';
    const { code, shown } = await onTerminalHere([command, id], [['[y/N] ', 'n\r']], operator.env);
    expect({ code, shown: shown.replaceAll(/\s+/gu, ' ') }).toEqual({
      code: exit,
      shown: expect.stringContaining('Balance 100 SOL, 10000 USDC: too little to pay 10000.000001 USDC'),
    });
    expect(asked()).toBeGreaterThan(before);
    operator.env.NODE = await nodeBeside(() => {});
    const silent = await onTerminalHere([command, id], [['[y/N] ', 'n\r']], operator.env);
    expect(silent).toMatchObject({ code: exit, shown: expect.stringMatching(/Balance +unknown: /u) });
  });

  test.each([...nonsense, ['never answers', () => {}]] as typeof nonsense)(
    'a node that %s keeps nobody from paying',
    async (_name, listener) => {
      operator.env.NODE = await nodeBeside(listener);
      const { code, shown } = await onTerminalHere(pay, [['[y/N] ', 'y\r']], operator.env);
      expect({ code, shown }).toEqual({ code: 0, shown: expect.stringMatching(/Balance +unknown: /u) });
      expect(await operator.sandbox.ledger()).toHaveLength(1);
    },
  );

  test('a node whose URL cannot be read keeps nobody from paying', async () => {
    Reflect.deleteProperty(operator.env, 'NODE');
    const { code, shown } = await onTerminalHere(pay, [['[y/N] ', 'y\r']], operator.env);
    expect({ code, shown }).toEqual({ code: 0, shown: expect.stringMatching(/Balance +unknown: .*NODE/u) });
  });
});

describe('config add on a terminal', () => {
  const add = (): string[] => ['config', 'add', 'prod', '--base-url', operator.sandbox.baseUrl];
  const prompts = {
    token: 'Token of prod (not shown): ',
    rpc: 'rpc-url of prod (not shown), Enter skips: ',
    wallet: 'wallet of prod, Enter skips: ',
  };

  test('asks for node and wallet, tries all, and ends with ready', async () => {
    const { node, tokens } = operator.sandbox;
    const chain = ['--cluster', node.genesisHash, '--assets', JSON.stringify(node.assets)];
    const steps = [
      [prompts.token, `${tokens.full}\r`],
      [prompts.rpc, 'nonsense\r'],
      [/is not a URL[\s\S]*skips: /u, `${node.rpcUrl}\r`],
      [prompts.wallet, 'my wallet\r'],
      [/is not 32 bytes in base58[\s\S]*skips: /u, `${node.wallet}\r`],
    ] as const;
    const { code, shown } = await onTerminalHere([...add(), ...chain], steps, operator.env);
    expect({ code, end: shown.trimEnd().split('\r\n').at(-1) }).toEqual({
      code: 0,
      end: expect.stringContaining('prod is ready.'),
    });
    expect(shown).not.toContain(node.rpcUrl);
    expect(amounts(await told('balance', '--profile', 'prod'))).toEqual(await held());
    expect(await operator.sandbox.ledger()).toEqual([]);
  });

  test('ends with what is not ready, and keeps the profile', async () => {
    const steps = [
      [prompts.token, 'a-token-that-nobody-issued\r'],
      [prompts.rpc, `${operator.sandbox.node.rpcUrl}\r`],
      [prompts.wallet, '\r'],
    ] as const;
    const { code, shown } = await onTerminalHere(add(), steps, operator.env);
    expect({ code, shown }).toEqual({
      code: 0,
      shown: expect.stringMatching(/prod is not ready: token and chain\./u),
    });
    const line = shown.replaceAll(/\s+/gu, ' ');
    expect(line).toContain('token: from profile prod: stored in the profile; the service refuses it (401).');
    expect(line).toContain('does not belong to the cluster mainnet');
    expect((await operator.run(['config', 'show', 'prod'])).code).toBe(0);
  });

  test('Enter skips both, and a service that nobody runs is named', async () => {
    const steps = [
      [prompts.token, 'a-token-that-nobody-issued\r'],
      [prompts.rpc, '\r'],
      [prompts.wallet, '\r'],
    ] as const;
    const nowhere = ['config', 'add', 'prod', '--base-url', 'http://127.0.0.1:9'];
    const { code, shown } = await onTerminalHere(nowhere, steps, operator.env);
    expect({ code, shown }).toEqual({
      code: 0,
      shown: expect.stringContaining('prod is not ready: address.'),
    });
  });

  test('what comes on stdin is asked for nothing, and --yes tries nothing', async () => {
    const { baseUrl, tokens } = operator.sandbox;
    const piped = ['config', 'add', 'prod', '--base-url', baseUrl, '--token-stdin'];
    const first = await onTerminalHere(piped, [], operator.env, { stdin: `${tokens.full}\n` });
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('prod is ready.') });
    const words = ['config', 'add', 'quiet', '--base-url', baseUrl, '--token-env', 'PAYER', '--yes'];
    expect((await onTerminalHere(words, [], operator.env)).shown).not.toContain('ready');
  });
});

test('the sandbox prints one command that makes a whole profile', async () => {
  const { child, ended } = operator.start(['sandbox', '--ephemeral', '--port', '0']);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let greeting = '';
  for await (const [chunk] of on(child.stdout ?? child, 'data')) {
    greeting += String(chunk);
    if (greeting.includes('Ctrl-C ends it')) break;
  }
  const lines = greeting.split('\n').filter((line) => line.includes('botctl config'));
  expect(lines).toHaveLength(1);
  const { code, stderr } = await operator.shell(lines[0] ?? '');
  expect(code, stderr).toBe(0);
  expect(amounts(await told('balance', '--profile', 'local'))).toMatchObject({ SOL: '100', USDC: '10000' });
});

test.each<[string, string[], string]>([
  ['nothing', [], ''],
  ['an empty line', ['--token-stdin'], ''],
  ['two lines', ['--token-stdin'], 'https://rpc.example.com\nmore\n'],
  ['a blank in it', ['--token-stdin'], 'https://rpc.example.com/ a\n'],
  ['two places', ['--token-stdin', '--token-env', 'X'], ''],
  ['no name of a variable', ['--token-env', 'a b'], ''],
  ['no file', ['--token-file', '-'], ''],
  ['no command', ['--token-command', '"'], ''],
])('an rpc-url of which there is %s is not called a token', async (_name, words, stdin) => {
  const { code, stderr } = await operator.run(['config', 'set', 'payer', 'rpc-url', ...words], { stdin });
  expect(code).toBeGreaterThan(0);
  expect(stderr.replaceAll(/--token-\w+/gu, '')).not.toMatch(/token/iu);
});

test('an rpc-url that cannot be read later is not called a token', async () => {
  const secrets = [
    ['--token-env', 'UNSET'],
    ['--token-file', '/none/rpc-url'],
    ['--token-command', 'false'],
    ['--token-command', 'no-such-program'],
  ];
  for (const words of secrets) {
    await config('set', 'payer', 'rpc-url', ...words);
    const { code, stderr } = await operator.run(['balance']);
    expect({ words, code }).toEqual({ words, code: 2 });
    expect(stderr).not.toMatch(/token/iu);
  }
});
