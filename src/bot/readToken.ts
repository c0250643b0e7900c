import type { Env } from '../machine/folders.ts';
import { tokenVariableUnset } from '../words/token.ts';
import { theProfile, theTokenCommand, tokenOrigin } from '../words/tokenOrigin.ts';
import { Token } from './token.ts';
import type { TokenSource } from './tokenSource.ts';

type TokenInputs = {
  readonly env: Env;
  readonly interrupted: AbortSignal;
  readonly stdin: NodeJS.ReadableStream;
};

export async function readToken(source: TokenSource, profile: string, inputs: TokenInputs): Promise<Token> {
  switch (source.kind) {
    case 'stored':
      return Token.from(source.secret, theProfile(profile));
    case 'env':
      return Token.from(readVariable(source.variable, profile, inputs.env), tokenOrigin(source));
    case 'file': {
      const { readTokenFile } = await import('./tokenInput.ts');
      return readTokenFile(source.path, inputs);
    }
    case 'command': {
      const { runTokenCommand } = await import('./tokenCommand.ts');
      return Token.from(await runTokenCommand(source.command, inputs), theTokenCommand);
    }
  }
}

function readVariable(variable: string, profile: string, env: Env): string {
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  throw tokenVariableUnset(profile, variable, value);
}
