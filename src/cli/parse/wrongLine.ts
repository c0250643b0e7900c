import { counted, listed, type Suggestion } from '../say/phrases.ts';
import { Told, told } from '../say/told.ts';
import { type ArgumentSpec, type CommandSpec, globalOptions, nearest, type OptionSpec } from './command.ts';

/** What is wrong with a command line, worked out from commander's code for it and from our specs. */
export function wrongLine(code: string, argv: readonly string[], tree: readonly CommandSpec[]): Told {
  const read = readWords(argv, tree);
  const { command, path } = read;
  const below = command === undefined ? tree : 'children' in command ? command.children : [];
  if (code === 'commander.help') return noCommand(path);
  if (code === 'commander.unknownCommand') return unknownCommand(read.operands[0] ?? '', below, read);
  if (code === 'commander.optionMissingArgument')
    return wrong(`${read.valueless ?? 'An option'} needs a value`, '');
  if (code === 'commander.missingArgument') return missingArgument(read);
  if (read.unknown === undefined && read.valued !== undefined)
    return wrong(`${read.valued} takes no value`, `Write ${read.valued} alone, or leave it out.`);
  return unknownOption(read.unknown ?? '', read, tree);
}

/** A wrong command line has run nothing, and says so: an operator who pays with it must not have to guess. */
function wrong(what: string, hint: string, next: readonly Suggestion[] = []): Told {
  const details = { hint: hint || seeHelp, ...(next.length === 0 ? {} : { next }) };
  return new Told('usage', what, details);
}

const seeHelp = 'Add --help to the command to see what it takes.';

/** The words of a command line as far as the specs explain them. */
type ReadWords = {
  readonly command: CommandSpec | undefined;
  readonly path: readonly string[];
  readonly operands: readonly string[];
  /** The first option that is not one of the command's, without a value: that may be a token. */
  readonly unknown: string | undefined;
  /** The last option, if it takes a value and has none. */
  readonly valueless: string | undefined;
  /** The first option that takes no value and is given one. */
  readonly valued: string | undefined;
};

function readWords(argv: readonly string[], tree: readonly CommandSpec[]): ReadWords {
  let command: CommandSpec | undefined;
  let [unknown, valueless, valued]: (string | undefined)[] = [];
  const [path, operands]: [string[], string[]] = [[], []];
  const words = [...argv];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '--') {
      operands.push(...words);
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      const below: readonly CommandSpec[] =
        command === undefined ? tree : 'children' in command ? command.children : [];
      // What stands behind an unknown option may be its value.
      const isOperand = operands.length > 0 && unknown === undefined;
      const named = isOperand ? undefined : below.find(({ name }) => name === word);
      if (named === undefined) operands.push(word);
      else {
        command = named;
        path.push(named.name);
      }
      continue;
    }
    const isLong = word.startsWith('--');
    const flag = isLong ? word.replace(/=.*$/su, '') : word.slice(0, 2);
    const option = [...globalOptions, ...optionsOf(command)].find(({ flags }) =>
      flagsIn(flags).includes(flag),
    );
    const rest = word.slice(flag.length);
    if (option === undefined) {
      if (!['-h', '--help'].includes(flag)) unknown ??= flag;
    } else if (takesValue(option)) {
      if (rest === '' && words.shift() === undefined) valueless = `--${option.name}`;
    } else if (rest !== '' && isLong) valued ??= flag;
    else if (rest !== '') words.unshift(`-${rest}`);
  }
  return { command, path, operands, unknown, valueless, valued };
}

function flagsIn(flags: string): string[] {
  return flags.split(/[ ,]+/u).filter((one) => one.startsWith('-'));
}

function takesValue({ flags }: OptionSpec): boolean {
  return flags.includes('<');
}

function optionsOf(command: CommandSpec | undefined): readonly OptionSpec[] {
  return command === undefined || 'children' in command ? [] : (command.options ?? []);
}

function longOptions(command: CommandSpec | undefined): string[] {
  if (command !== undefined && 'children' in command) return command.children.flatMap(longOptions);
  return optionsOf(command).map(({ name }) => `--${name}`);
}

const globalLongOptions = globalOptions.map(({ name }) => `--${name}`);

/** It stands before its command's name, belongs to another command, has a value, is abbreviated, or is misspelled. */
function unknownOption(flag: string, { command }: ReadWords, tree: readonly CommandSpec[]): Told {
  const own = longOptions(command);
  const all = [...own, ...globalLongOptions];
  const said = `Unknown option '${flag}'`;
  if (own.includes(flag)) return wrong(said, `Write ${flag} after the command’s name.`);
  const others = command === undefined ? [] : commandsWith(flag, tree);
  if (others.length > 0) return wrong(said, `${flag} is an option of ${listed(others)}.`);
  const begun = flag === '--' ? [] : all.filter((option) => option.startsWith(flag));
  const meant = begun.length === 1 ? begun[0] : nearest(flag, all);
  return wrong(said, meant === undefined ? '' : `Did you mean ${meant}?`);
}

/** The commands that take this option. */
function commandsWith(flag: string, tree: readonly CommandSpec[]): string[] {
  return tree.flatMap((spec) => {
    if (spec.hidden === true) return [];
    if ('children' in spec) return commandsWith(flag, spec.children).map((path) => `${spec.name} ${path}`);
    return longOptions(spec).includes(flag) ? [spec.name] : [];
  });
}

/** Names the command that was probably meant, or all that there are. */
function unknownCommand(word: string, below: readonly CommandSpec[], { command, path }: ReadWords): Told {
  const names = below.flatMap(({ name, hidden }) => (hidden ? [] : [name]));
  const meant = nearest(word, names);
  const said = `Unknown command '${word}'`;
  if (meant !== undefined) return wrong(said, `Did you mean ${meant}?`, [['help', ...path, meant]]);
  const there =
    command === undefined
      ? 'The help lists the commands:'
      : `${command.name} has the ${names.length === 1 ? 'command' : 'commands'} ${listed(names)}.`;
  return wrong(said, there, [[...path, '--help']]);
}

function missingArgument({ command, operands }: ReadWords): Told {
  const takes = command === undefined || 'children' in command ? [] : (command.arguments ?? []);
  const name = (takes[operands.length]?.usage ?? '').replace(/[<>.]/gu, '');
  return wrong(`The argument <${name}> is missing`, '');
}

export function noCommand(branch: readonly string[]): Told {
  return told('usage', { next: [[...branch, '--help']] })`No command is given
    The help lists the commands:`;
}

export function optionForValue(word: string, looksLike: string, long: string | undefined): Told {
  return told('usage')`${word} needs a value, but ${looksLike} looks like an option
    If that is the value, write it with =, as in ${long ?? word}=${looksLike}.`;
}

/** The words are not repeated, because one of them may be a token. */
export function tooManyArguments(command: string, got: number, takes: readonly ArgumentSpec[]): Told {
  const usages = takes.map(({ usage }) => usage);
  const taken =
    usages.length === 0
      ? 'no positional arguments'
      : `${counted(usages.length, 'argument')} (${usages.join(' ')})`;
  return told('usage', { next: [[...command.split(' '), '--help']] })`
    ${command} takes ${taken}, but got ${got}
    ${usages.length === 0 ? 'Give each value with its option. ' : ''}Put a value that contains spaces in quotes. The help shows what the command takes:`;
}
