import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { SourceOptions, SourceWorld } from '../../profile/newSource.ts';

export function sourceOptions(given: Given): SourceOptions {
  return {
    stdin: given.flag('token-stdin'),
    env: given.text('token-env'),
    file: given.text('token-file'),
    command: given.text('token-command'),
  };
}

export function sourceWorld(profile: string, { env, stdin, interrupts, display }: Context): SourceWorld {
  return {
    env,
    stdin,
    interrupted: interrupts.first,
    ask: display.interactive ? () => display.askHidden(`Token of ${profile} (not shown)`) : undefined,
  };
}
