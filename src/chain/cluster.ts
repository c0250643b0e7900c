import { base58 } from '@scure/base';

/** Which chain is meant: by its genesis hash, and by a name where it has one. */
export type Cluster = { readonly genesis: string; readonly name: string };

const known: Readonly<Record<string, string>> = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY',
};

export const clusterNames = Object.keys(known);

/** A name, or a genesis hash; undefined where it is neither. */
export function clusterOf(text: string): Cluster | undefined {
  const genesis = Object.hasOwn(known, text) ? known[text] : undefined;
  if (genesis !== undefined) return { genesis, name: text };
  if (!isHash(text)) return undefined;
  const [name = text] = Object.entries(known).find(([, hash]) => hash === text) ?? [];
  return { genesis: text, name };
}

/** 32 bytes in base58: a genesis hash, or an address. */
export function isHash(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/u.test(text)) return false;
  return base58.decode(text).length === 32;
}

/** Where a person can look at a transaction of a known cluster. */
export function explorerLink({ name }: Cluster, signature: string): string | undefined {
  if (!Object.hasOwn(known, name)) return undefined;
  const query = name === 'mainnet' ? '' : `?cluster=${name}`;
  return `https://explorer.solana.com/tx/${signature}${query}`;
}
