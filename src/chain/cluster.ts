import { base58 } from '@scure/base';
import { isLoopback } from '../once/entry/baseUrl.ts';
import { base58Alphabet } from '../once/entry/signature.ts';
import { failing, failureWith } from '../once/failures.ts';

/** A chain, identified by its genesis hash, with the name of the cluster if it has one. */
export type Cluster = { readonly genesis: string; readonly name: string };

const known: Readonly<Record<string, string>> = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
};

export const clusterNames = Object.keys(known);

/** The cluster with this name or genesis hash; undefined if the text is neither. */
export function clusterOf(text: string): Cluster | undefined {
  const genesis = Object.hasOwn(known, text) ? known[text] : undefined;
  if (genesis !== undefined) return { genesis, name: text };
  if (!isHash(text)) return undefined;
  const [name = text] = Object.entries(known).find(([, hash]) => hash === text) ?? [];
  return { genesis: text, name };
}

const base58Of32Bytes = new RegExp(`^[${base58Alphabet}]{32,44}$`, 'u');

/** Whether the text is 32 bytes in base58: a genesis hash or an address. */
export function isHash(text: string): boolean {
  if (!base58Of32Bytes.test(text)) return false;
  return base58.decode(text).length === 32;
}

/** A page that shows a transaction of a known cluster. */
export function explorerLink({ name }: Cluster, signature: string): string | undefined {
  if (!Object.hasOwn(known, name)) return undefined;
  const query = name === 'mainnet' ? '' : `?cluster=${name}`;
  return `https://explorer.solana.com/tx/${signature}${query}`;
}

export const wholeRpcUrl = 'Give the whole URL of a Solana node, as its operator shows it.';

/** No field has the URL, because it may contain a key. `origin` tells people where the text came from. */
const chainFailure = failing('chain', {
  'bad-rpc-url': ({ origin, fault }: { origin: string; fault: keyof typeof rpcUrlFaults }) => failureWith(
    'bad-rpc-url',
  )`
    The rpc-url from ${origin} ${rpcUrlFaults[fault]}
    ${wholeRpcUrl}`,
});

const rpcUrlFaults = {
  'not-a-url': 'is not a URL',
  'not-https': 'is not https (http is allowed only for a node on this machine)',
  'user-info': 'contains a user name or a password: put a secret into the path or the query',
  fragment: 'has a part after #, which is never sent',
} as const;

/** The URL of a Solana node. It often contains a key, so only its host is ever shown. */
export class RpcUrl {
  readonly #value: string;
  readonly host: string;

  private constructor(url: URL) {
    this.#value = url.href;
    this.host = url.host;
  }

  /** `origin` tells people where the text came from. The text itself is never shown. */
  static from(text: string, origin: string): RpcUrl {
    if (!URL.canParse(text)) throw chainFailure('bad-rpc-url', { origin, fault: 'not-a-url' });
    const url = new URL(text);
    if (url.username !== '' || url.password !== '')
      throw chainFailure('bad-rpc-url', { origin, fault: 'user-info' });
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
      throw chainFailure('bad-rpc-url', { origin, fault: 'not-https' });
    if (url.hash !== '') throw chainFailure('bad-rpc-url', { origin, fault: 'fragment' });
    return new RpcUrl(url);
  }

  get origin(): string {
    return new URL(this.#value).origin;
  }

  /** Whether the URL cannot contain a key: it is only a host, or a path on this machine. */
  get isPlain(): boolean {
    const url = new URL(this.#value);
    return url.search === '' && (url.pathname === '/' || isLoopback(url));
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
