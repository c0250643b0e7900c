import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Env } from '../machine/folders.ts';

/** What a bot and its token may be read from. */
export type BotInputs = { env: Env; stdin: NodeJS.ReadableStream; interrupted: AbortSignal };

/** A base URL that the caller gave, with the name of what gave it, and the command, to be suggested without it. */
export type GivenBaseUrl = {
  readonly baseUrl: BaseUrl;
  readonly by: '--base-url' | 'BOTCTL_BASE_URL';
  readonly command: readonly string[] | undefined;
};
