import type { BaseUrl } from '../intent/baseUrl.ts';
import type { ChainProfile } from './chainProfile.ts';
import type { Settings } from './settings.ts';

/** A bot, and the service that it speaks to. */
export type Bot = {
  /** The profile's name; `env` where the token is not a profile's, `sandbox` for the built-in one. */
  readonly name: string;
  /** As intents keep it: there the names of loopback are one, and the sandbox's is its name, whatever its port. */
  readonly baseUrl: BaseUrl;
  /** As it was given: where the token goes. */
  readonly spelledUrl: BaseUrl;
  /** Revealed only to be hashed and to be sent. */
  readonly token: { reveal(): string };
  /** A phrase for people; never the token. */
  readonly tokenSource: string;
  readonly settings: Settings;
  /** Absent where no node is named that could show its transfers. */
  readonly chain?: ChainProfile | undefined;
};

/** The bot of a token that is no profile's. */
export const envBot = 'env';

/** The built-in bot, as far as it is known while its service is not running. */
export const sandboxBot = 'sandbox';
