import { newSource, type SourceInputs, type SourceOptions } from '../../bot/newSource.ts';
import type { TokenSource } from '../../bot/tokenSource.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { leastTellingLength } from '../../wire/tellingLength.ts';
import { shortTokenWarning, tokenQuestion } from '../../words/newToken.ts';

/** The source that the options give; a token that is to be stored, and is too short, gets a warning. */
export async function givenSource(profile: string, given: Given, context: Context): Promise<TokenSource> {
  const source = await newSource(sourceOptions(given), sourceInputs(profile, context));
  if (source.kind === 'stored' && source.secret.length < leastTellingLength) {
    context.display.warn(shortTokenWarning(leastTellingLength));
  }
  return source;
}

export function sourceOptions(given: Given): SourceOptions {
  return {
    stdin: given.flag('token-stdin'),
    env: given.text('token-env'),
    file: given.text('token-file'),
    command: given.text('token-command'),
  };
}

function sourceInputs(profile: string, { env, stdin, interrupts, display }: Context): SourceInputs {
  return {
    env,
    stdin,
    interrupted: interrupts.first,
    ask: display.interactive ? () => display.askHidden(tokenQuestion(profile)) : undefined,
  };
}
