import { base58 } from '@scure/base';
import type { Ledger } from './ledger.ts';
import { RpcError } from './rpcError.ts';
import { tokenProgram } from './solana/address.ts';
import { decodeTransaction } from './solana/message.ts';
import { decimal } from './solana/token.ts';
import type { StoredTransaction, TokenBalance } from './store/transactions.ts';

export function transaction(signature: string, config: unknown, ledger: Ledger): object | null {
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
    programId: tokenProgram,
    uiTokenAmount,
  };
}

export function uiAmount(units: bigint, decimals: number): object {
  const shown = decimal(units, decimals);
  return { amount: units.toString(), decimals, uiAmount: Number(shown), uiAmountString: shown };
}
