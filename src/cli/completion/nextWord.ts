import type { Occurrence } from '../given.ts';
import { globalOptions } from '../globalOptions.ts';
import type { ArgumentSpec, CommandSpec, Completes, LeafSpec, OptionSpec } from '../spec.ts';

export type Choice = { readonly value: string; readonly about: string };

/** What may be the word at the cursor. */
type NextWord = {
  readonly begun: string;
  /** What is typed of the word before the value, as `--state=`. */
  readonly before: string;
  readonly among: readonly Choice[] | Exclude<Completes, readonly string[]>;
  /** The options with a value, and the flags, that stand before it. */
  readonly occurrences: readonly Occurrence[];
};

const noChoices: readonly Choice[] = [];
const everywhere: readonly OptionSpec[] = [...globalOptions, { flags: '--help', about: 'show help' }];
const version: OptionSpec = { flags: '--version', about: 'print the version' };

/** `words` are those after `botctl`; the last is the one at the cursor, perhaps empty. */
export function nextWord(tree: readonly CommandSpec[], words: readonly string[]): NextWord {
  const begun = words.at(-1)?.trimStart() ?? '';
  const spot = new Spot(tree);
  for (const word of words.slice(0, -1)) spot.pass(word);
  const { occurrences } = spot;
  const [, option, value] = /^(--[a-z-]+)=(.*)$/su.exec(begun) ?? [];
  if (option !== undefined && spot.awaited === undefined) {
    const among = choicesOf(spot.option(option));
    return { begun: value ?? '', before: `${option}=`, among, occurrences };
  }
  return { begun, before: '', among: spot.choices(begun), occurrences };
}

/** Where the words so far have led: the command, and how many arguments it has. */
class Spot {
  readonly occurrences: Occurrence[] = [];
  /** The option that waits for its value. */
  awaited: OptionSpec | undefined;
  readonly #tree: readonly CommandSpec[];
  #commands: readonly CommandSpec[];
  #leaf: LeafSpec | undefined;
  #arguments = 0;

  constructor(tree: readonly CommandSpec[]) {
    this.#tree = tree;
    this.#commands = tree;
  }

  pass(word: string): void {
    if (this.awaited !== undefined) {
      this.occurrences.push({ name: longName(this.awaited), value: word });
      this.awaited = undefined;
    } else if (word.startsWith('-')) this.#passOption(word);
    else this.#passArgument(word);
  }

  #passOption(word: string): void {
    const [name = '', ...value] = word.split('=');
    const option = this.option(name);
    if (option === undefined) return;
    if (!takesValue(option)) this.occurrences.push({ name: longName(option), value: true });
    else if (value.length === 0) this.awaited = option;
    else this.occurrences.push({ name: longName(option), value: value.join('=') });
  }

  #passArgument(word: string): void {
    const command = this.#commands.find(({ name, alias }) => name === word || alias === word);
    if (command === undefined) {
      this.#arguments += 1;
      return;
    }
    this.#commands = 'children' in command ? command.children : [];
    this.#leaf = 'children' in command ? undefined : command;
  }

  option(name: string): OptionSpec | undefined {
    return this.#options().find((option) => namesOf(option).includes(name));
  }

  choices(begun: string): NextWord['among'] {
    if (this.awaited !== undefined) return choicesOf(this.awaited);
    if (begun.startsWith('-')) {
      return this.#options().flatMap((option) =>
        namesOf(option).map((value) => ({ value, about: option.about })),
      );
    }
    if (this.#leaf !== undefined) return choicesOf(this.#argument(this.#leaf));
    return this.#commands
      .filter(({ hidden }) => hidden !== true)
      .map(({ name, about }) => ({ value: name, about }));
  }

  #options(): readonly OptionSpec[] {
    const own = this.#commands === this.#tree ? [version] : (this.#leaf?.options ?? []);
    return [...own, ...everywhere];
  }

  #argument({ arguments: takes = [] }: LeafSpec): ArgumentSpec | undefined {
    const last = takes.at(-1);
    return takes[this.#arguments] ?? (last?.usage.includes('...') ? last : undefined);
  }
}

const placeholders: Readonly<Record<string, Completes>> = { '<file>': 'file', '<dir>': 'folder' };

function choicesOf(spec: OptionSpec | ArgumentSpec | undefined): NextWord['among'] {
  if (spec === undefined) return noChoices;
  const [placeholder = ''] = /<.*>$/u.exec('flags' in spec ? spec.flags : spec.usage) ?? [];
  const completes = spec.completes ?? placeholders[placeholder] ?? [];
  return typeof completes === 'string' ? completes : completes.map((value) => ({ value, about: '' }));
}

function namesOf({ flags }: OptionSpec): string[] {
  return flags.match(/(?<=^|\s)--?[a-z][a-z-]*/gu) ?? [];
}

function longName({ flags }: OptionSpec): string {
  return /--([a-z-]+)/u.exec(flags)?.[1] ?? '';
}

function takesValue({ flags }: OptionSpec): boolean {
  return / <.*>$/u.test(flags);
}
