import { Failure } from '../errors.ts';

const longestToken = 4096;
const mostShown = 4;
const shownPart = 8;

function complaintAbout(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > longestToken) return `is longer than ${longestToken} characters`;
  const position = text.search(/[^\x21-\x7E]/u);
  if (position < 0) return undefined;
  const character = text.charAt(position);
  const kind = /\s/u.test(character)
    ? 'a blank or a line break'
    : character < '\u0080'
      ? 'a control character'
      : 'a character outside ASCII';
  return `has ${kind} at position ${position + 1}`;
}

/** A bot token. Only `reveal` shows it, and only the wire and the profiles’ own file may ask for that. */
export class Token {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** `origin` is a phrase for people: where the text came from. The text itself is never echoed. */
  static from(text: string, origin: string): Token {
    const complaint = complaintAbout(text);
    if (complaint === undefined) return new Token(text);
    throw new Failure('bad-token', `The token from ${origin} ${complaint}; nothing was sent.`, {
      hint: 'A token is one word of printable ASCII (0x21 to 0x7E). Copy it again, whole, without “Bot ” before it and without quotes.',
    });
  }

  reveal(): string {
    return this.#value;
  }

  /** The last characters, for telling two tokens apart: four at most, and never more than an eighth. */
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
