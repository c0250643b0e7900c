import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { askAtTerminal } from '../../../src/cli/show/ask.ts';
import { type AtTerminal, systemClock, type Terminal } from '../../../src/machine/process.ts';
import { failureOf } from '../../../testing/failure.ts';
import { HeldClock } from '../../../testing/heldClock.ts';

const yesOrNo = { shown: '[y/N]', words: { y: 'yes', да: 'yes' } } as const;
const question = (): string => 'Send it?';
const interrupted = new AbortController().signal;
const notice = (): void => {};

let terminals = 0;

/** A terminal of which the test is the keyboard and the screen. */
class PretendTerminal implements Terminal {
  readonly keys = new PassThrough();
  readonly #screen = new PassThrough({ encoding: 'utf8' });
  readonly #name: string;
  /** Where the process is found each time; the last one stays. */
  readonly found: AtTerminal['is'][] = ['foreground'];
  shown = '';
  cannotOpen: Error | undefined;

  constructor() {
    terminals += 1;
    this.#name = `test-${process.pid}-${terminals}`;
    this.#screen.on('data', (text: string) => {
      this.shown += text;
    });
  }

  look(): AtTerminal {
    const [is = 'none'] = this.found.length > 1 ? this.found.splice(0, 1) : this.found;
    return is === 'none' ? { is } : { is, terminal: this.#name };
  }

  open(): ReturnType<Terminal['open']> {
    if (this.cannotOpen !== undefined) throw this.cannotOpen;
    return { input: this.keys, output: this.#screen, columns: 80, close: () => {} };
  }
}

/** A second process at the same terminal has a keyboard of its own here. */
function beside(terminal: PretendTerminal): PretendTerminal {
  const other = new PretendTerminal();
  other.look = () => terminal.look();
  return other;
}

describe('a question at a terminal', () => {
  test('takes a character whose bytes come one by one', async () => {
    const terminal = new PretendTerminal();
    const asked = askAtTerminal(question, yesOrNo, {
      terminal,
      clock: systemClock,
      interrupted,
      own: String,
      notice,
    });
    for (const byte of Buffer.from('да\n')) terminal.keys.write(Buffer.from([byte]));
    expect(await asked).toBe('yes');
    expect(terminal.shown).toBe('Send it? [y/N] ');
  });

  test('is not shown while another is open, and is given up 5 minutes after it began to wait', async () => {
    const [first, clock] = [new PretendTerminal(), new HeldClock()];
    clock.runs = false;
    const second = beside(first);
    const asked = askAtTerminal(question, yesOrNo, {
      terminal: first,
      clock: systemClock,
      interrupted,
      own: String,
      notice,
    });
    await expect.poll(() => first.shown).toContain('[y/N]');
    const waiting = askAtTerminal(question, yesOrNo, {
      terminal: second,
      clock,
      interrupted,
      own: String,
      notice,
    });
    clock.advance(5 * 60_000 - 1);
    await Promise.resolve();
    clock.advance(1);
    expect(await failureOf(() => waiting)).toMatchObject({ code: 'no-answer' });
    expect(second.shown).toBe('');
    first.keys.write('y\n');
    expect(await asked).toBe('yes');
  });

  test('is asked once the other is answered', async () => {
    const first = new PretendTerminal();
    const second = beside(first);
    const asked = [first, second].map((terminal) =>
      askAtTerminal(question, yesOrNo, { terminal, clock: systemClock, interrupted, own: String, notice }),
    );
    for (const terminal of [first, second]) {
      await expect.poll(() => terminal.shown).toContain('[y/N]');
      terminal.keys.write('y\n');
    }
    expect(await Promise.all(asked)).toEqual(['yes', 'yes']);
  });

  test('is not asked where its process was moved to the background meanwhile, or the terminal does not open', async () => {
    const [moved, locked] = [new PretendTerminal(), new PretendTerminal()];
    moved.found.push('background');
    locked.cannotOpen = Object.assign(new Error('denied'), { code: 'EACCES' });
    for (const terminal of [moved, locked]) {
      const asking = () =>
        askAtTerminal(question, yesOrNo, { terminal, clock: systemClock, interrupted, own: String, notice });
      const failure = await failureOf(asking);
      expect(failure).toMatchObject({ code: 'no-answer' });
      expect(failure.details.hint).toContain('--yes');
      expect(terminal.shown).toBe('');
    }
  });
});
