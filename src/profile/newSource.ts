import { resolve } from 'node:path';
import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
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

export type SourceWorld = {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream;
  readonly interrupted: AbortSignal;
  /** Asks a person for the token, unseen; undefined where there is nobody to ask. */
  readonly ask: (() => Promise<string>) | undefined;
};

const ways = '--token-stdin, --token-env VAR, --token-file PATH or --token-command "…"';

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
export async function newSource(options: SourceOptions, world: SourceWorld): Promise<TokenSource> {
  const [first, second] = namesOf(options);
  if (first !== undefined && second !== undefined) {
    throw new Failure('usage', `${first} and ${second} are both given; nothing was changed.`, {
      hint: 'A profile has one token: give one of them.',
    });
  }
  if (options.env !== undefined) return { kind: 'env', variable: checkVariable(options.env, world.env) };
  if (options.file !== undefined) return { kind: 'file', path: checkPath(options.file) };
  if (options.command !== undefined) {
    commandWords(options.command);
    return { kind: 'command', command: options.command };
  }
  const token = options.stdin ? await readTokenStdin(world.stdin, world) : await askedToken(world);
  return { kind: 'stored', secret: token.reveal() };
}

async function askedToken(world: SourceWorld): Promise<Token> {
  if (world.ask !== undefined) return Token.from((await world.ask()).trim(), 'the terminal');
  throw new Failure('usage', 'No token is given and there is no terminal to ask on; nothing was changed.', {
    hint: `Give it with ${ways}.`,
  });
}

/** A value where a name belongs is most likely the secret itself, so it is never echoed. */
function checkVariable(variable: string, env: Env): string {
  const named = Object.keys(env).find((name) => env[name] === variable && env[variable] === undefined);
  if (/^[A-Za-z_][A-Za-z0-9_]*$/u.test(variable) && named === undefined) return variable;
  throw new Failure('bad-input', '--token-env is not the name of a variable; nothing was changed.', {
    hint: `Give the name without $, as in --token-env ${named ?? 'BOT_TOKEN'}: it is looked up whenever the bot speaks.`,
  });
}

function checkPath(path: string): string {
  if (path !== '' && path !== '-') return resolve(path);
  throw new Failure(
    'bad-input',
    '--token-file needs a path that can be read again later; nothing was changed.',
    {
      hint: 'To store the token that comes on stdin, use --token-stdin.',
    },
  );
}
