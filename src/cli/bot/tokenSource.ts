import type { Env } from '../../machine/folders.ts';
import type { BaseUrl } from '../../once/intent/baseUrl.ts';
import type { Suggestion } from '../say/phrases.ts';

/** Where a profile's token comes from: the stored secret, or a place to read it from each time. */
export type TokenSource =
  | { readonly kind: 'stored'; readonly secret: string }
  | { readonly kind: 'env'; readonly variable: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string };

/** What is read from such a place. An rpc-url often carries a key, so it is kept like a token. */
export type Secret = 'token' | 'rpc-url';

/** What the bot and its token can be read from. */
export type BotInputs = {
  env: Env;
  stdin: NodeJS.ReadableStream;
  interrupted: AbortSignal;
  warn(text: string, next?: readonly Suggestion[]): void;
};

/** A base URL, the option or variable that gave it, and the command to suggest without it. */
export type GivenBaseUrl = {
  readonly baseUrl: BaseUrl;
  readonly by: '--base-url' | 'BOTCTL_BASE_URL';
  readonly command: readonly string[] | undefined;
};
