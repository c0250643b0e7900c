import { type Failure, failureWith } from '../../once/failures.ts';
import type { Suggestion } from '../../once/sentence.ts';
import type { TokenSource } from '../bot/profiles.ts';
import { type Occurrence, optionWords } from './suggest.ts';

export const waitingForToken = 'Waiting for the token.';
export const startingSandbox = 'Starting the sandbox';

/** Where a token or an rpc-url comes from. */
export const theCommandLine = 'the command line';
export const theTerminal = 'the terminal';
export function theFile(path: string): string {
  return `the file ${path}`;
}
export function theProfile(name: string): string {
  return `profile ${name}`;
}

/** Describes the source of a token, without the secret. */
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
  const way =
    command === 'add'
      ? 'set it later with config set NAME rpc-url'
      : 'use --token-stdin, --token-env, --token-file or --token-command';
  return failureWith('usage')`
    An rpc-url with a path or a query cannot be an argument: it may contain a secret, and arguments are visible in ps
    If it contains a secret, have a new one issued. Leave it out to be asked for it, or ${way}.`;
}

export type CommandLine = {
  readonly command: string;
  readonly words: readonly string[];
  readonly occurrences: readonly Occurrence[];
};

/** The whole command again, without some options and with others. */
export function again(
  { command, words, occurrences }: CommandLine,
  without: readonly string[] = [],
  ...more: readonly Occurrence[]
): Suggestion {
  const options = occurrences.filter(({ name }) => !without.includes(name));
  return [...command.split(' '), ...words.map(asPath), ...[...options, ...more].flatMap(optionWords)];
}

/** Makes a path of a file name that looks like an option. */
function asPath(argument: string): string {
  return argument.length > 1 && argument.startsWith('-') ? `./${argument}` : argument;
}
