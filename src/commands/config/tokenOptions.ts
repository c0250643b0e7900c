import { newSource, type SourceInputs, type SourceOptions } from '../../bot/newSource.ts';
import { RpcUrl } from '../../bot/rpcUrl.ts';
import type { TokenSource } from '../../bot/tokenSource.ts';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { leastTellingLength } from '../../wire/tellingLength.ts';
import { shortTokenWarning, tokenQuestion } from '../../words/newToken.ts';
import { rpcUrlQuestion, theInput } from '../../words/rpcUrl.ts';

/** The source that the options give; a token that is to be stored, and is too short, gets a warning. */
export async function givenSource(profile: string, given: Given, context: Context): Promise<TokenSource> {
  const source = await newSource(sourceOptions(given), sourceInputs(profile, context));
  if (source.kind === 'stored' && source.secret.length < leastTellingLength) {
    context.display.warn(shortTokenWarning(leastTellingLength));
  }
  return source;
}

/** The same for the URL of a node, which is checked where it is stored. */
export async function givenRpcSource(profile: string, given: Given, context: Context): Promise<TokenSource> {
  const inputs = sourceInputs(profile, context);
  const ask = inputs.ask === undefined ? undefined : () => context.display.askHidden(rpcUrlQuestion(profile));
  const source = await newSource(sourceOptions(given), { ...inputs, ask });
  if (source.kind === 'stored') RpcUrl.from(source.secret, theInput);
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
