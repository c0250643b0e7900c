/** The password of a shared journal. Only `reveal` shows it, and only the driver may ask for that. */
export class Password {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[password]';
  }

  toJSON(): string {
    return '[password]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[password]';
  }
}
