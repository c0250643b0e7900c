import { RpcError } from './rpcError.ts';
import { transaction, uiAmount } from './rpcTransaction.ts';
import type { Service } from './service.ts';
import { readHolding } from './solana/token.ts';
import { currentSlot } from './transfer.ts';

type Method = (params: unknown[], service: Service) => unknown;

const blockhashLifeSlots = 150;

export const methods: Record<string, Method> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': 'botctl-sandbox', 'feature-set': 0 }),
  getGenesisHash: (_, { derived }) => derived.genesisHash,
  getSlot: (_, { ledger }) => currentSlot(ledger),
  getBlockHeight: (_, { ledger }) => currentSlot(ledger),
  getBalance: ([address], service) =>
    inContext(service, service.ledger.accounts.get(text(address, 'an address'))?.lamports ?? 0n),
  getTokenAccountBalance: ([address], service) =>
    inContext(service, tokenBalance(text(address, 'an address'), service)),
  getLatestBlockhash: (_, service) => inContext(service, latestBlockhash(service)),
  isBlockhashValid: ([hash], service) => inContext(service, isRecent(text(hash, 'a blockhash'), service)),
  getSignatureStatuses: ([signatures], service) => inContext(service, statuses(signatures, service)),
  getTransaction: ([signature, config], service) =>
    transaction(text(signature, 'a signature'), config, service.ledger),
  getAccountInfo: ([address], service) =>
    inContext(service, accountInfo(text(address, 'an address'), service)),
};

function inContext(service: Service, value: unknown): object {
  return { context: { slot: currentSlot(service.ledger), apiVersion: '2.0.0' }, value };
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new RpcError(-32602, `Invalid params: ${what} is missing`);
  return value;
}

function latestBlockhash({ ledger, derived }: Service): object {
  const slot = currentSlot(ledger);
  return { blockhash: derived.blockhash(slot), lastValidBlockHeight: slot + blockhashLifeSlots };
}

function isRecent(hash: string, { ledger, derived }: Service): boolean {
  const slot = currentSlot(ledger);
  for (let age = 0; age <= Math.min(slot, blockhashLifeSlots); age += 1) {
    if (derived.blockhash(slot - age) === hash) return true;
  }
  return false;
}

function statuses(signatures: unknown, { ledger }: Service): unknown[] {
  if (!Array.isArray(signatures) || signatures.length > 256)
    throw new RpcError(-32602, 'Invalid params: up to 256 signatures');
  return signatures.map((signature) => {
    const found = ledger.transactions.get(text(signature, 'a signature'));
    if (found === undefined) return null;
    return {
      slot: found.slot,
      confirmations: null,
      err: null,
      status: { Ok: null },
      confirmationStatus: 'finalized',
    };
  });
}

function tokenBalance(address: string, { ledger }: Service): object {
  const account = ledger.accounts.get(address);
  const holding = account === undefined ? undefined : readHolding(account.data);
  if (holding === undefined) throw new RpcError(-32602, 'Invalid param: could not find account');
  return uiAmount(holding.units, ledger.accounts.asset(holding.mint)?.decimals ?? 0);
}

function accountInfo(address: string, { ledger }: Service): object | null {
  const account = ledger.accounts.get(address);
  if (account === undefined) return null;
  const { lamports, owner, data } = account;
  const bytes = Buffer.from(data).toString('base64');
  return { lamports, owner, data: [bytes, 'base64'], executable: false, rentEpoch: 0, space: data.length };
}
