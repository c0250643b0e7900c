import { botctlHere } from '../test/support/builtHere.ts';
import { Home } from '../test/support/home.ts';
import { onTerminalHere } from '../test/support/terminalHere.ts';
import { type Row, readScreen } from './terminalPicture.ts';

type Picture = {
  readonly path: string;
  readonly title: string;
  readonly columns: number;
  readonly rows: readonly Row[];
};

/** A line of 60 columns is still read on a telephone. */
const columns = 60;

/** README's payment by name, run twice in a new home with the sandbox, and a person who answers Yes. */
export async function onceTwice(readme: string): Promise<Picture> {
  const [command = ''] = /^npx botctl --sandbox transfer .* --once .*$/mu.exec(readme) ?? [];
  const [, , ...words] = command.split(' ');
  // As bash shows a line that goes on.
  const typed = `\u001b[36m$\u001b[39m ${command.replaceAll(/ (?=--(?:to|asset) )/gu, ' \\\r\n> ')}\r\n`;
  const home = new Home();
  try {
    // A question waits one second for the balance. The sandbox's first start can take longer on a busy machine.
    await botctlHere(['--sandbox', 'balance'], { env: home.env });
    const first = await onTerminalHere(words, [['Send it? [y/N] ', 'y\r']], home.env, { columns });
    const second = await onTerminalHere(words, [], home.env, { columns });
    const rows = await readScreen([typed, first.shown, typed, second.shown].join(''), columns);
    return { path: 'docs/pictures/once.svg', title, columns, rows };
  } finally {
    home.remove();
  }
}

const title =
  'A payment at a terminal: botctl asks “Send it?”, and it is accepted. ' +
  'The same command again: “Transfer already accepted. Nothing was sent this time.”';
