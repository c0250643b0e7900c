import { Told } from './told.ts';

export const waitingForToken = 'Waiting for the token.';
export const startingSandbox = 'Starting the sandbox';
export const sandboxToken = 'the sandbox';

export function speakingAs(bot: string, tokenOrigin: string, url: string): string {
  return `bot ${bot} (token from ${tokenOrigin}) to ${url}`;
}

export function besideSandbox(option: string): Told {
  return new Told('usage', `--sandbox uses the embedded service only, so --${option} cannot go with it`, {
    hint: `Leave out --sandbox, or --${option}.`,
  });
}
