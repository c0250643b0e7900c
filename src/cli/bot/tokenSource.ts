import type { Env } from '../../machine/folders.ts';
import type { BaseUrl } from '../../once/intent/baseUrl.ts';

/** Where a profile's token comes from: the secret itself, or a place to ask for it each time. */
export type TokenSource =
  | { readonly kind: 'stored'; readonly secret: string }
  | { readonly kind: 'env'; readonly variable: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string };

/** What a bot and its token may be read from. */
export type BotInputs = { env: Env; stdin: NodeJS.ReadableStream; interrupted: AbortSignal };

/** A base URL that the caller gave, with the name of what gave it, and the command, to be suggested without it. */
export type GivenBaseUrl = {
  readonly baseUrl: BaseUrl;
  readonly by: '--base-url' | 'BOTCTL_BASE_URL';
  readonly command: readonly string[] | undefined;
};
