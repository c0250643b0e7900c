import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Exited, SandboxHome } from '../../testing/sandboxHome.ts';

const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const ownMint = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263';
const ownWallet = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';
const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

let operator: SandboxHome;
beforeEach(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.close());

/** Runs a command of a profile with a wallet and a token, and no node. */
function ofProfile(argv: readonly string[], policy?: string): Promise<Exited> {
  operator.useProfiles({ bot: { wallet: ownWallet, assets: { BONK: ownMint }, policy } }, 'bot');
  return operator.json(argv);
}

const rowsOf = (...rows: string[]): string =>
  operator.home.file('rows.csv', `id,to_address,asset,amount\n${rows.join('\n')}\n`);

const pay = (to: string, ...more: string[]): string[] => [
  ...['transfer', '--once', 'rent', '--to', to, '--asset', 'SOL', '--amount', '0.1', ...more],
];

const paid = () => operator.sandbox.ledger({ kind: 'transfer' });

describe('an unusual recipient', () => {
  test.each([
    ['the mint of USDC', usdc, 'the mint of USDC'],
    ['a mint that the profile names', ownMint, 'the mint of BONK'],
    ['the profile’s own wallet', ownWallet, 'the bot’s own wallet'],
  ])('that is %s is refused, also in a dry run, and no option lifts it', async (_what, to, called) => {
    for (const more of [[], ['--dry-run'], ['--allow-off-curve'], ['--propose']]) {
      const refused = await ofProfile(pay(to, ...more));
      expect(refused).toMatchObject({ exit: 2, error: { code: 'bad-input' } });
      expect(refused.error?.message).toContain(`is ${called}`);
      expect(refused.error?.message).not.toContain('--allow');
    }
    expect(await paid()).toEqual([]);
  });

  test('is named with its line in a batch', async () => {
    const rows = rowsOf(`a,${ada},SOL,1`, `b,${ownWallet},SOL,1`, `c,${usdc},SOL,1`);
    const batch = ['batch', 'transfer', rows, '--once', 'pay', '--yes'];
    for (const more of [[], ['--dry-run']]) {
      const refused = await ofProfile([...batch, ...more]);
      expect(refused).toMatchObject({
        exit: 2,
        error: { code: 'bad-input' },
        invalid: [
          { line: 3, reason: expect.stringContaining('the bot’s own wallet') },
          { line: 4, reason: expect.stringContaining('the mint of USDC') },
        ],
      });
    }
    expect(await paid()).toEqual([]);
  });
});

describe('an asset that the profile does not name', () => {
  test('is named by a dry run, and the survey of a batch names it once', async () => {
    const asked = ['--asset', 'BONKK', '--amount', '1', '--dry-run'];
    const dry = await ofProfile([...pay(ada).slice(0, 5), ...asked]);
    expect(dry).toMatchObject({
      exit: 0,
      warnings: [expect.stringContaining('does not name a token "BONKK"; it names BONK.')],
    });
    const rows = rowsOf(`a,${ada},USDC,1`, `b,${ada},USDC,2`, `c,${ada},BONK,3`, `d,${ada},SOL,3`);
    const batch = ['batch', 'transfer', rows, '--once', 'pay', '--dry-run'];
    const { code, stderr } = await operator.run(batch);
    expect(code).toBe(0);
    expect(stderr.match(/does not name a token/gu)).toHaveLength(1);
  });
});
