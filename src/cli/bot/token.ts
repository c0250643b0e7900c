import { badToken } from '../say/open.ts';
import type { Secret } from './tokenSource.ts';

const longestToken = 4096;
const mostShown = 4;
const shownPart = 8;

function complaintAbout(text: string): string | undefined {
  if (text === '') return tokenProblems.empty;
  if (text.length > longestToken) return tokenProblems.tooLong(longestToken);
  const index = text.search(/[^\x21-\x7E]/u);
  if (index < 0) return undefined;
  const character = text.charAt(index);
  if (/\s/u.test(character)) return tokenProblems.blank(index + 1);
  return character < '\u0080' ? tokenProblems.control(index + 1) : tokenProblems.notAscii(index + 1);
}

/** A bot token. Only `reveal` shows it, and only the wire and the code that stores profiles may call that. */
export class Token {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** `origin` is a phrase that says where the text came from. The text itself is never echoed. */
  static from(text: string, origin: string, secret: Secret = 'token'): Token {
    const complaint = complaintAbout(text);
    if (complaint === undefined) return new Token(text);
    throw badToken(origin, complaint, secret);
  }

  reveal(): string {
    return this.#value;
  }

  /** The last characters, to tell two tokens apart: at most four, and at most an eighth of the token. */
  ending(): string {
    const shown = Math.min(mostShown, Math.floor(this.#value.length / shownPart));
    return this.#value.slice(this.#value.length - shown);
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

const tokenProblems = {
  empty: 'is empty',
  tooLong: (most: number) => `is longer than ${most} characters`,
  blank: (position: number) => `has a space or a line break at position ${position}`,
  control: (position: number) => `has a control character at position ${position}`,
  notAscii: (position: number) => `has a character outside ASCII at position ${position}`,
} as const;
