import { counted, listed, type Suggestion } from './phrases.ts';
import { Told, told } from './told.ts';

/** A wrong command line has run nothing, and says so: an operator who pays with it must not have to guess. */
function wrong(what: string, hint: string, next: readonly Suggestion[] = []): Told {
  return new Told('usage', what, { hint, ...(next.length === 0 ? {} : { next }) });
}

export function noCommand(branch: readonly string[]): Told {
  return told('usage', { next: [[...branch, '--help']] })`No command is given
    The help lists the commands:`;
}

/** `said` is the parser's message. */
export function wrongUsage(said: string, suggestion: string): Told {
  return wrong(capital(said), suggestion || 'Add --help to the command to see what it takes.');
}

export function didYouMean(option: string): string {
  return `Did you mean ${option}?`;
}

type Unknown = {
  readonly said: string;
  readonly suggestion: string;
  readonly branch: { readonly name: string; readonly children: readonly string[] } | undefined;
  readonly next: Suggestion;
};

export function unknownCommand({ said, suggestion, branch, next }: Unknown): Told {
  const there =
    branch === undefined
      ? 'The help lists the commands:'
      : `${branch.name} has the ${branch.children.length === 1 ? 'command' : 'commands'} ${listed(branch.children)}.`;
  return wrong(capital(said), suggestion || there, [next]);
}

export function optionForValue(word: string, looksLike: string, long: string | undefined): Told {
  return told('usage')`${word} needs a value, but ${looksLike} looks like an option
    If that is the value, write it with =, as in ${long ?? word}=${looksLike}.`;
}

export function optionTwice(name: string): Told {
  return told('usage')`--${name} is given twice
    Give it once: botctl does not guess which one you mean.`;
}

/** The words are not repeated, because one of them may be a token. */
export function tooManyArguments(command: string, got: number, usages: readonly string[]): Told {
  const takes =
    usages.length === 0
      ? 'no positional arguments'
      : `${counted(usages.length, 'argument')} (${usages.join(' ')})`;
  return told('usage', { next: [[...command.split(' '), '--help']] })`
    ${command} takes ${takes}, but got ${got}
    ${usages.length === 0 ? 'Give each value with its option. ' : ''}Put a value that contains spaces in quotes. The help shows what the command takes:`;
}

function capital(said: string): string {
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/u, '')}`;
}

export function notARate(text: string): Told {
  return told('usage')`--rate ${JSON.stringify(text)} is not a rate
    Write a count and a unit: 20/s, 300/m or 5000/h.`;
}

/** A word that is not an ID may be a name, which is found in another way. */
function orByName(word: string, hint: string, after = ''): { hint: string; next: Suggestion[] } {
  return word === ''
    ? { hint: `${hint}The history lists them${after}:`, next: [['history']] }
    : {
        hint: `${hint}If a name begins so, this finds its entries${after}:`,
        next: [['history', '--name', word]],
      };
}

export function idTooShort(beginning: string, least: number): Told {
  return new Told(
    'usage',
    `"${beginning}" is too short for an ID`,
    orByName(beginning, `Give an ID, or at least its first ${least} characters. `),
  );
}

export function noSuchIntent(beginning: string, journal: string): Told {
  return new Told(
    'no-such-intent',
    `No entry in ${journal} has an ID that begins with "${beginning}"`,
    orByName(beginning, '', ' (for another journal, add --journal; for the sandbox’s, --sandbox)'),
  );
}

export function namesSeveral(name: string, ids: readonly string[]): Told {
  return told('usage')`Several entries are named "${name}" (${ids.join(', ')})
    Give the ID of one. This lists them:
    $ history --name ${name}`;
}

export function namesABatch(name: string): Told {
  return told('usage')`"${name}" names a batch
    Give the ID of one of its rows. This lists them:
    $ history --batch ${name}`;
}
