import { Command, type Option } from 'commander';
import { optionForValue, optionTwice } from '../words/commandLine.ts';
import type { Occurrence } from './given.ts';

function looksLikeOption(word: string | undefined): word is string {
  return word !== undefined && word.length > 1 && word.startsWith('-');
}

/**
 * commander with its three traps closed for every command: an option given twice is an error unless
 * declared repeatable, `--memo --yes` is an error and never a memo called `--yes`, and every way of using
 * it wrongly is one `Failure` called `usage`.
 */
export class StrictCommand extends Command {
  readonly occurrences: Occurrence[] = [];
  readonly #repeatable = new Set<string>();

  override createCommand(name?: string): StrictCommand {
    return new StrictCommand(name);
  }

  allowRepeating(option: Option): void {
    this.#repeatable.add(option.name());
  }

  override addOption(option: Option): this {
    super.addOption(option);
    // commander calls a `--no-x` option `x`, and announces it as `no-x`.
    const name = option.negate ? `no-${option.name().replace(/^no-/u, '')}` : option.name();
    this.on(`option:${option.name()}`, (value: string | null | undefined) => {
      this.#refuseSecond(name);
      this.occurrences.push({ name, value: value ?? true });
    });
    return this;
  }

  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    const taking = this.#takingValues();
    for (const [index, word] of words.entries()) {
      if (word === '--') break;
      const next = words[index + 1];
      if (!taking.has(word) || !looksLikeOption(next)) continue;
      throw optionForValue(word, next.replace(/=.*/su, ''), taking.get(word));
    }
    return super.parseOptions(words);
  }

  /**
   * Every way to write an option that needs a value, here and in the commands below, with its long form.
   * Below as well, because the program takes its own options out first: `--memo --json x` would lose them.
   */
  #takingValues(): Map<string, string> {
    const taking = new Map<string, string>();
    for (const { required, short, long } of this.options) {
      if (!required) continue;
      for (const written of [short, long]) if (written) taking.set(written, long ?? written);
    }
    for (const child of this.commands) {
      if (child instanceof StrictCommand)
        for (const [word, long] of child.#takingValues()) taking.set(word, long);
    }
    return taking;
  }

  #refuseSecond(name: string): void {
    if (this.#repeatable.has(name)) return;
    if (!this.occurrences.some((occurrence) => occurrence.name === name)) return;
    throw optionTwice(name);
  }
}
