import { resolve } from 'node:path';
import type { Env } from '../machine/folders.ts';
import {
  badTokenVariable,
  nobodyToAskForToken,
  noLastingTokenFile,
  twoTokenSources,
} from '../words/newToken.ts';
import { theTerminal } from '../words/tokenOrigin.ts';
import { commandWords } from './commandWords.ts';
import { Token } from './token.ts';
import { readTokenStdin } from './tokenInput.ts';
import type { TokenSource } from './tokenSource.ts';

/** How a token is given to a profile on the command line: one of these, or none, to be asked. */
export type SourceOptions = {
  readonly stdin: boolean;
  readonly env: string | undefined;
  readonly file: string | undefined;
  readonly command: string | undefined;
};

export type SourceInputs = {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream;
  readonly interrupted: AbortSignal;
  /** Asks a person for the token, unseen; undefined where there is nobody to ask. */
  readonly ask: (() => Promise<string>) | undefined;
};

export function givesSource(options: SourceOptions): boolean {
  return namesOf(options).length > 0;
}

function namesOf(options: SourceOptions): string[] {
  const { stdin, env, file, command } = options;
  const given = { '--token-stdin': stdin || undefined, '--token-env': env, '--token-file': file };
  return Object.entries({ ...given, '--token-command': command }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
}

/** The source that a profile is to keep. Nothing is fetched from it now: it may exist only where the bot runs. */
export async function newSource(options: SourceOptions, inputs: SourceInputs): Promise<TokenSource> {
  const [first, second] = namesOf(options);
  if (first !== undefined && second !== undefined) throw twoTokenSources(first, second);
  if (options.env !== undefined) return { kind: 'env', variable: checkVariable(options.env, inputs.env) };
  if (options.file !== undefined) return { kind: 'file', path: checkPath(options.file) };
  if (options.command !== undefined) {
    commandWords(options.command);
    return { kind: 'command', command: options.command };
  }
  const token = options.stdin ? await readTokenStdin(inputs.stdin, inputs) : await askForToken(inputs);
  return { kind: 'stored', secret: token.reveal() };
}

async function askForToken(inputs: SourceInputs): Promise<Token> {
  if (inputs.ask === undefined) throw nobodyToAskForToken();
  return Token.from((await inputs.ask()).trim(), theTerminal);
}

/** A value where a name belongs is most likely the secret itself, so it is never echoed. */
function checkVariable(variable: string, env: Env): string {
  const named = Object.keys(env).find((name) => env[name] === variable && env[variable] === undefined);
  if (/^[A-Za-z_][A-Za-z0-9_]*$/u.test(variable) && named === undefined) return variable;
  throw badTokenVariable(named);
}

function checkPath(path: string): string {
  if (path !== '' && path !== '-') return resolve(path);
  throw noLastingTokenFile();
}
