import type { Service } from './service.ts';

/** What a client must know of the chain to ask the node at /rpc: all that a profile would have to say. */
export type NodeFacts = {
  rpcUrl: string;
  genesisHash: string;
  wallet: string;
  /** Each token's mint, by its symbol. */
  assets: Readonly<Record<string, string>>;
};

export function nodeFacts(
  baseUrl: string,
  { ledger, derived }: Pick<Service, 'ledger' | 'derived'>,
): NodeFacts {
  const mints = ledger.accounts.assets().map(({ symbol, mint }) => [symbol, mint] as const);
  return {
    rpcUrl: `${baseUrl}/rpc`,
    genesisHash: derived.genesisHash,
    wallet: derived.wallet.address,
    assets: Object.fromEntries(mints),
  };
}
