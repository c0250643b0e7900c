import { isLoopback } from '../intent/baseUrl.ts';
import { badRpcUrl } from '../words/rpcUrl.ts';

/** Where a Solana node is. It often carries a key: only its host is ever shown. */
export class RpcUrl {
  readonly #value: string;
  readonly host: string;

  private constructor(url: URL) {
    this.#value = url.href;
    this.host = url.host;
  }

  /** `origin` is a phrase for people: where the text came from. The text itself is never echoed. */
  static from(text: string, origin: string): RpcUrl {
    if (!URL.canParse(text)) throw badRpcUrl(origin, 'not-a-url');
    const url = new URL(text);
    if (url.username !== '' || url.password !== '') throw badRpcUrl(origin, 'user-info');
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
      throw badRpcUrl(origin, 'not-https');
    if (url.hash !== '') throw badRpcUrl(origin, 'fragment');
    return new RpcUrl(url);
  }

  get origin(): string {
    return new URL(this.#value).origin;
  }

  /** Which machine it is, however it is spelled: two nodes there are one witness. */
  get witness(): string {
    const url = new URL(this.#value);
    return /^(?:localhost|\[::1\])$/u.test(url.hostname) ? '127.0.0.1' : url.hostname.replace(/\.$/u, '');
  }

  /** It holds nothing but where to: nobody could do anything with it. */
  get isPlain(): boolean {
    const url = new URL(this.#value);
    return url.pathname === '/' && url.search === '';
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return `[${this.host}]`;
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
