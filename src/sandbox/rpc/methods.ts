import { rentExemption } from '../money.ts';
import { accountInfo, tokenAccountsByOwner, tokenBalance, tokenSupply } from './accounts.ts';
import {
  addressIn,
  commitmentOf,
  configOf,
  countIn,
  inContext,
  listIn,
  reachedSlot,
  text,
} from './config.ts';
import { type Node, type Stage, slotAt } from './node.ts';
import { RpcError } from './rpcError.ts';
import { recentSlots, signaturesFor, statusesOf, transactionOf } from './transactions.ts';

type Method = (params: unknown[], node: Node) => unknown;

const slotsInEpoch = 432_000;
const accountsAtMost = 100;
const accountBytesAtMost = 10 * 1024 * 1024;

/** Accounts are told as they are now, at any commitment: only transactions have stages here. */
export const methods: Record<string, Method> = {
  getHealth: (_, { readings }) => {
    const numSlotsBehind = readings.node_lag_slots;
    if (numSlotsBehind === 0) return 'ok';
    throw new RpcError(-32005, `Node is behind by ${numSlotsBehind} slots`, { numSlotsBehind });
  },
  getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
  getGenesisHash: (_, { derived, readings }) => readings.genesis_hash ?? derived.genesisHash,
  getSlot: ([config], node) => slotFor(config, node),
  getBlockTime: ([value], { ledger }) => {
    const slot = countIn(value, 'a slot', Number.MAX_SAFE_INTEGER, -1);
    return ledger.transactions.between(slot - 1, slot)[0]?.blockTimeS ?? null;
  },
  getBlockHeight: ([config], node) => slotFor(config, node),
  getEpochInfo: ([config], node) => epochInfo(slotFor(config, node), node),
  getMinimumBalanceForRentExemption: ([bytes]) =>
    rentExemption(countIn(bytes, 'a size', accountBytesAtMost, 0)),
  getLatestBlockhash: ([config], node) =>
    inContext(configOf(config), node, (commitment) => latestBlockhash(commitment, node)),
  isBlockhashValid: ([hash, config], node) =>
    inContext(configOf(config), node, () => isRecent(text(hash, 'a blockhash'), node)),
  getBalance: ([address, config], node) =>
    inContext(configOf(config), node, () => node.ledger.accounts.get(addressIn(address))?.lamports ?? 0n),
  getAccountInfo: ([address, config], node) =>
    inContext(configOf(config), node, () => accountInfo(addressIn(address), configOf(config), node.ledger)),
  getMultipleAccounts: ([addresses, config], node) =>
    inContext(configOf(config), node, () =>
      listIn(addresses, 'addresses', accountsAtMost).map((address) =>
        accountInfo(addressIn(address), configOf(config), node.ledger),
      ),
    ),
  getTokenAccountBalance: ([address, config], node) =>
    inContext(configOf(config), node, () => tokenBalance(addressIn(address), node.ledger)),
  getTokenSupply: ([mint, config], node) =>
    inContext(configOf(config), node, () => tokenSupply(addressIn(mint), node.ledger)),
  getTokenAccountsByOwner: (params, node) =>
    inContext(configOf(params[2]), node, () => tokenAccountsByOwner(params, node.ledger)),
  getSignatureStatuses: ([signatures, config], node) =>
    inContext({}, node, () => statusesOf(signatures, configOf(config), node)),
  getSignaturesForAddress: (params, node) => signaturesFor(params, node),
  getTransaction: (params, node) => transactionOf(params, node),
};

function slotFor(config: unknown, node: Node): number {
  const asked = configOf(config);
  return reachedSlot(asked, commitmentOf(asked), node);
}

function epochInfo(slot: number, { ledger }: Node): object {
  return {
    absoluteSlot: slot,
    blockHeight: slot,
    epoch: Math.floor(slot / slotsInEpoch),
    slotIndex: slot % slotsInEpoch,
    slotsInEpoch,
    transactionCount: ledger.transactions.count(),
  };
}

function latestBlockhash(commitment: Stage, node: Node): object {
  const slot = slotAt(commitment, node);
  return { blockhash: node.derived.blockhash(slot), lastValidBlockHeight: slot + recentSlots };
}

function isRecent(hash: string, { derived, slot }: Node): boolean {
  for (let age = 0; age <= Math.min(slot, recentSlots); age += 1) {
    if (derived.blockhash(slot - age) === hash) return true;
  }
  return false;
}
