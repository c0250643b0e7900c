import { base58 } from '@scure/base';
import type { Service } from './service.ts';
import { decodeTransaction } from './solana/message.ts';
import { decimal, readHolding } from './solana/token.ts';
import type { StoredTransaction, TokenBalance } from './store/transactions.ts';
import { currentSlot } from './transfer.ts';

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Method = (params: unknown[], service: Service) => unknown;

const blockhashLifeSlots = 150;

const methods: Record<string, Method> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'solana-core': 'botctl-sandbox', 'feature-set': 0 }),
  getGenesisHash: (_, { identity }) => identity.genesisHash,
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
    transaction(text(signature, 'a signature'), config, service),
  getAccountInfo: ([address], service) =>
    inContext(service, accountInfo(text(address, 'an address'), service)),
};

/** Solana JSON-RPC, as much as a client needs to confirm a transfer and see what it moved. */
export function answerRpc(body: unknown, service: Service): string {
  if (!Array.isArray(body)) return toJson(answerCall(body, service));
  return toJson(body.map((call) => answerCall(call, service)));
}

function answerCall(call: unknown, service: Service): object {
  const {
    id = null,
    method,
    params = [],
  } = (typeof call === 'object' && call !== null ? call : {}) as Record<string, unknown>;
  try {
    if (typeof method !== 'string' || !Array.isArray(params)) throw new RpcError(-32600, 'Invalid request');
    const run = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (run === undefined)
      throw new RpcError(-32601, `Method not found; there is ${Object.keys(methods).join(', ')}`);
    return { jsonrpc: '2.0', id, result: run(params, service) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { jsonrpc: '2.0', id, error: { code: error.code, message: error.message } };
  }
}

function inContext(service: Service, value: unknown): object {
  return { context: { slot: currentSlot(service.ledger), apiVersion: '2.0.0' }, value };
}

function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new RpcError(-32602, `Invalid params: ${what} is missing`);
  return value;
}

function latestBlockhash({ ledger, identity }: Service): object {
  const slot = currentSlot(ledger);
  return { blockhash: identity.blockhash(slot), lastValidBlockHeight: slot + blockhashLifeSlots };
}

function isRecent(hash: string, { ledger, identity }: Service): boolean {
  const slot = currentSlot(ledger);
  for (let age = 0; age <= Math.min(slot, blockhashLifeSlots); age += 1) {
    if (identity.blockhash(slot - age) === hash) return true;
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

function uiAmount(units: bigint, decimals: number): object {
  const shown = decimal(units, decimals);
  return { amount: units.toString(), decimals, uiAmount: Number(shown), uiAmountString: shown };
}

function accountInfo(address: string, { ledger }: Service): object | null {
  const account = ledger.accounts.get(address);
  if (account === undefined) return null;
  const { lamports, owner, data } = account;
  const bytes = Buffer.from(data).toString('base64');
  return { lamports, owner, data: [bytes, 'base64'], executable: false, rentEpoch: 0, space: data.length };
}

function transaction(signature: string, config: unknown, { ledger }: Service): object | null {
  const found = ledger.transactions.get(signature);
  if (found === undefined) return null;
  const { encoding = 'json' } = (
    typeof config === 'object' && config !== null ? config : { encoding: config }
  ) as { encoding?: unknown };
  const { slot, blockTimeS, wire } = found;
  return {
    slot,
    blockTime: blockTimeS,
    version: 'legacy',
    meta: metaOf(found),
    transaction: encoded(wire, encoding ?? 'json'),
  };
}

function encoded(wire: Uint8Array, encoding: unknown): unknown {
  if (encoding === 'base64') return [Buffer.from(wire).toString('base64'), 'base64'];
  if (encoding === 'base58') return [base58.encode(wire), 'base58'];
  if (encoding !== 'json')
    throw new RpcError(-32602, 'Invalid params: encoding must be json, base64 or base58');
  const { signatures, message } = decodeTransaction(wire);
  return {
    signatures,
    message: {
      header: {
        numRequiredSignatures: message.signers,
        numReadonlySignedAccounts: message.readonlySigners,
        numReadonlyUnsignedAccounts: message.readonlyOthers,
      },
      accountKeys: message.accounts,
      recentBlockhash: message.blockhash,
      instructions: message.instructions.map(({ programIndex, accounts, data }) => ({
        programIdIndex: programIndex,
        accounts,
        data: base58.encode(data),
        stackHeight: null,
      })),
    },
  };
}

function metaOf({ meta }: StoredTransaction): object {
  return {
    err: null,
    status: { Ok: null },
    fee: BigInt(meta.fee),
    preBalances: meta.preBalances.map(BigInt),
    postBalances: meta.postBalances.map(BigInt),
    preTokenBalances: meta.preTokenBalances.map(shownBalance),
    postTokenBalances: meta.postTokenBalances.map(shownBalance),
    innerInstructions: [],
    logMessages: meta.logs,
    computeUnitsConsumed: BigInt(meta.computeUnits),
    loadedAddresses: { writable: [], readonly: [] },
    rewards: [],
  };
}

function shownBalance({ accountIndex, mint, owner, amount, decimals }: TokenBalance): object {
  const uiTokenAmount = uiAmount(BigInt(amount), decimals);
  return {
    accountIndex,
    mint,
    owner,
    programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    uiTokenAmount,
  };
}

/** JSON with u64 as bare digits: JSON.stringify has no word for a bigint. */
function toJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}:${toJson(inner)}`)
    .join(',')}}`;
}
