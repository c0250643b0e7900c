// The screens of an ordinary day, as a terminal shows them: in a locale with and without UTF-8, narrow and wide.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { payAda, SandboxHome } from '../../testing/sandboxHome.ts';
import { onTerminalHere } from '../../testing/terminalHere.ts';

const message = ['send', '--conversation', 'conv_demo', '--content', 'Ada’s rent → paid', '--once', 'hello'];
const lines: readonly (readonly string[])[] = [
  message,
  [...payAda, '--once', 'rent-2026-11', '--memo', 'November’s'],
  ['batch', 'transfer', 'payroll.csv', '--once', 'payroll-2026-11'],
  ['history'],
  ['transfer', '--to', '9WzD…AWWM', '--asset', 'SOL', '--amount', '1', '--once', 'x'],
  message.with(4, 'Another text'),
];

const rows = `id,to_address,asset,amount,name
ada,${payAda[2]},SOL,0.25,Ada Lovelace
bob,7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z,USDC,40,Bob
`;

/** As wide as before, so that columns stay where they are. */
function steady(shown: string, service: string): string {
  return stripVTControlCharacters(shown)
    .replaceAll('\r', '')
    .replaceAll(service, '<service>')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/gu, '2026-11-30T09:00:00')
    .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{12}\b/gu, '0123456789ab')
    .replaceAll(/\b(msg|tr)_[0-9a-f]{20}\b/gu, '$1_0123456789abcdef0123')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu, '01234567-89ab-4cde-8f01-23456789abcd')
    .replaceAll(/\b[1-9A-HJ-NP-Za-km-z]{86,88}\b/gu, '<signature>')
    .replaceAll(/\b(?!9WzD|7o36)[1-9A-HJ-NP-Za-km-z]{16,85}(?=…|\.\.\.)/gu, (cut) => 'S'.repeat(cut.length))
    .replaceAll(/ +$/gmu, '');
}

async function day(locale: string, columns: number): Promise<string> {
  const operator = await SandboxHome.open();
  try {
    writeFileSync(join(operator.home.path, 'payroll.csv'), rows);
    const env = { ...operator.env, LC_ALL: locale, NO_COLOR: '1', CI: '1' };
    const screens: string[] = [];
    for (const line of lines) {
      const asks = line[0] === 'batch' || line.includes('rent-2026-11');
      const steps = asks ? ([[/\[y\/N\] /u, 'y\r']] as const) : [];
      const { code, shown } = await onTerminalHere(line, steps, env, { columns, cwd: operator.home.path });
      const command = line.map((word) => (/[^\w.-]/u.test(word) ? `'${word}'` : word)).join(' ');
      screens.push(`$ botctl ${command}\n${steady(shown, operator.sandbox.baseUrl)}exit ${code}\n`);
    }
    return screens.join('\n');
  } finally {
    await operator.close();
  }
}

describe('the screens of a day', () => {
  test.each([
    ['C.UTF-8', 80],
    ['C.UTF-8', 140],
    ['C', 80],
    ['C', 140],
  ])('in %s, %d columns wide', async (locale, columns) => {
    const shown = await day(locale, columns);
    await expect(shown).toMatchFileSnapshot(`./screens/${locale}-${columns}.txt`);
    for (const line of shown
      .split('\n')
      .filter((one) => !one.startsWith('$ ') && !one.includes('<signature>')))
      expect(line.length).toBeLessThanOrEqual(columns);
  });
});
