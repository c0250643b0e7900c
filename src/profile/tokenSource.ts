import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { Token } from './token.ts';

/** Where a profile's token comes from: the secret itself, or a place to ask for it each time. */
export type TokenSource =
  | { readonly kind: 'stored'; readonly secret: string }
  | { readonly kind: 'env'; readonly variable: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string };

export type TokenWorld = {
  readonly env: Env;
  readonly interrupted: AbortSignal;
  readonly stdin: NodeJS.ReadableStream;
};

/** The source as people read it. The secret is no part of it. */
export function phraseOf(source: TokenSource): string {
  switch (source.kind) {
    case 'stored':
      return 'stored in the profile';
    case 'env':
      return `the variable ${source.variable}`;
    case 'file':
      return `the file ${source.path}`;
    case 'command':
      return `the command ${source.command}`;
  }
}

export async function readToken(source: TokenSource, profile: string, world: TokenWorld): Promise<Token> {
  switch (source.kind) {
    case 'stored':
      return Token.from(source.secret, `profile ${profile}`);
    case 'env':
      return Token.from(readVariable(source.variable, profile, world.env), phraseOf(source));
    case 'file': {
      const { readTokenFile } = await import('./tokenInput.ts');
      return readTokenFile(source.path, world);
    }
    case 'command': {
      const { runTokenCommand } = await import('./tokenCommand.ts');
      return Token.from(await runTokenCommand(source.command, world), 'the token command');
    }
  }
}

function readVariable(variable: string, profile: string, env: Env): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  const problem = value === undefined ? 'is not set' : 'is empty';
  throw new Failure(
    'no-token',
    `Profile ${profile} takes its token from ${variable}, which ${problem}; nothing was sent.`,
    {
      hint: `Set ${variable} and run the same command again, or give the profile another source: botctl config set ${profile} token.`,
    },
  );
}
