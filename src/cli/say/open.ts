import { Failure, told } from '../../once/failures.ts';
import { damagedJournal } from '../../once/journal/facts.ts';
import type { NoFile } from '../../once/journal/place.ts';
import type { Suggestion } from '../../once/says.ts';
import type { UrlSource } from '../../postgres/address.ts';
import type { TokenSource } from '../bot/profiles.ts';
import { type Occurrence, optionWords } from './suggest.ts';

export const waitingForToken = 'Waiting for the token.';
export const startingSandbox = 'Starting the sandbox';

/** Where a token comes from, if not from a profile. */
export const theCommandLine = 'the command line';
export const theTerminal = 'the terminal';
export function theFile(path: string): string {
  return `the file ${path}`;
}
export function theProfile(name: string): string {
  return `profile ${name}`;
}

/** Where a token comes from, without the secret. */
export function tokenOrigin(source: TokenSource): string {
  switch (source.kind) {
    case 'stored':
      return 'stored in the profile';
    case 'env':
      return `the variable ${source.variable}`;
    case 'file':
      return theFile(source.path);
    case 'command':
      return `the command ${source.command}`;
  }
}

export function rpcUrlAsArgument(command: 'add' | 'set'): Failure {
  return new Failure(
    'usage',
    'An rpc-url with a path or a query cannot be an argument: it may contain a secret, and arguments are visible in ps',
    {
      hint: `If it contains a secret, have a new one issued. ${
        command === 'add'
          ? 'Leave it out to be asked for it, or set it later with config set NAME rpc-url.'
          : 'Leave it out to be asked for it, or use --token-stdin, --token-env, --token-file or --token-command.'
      }`,
    },
  );
}

export function rpcUrlQuestion(profile: string): string {
  return `rpc-url of ${profile} (not shown)`;
}

export function emptyJournal(source: UrlSource): Failure {
  return new Failure('usage', `${source} is empty`, {
    hint:
      source !== 'BOTCTL_JOURNAL'
        ? 'Give it a file, or a postgres:// URL.'
        : 'Set it to the whole path of a file, or to a postgres:// URL. To use the journal of this user, unset it.',
  });
}

const file = 'For a file, write its whole path.';
const server = 'For a server, write its URL, like postgres://bots@db.example.com/ledger.';

const looks: Readonly<Record<NoFile, readonly [says: string, hint: string]>> = {
  marked: ['begins or ends with a space, a quote or an invisible character', 'Remove it.'],
  url: ['looks like a URL, but does not begin with postgres://', `${server} ${file}`],
  settings: ['looks like a connection string, but a server must be given as a URL', server],
  server: ['looks like a server, but a server must be given as a URL', `${server} ${file}`],
  relative: [
    'is ambiguous: it could be a file in this folder, or a server without postgres://',
    `${file} With --journal, it may also begin with ./, ../ or ~/. ${server}`,
  ],
};

/** The text is not repeated: it may hold a password. */
export function noJournalFile(source: string, as: NoFile): Failure {
  const [says, hint] = looks[as];
  return told('usage', { hint })`${source} ${says}`;
}

export function noUserName(): Failure {
  return told('usage')`The journal’s URL names no user, and this account has no name
    Write the user into the URL (postgres://USER@HOST/DATABASE), or set PGUSER.`;
}

export function damage(what: string): Failure {
  return damagedJournal(what);
}

export type GivenWords = {
  readonly command: string;
  readonly args: readonly string[];
  readonly occurrences: readonly Occurrence[];
};

/** The whole command again, without some options and with others. */
export function again(
  { command, args, occurrences }: GivenWords,
  without: readonly string[] = [],
  ...more: readonly Occurrence[]
): Suggestion {
  const options = occurrences.filter(({ name }) => !without.includes(name));
  return [...command.split(' '), ...args.map(asPath), ...[...options, ...more].flatMap(optionWords)];
}

/** Makes a path of a file name that looks like an option. */
function asPath(argument: string): string {
  return argument.length > 1 && argument.startsWith('-') ? `./${argument}` : argument;
}
