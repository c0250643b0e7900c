import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { askAtTerminal, askHidden } from '../../../src/cli/show/ask.ts';
import { type AtTerminal, systemClock, type Terminal } from '../../../src/machine/process.ts';
import { failureOf } from '../../support/failure.ts';
import { HeldClock } from '../../support/heldClock.ts';

const yesOrNo = { choices: '[y/N]', words: { y: 'yes', да: 'yes' } } as const;
const question = (): string => 'Send it?';
const interrupted = new AbortController().signal;

/** A terminal of which the test is the keyboard and the screen. */
class PretendTerminal implements Terminal {
  readonly keys = new PassThrough();
  readonly #screen = new PassThrough({ encoding: 'utf8' });
  found: AtTerminal['is'] = 'foreground';
  shown = '';
  cannotOpen: Error | undefined;

  constructor() {
    this.#screen.on('data', (text: string) => {
      this.shown += text;
    });
  }

  look(): AtTerminal {
    return { is: this.found };
  }

  open(): ReturnType<Terminal['open']> {
    if (this.cannotOpen !== undefined) throw this.cannotOpen;
    return { input: this.keys, output: this.#screen, columns: 80, close: () => {} };
  }
}

describe('a question at a terminal', () => {
  test('takes a character whose bytes come one by one', async () => {
    const terminal = new PretendTerminal();
    const asked = askAtTerminal(question, yesOrNo, {
      terminal,
      clock: systemClock,
      interrupted,
    });
    for (const byte of Buffer.from('да\n')) terminal.keys.write(Buffer.from([byte]));
    expect(await asked).toBe('yes');
    expect(terminal.shown).toBe('Send it? [y/N] ');
  });

  test('is given up 5 minutes after it was asked', async () => {
    const [terminal, clock] = [new PretendTerminal(), new HeldClock()];
    clock.runs = false;
    const asked = askAtTerminal(question, yesOrNo, { terminal, clock, interrupted });
    clock.advance(5 * 60_000 - 1);
    await Promise.resolve();
    clock.advance(1);
    expect(await failureOf(() => asked)).toMatchObject({ code: 'no-answer' });
  });

  test('is not asked where its process is in the background, or the terminal does not open', async () => {
    const [moved, locked] = [new PretendTerminal(), new PretendTerminal()];
    moved.found = 'background';
    locked.cannotOpen = Object.assign(new Error('denied'), { code: 'EACCES' });
    for (const terminal of [moved, locked]) {
      const asking = () => askAtTerminal(question, yesOrNo, { terminal, clock: systemClock, interrupted });
      const failure = await failureOf(asking);
      expect(failure).toMatchObject({ code: 'no-answer' });
      expect(failure.details.hint).toContain('--yes');
      expect(terminal.shown).toBe('');
    }
  });
});

test('a secret is not given where the terminal hangs up', async () => {
  const terminal = new PretendTerminal();
  const asked = failureOf(() => askHidden('Token', { terminal, clock: systemClock, interrupted }));
  terminal.keys.destroy(new Error('EIO'));
  expect(await asked).toMatchObject({ code: 'interrupted' });
});
