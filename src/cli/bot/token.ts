import { wholeRpcUrl } from '../../chain/cluster.ts';
import type { Env } from '../../machine/folders.ts';
import type { Interrupts } from '../../machine/process.ts';
import { failureWith } from '../../once/failures.ts';
import type { Display } from '../show/display.ts';

/** A profile's secrets. An rpc-url often contains a key, so it is handled like a token. */
export type Secret = 'token' | 'rpc-url';

/** The failure's code if the secret is missing. */
export const noSecret = { token: 'no-token', 'rpc-url': 'no-rpc-url' } as const;

/** The sources of a bot and its token. */
export type BotInputs = {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream;
  readonly interrupts: Pick<Interrupts, 'first'>;
  readonly display: Pick<Display, 'warn'>;
};

const wholeToken =
  'A token is one word of printable ASCII characters. Copy the whole token again, without “Bot ” before it and without quotes.';
const longestToken = 4096;
const mostShown = 4;
const shownPart = 8;

function complaintAbout(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > longestToken) return `is longer than ${longestToken} characters`;
  const index = text.search(/[^\x21-\x7E]/u);
  if (index < 0) return undefined;
  return `has a space, a control character or one outside ASCII at position ${index + 1}`;
}

/** A bot token, or an rpc-url. Only `reveal` shows it: for sending, hashing or storing it. */
export class Token {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** `origin` is a phrase that says where the text came from. The text itself is never echoed. */
  static from(text: string, origin: string, secret: Secret = 'token'): Token {
    const complaint = complaintAbout(text);
    if (complaint === undefined) return new Token(text);
    throw failureWith(`bad-${secret}`)`The ${secret} from ${origin} ${complaint}
      ${secret === 'token' ? wholeToken : wholeRpcUrl}`;
  }

  reveal(): string {
    return this.#value;
  }

  /** The last characters, to tell two tokens apart: at most four, and at most an eighth of the token. */
  ending(): string {
    const characters = Math.min(mostShown, Math.floor(this.#value.length / shownPart));
    return this.#value.slice(this.#value.length - characters);
  }

  toString(): string {
    return '[token]';
  }

  toJSON(): string {
    return '[token]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[token]';
  }
}
