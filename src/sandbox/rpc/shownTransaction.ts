import { base58 } from '@scure/base';
import type { Readings } from '../readings.ts';
import { token2022Program, tokenProgram } from '../solana/address.ts';
import { allAccounts, decodeTransaction, type Message } from '../solana/message.ts';
import type { StoredTransaction, TokenBalance } from '../store/transactions.ts';
import { uiAmount } from './accounts.ts';
import { parsedInstruction, type ShownInstruction } from './parsedInstruction.ts';
import { invalidParams, RpcError } from './rpcError.ts';
import { retold, type Told } from './tokenReplies.ts';

type Config = { encoding?: unknown; maxSupportedTransactionVersion?: unknown };

export function shownTransaction(
  { slot, blockTimeS, wire, meta }: StoredTransaction,
  config: Config,
  tokenReplies: Readings['token_replies'],
): object {
  const { signatures, message } = decodeTransaction(wire);
  const version = versionFor(message, config.maxSupportedTransactionVersion);
  const { encoding = 'json' } = config;
  const asMade = { signatures, message, keys: allAccounts(message, meta.loaded), meta };
  const told = retold(asMade, tokenReplies);
  const isParsed = encoding === 'jsonParsed';
  return {
    slot,
    blockTime: blockTimeS,
    ...(version === undefined ? {} : { version }),
    meta: shownMeta(told, isParsed),
    transaction: encoded(told, wire, encoding ?? 'json'),
  };
}

/** Left out for a client that names no version; an error for one whose newest is older. */
function versionFor({ version }: Message, asked: unknown): Message['version'] | undefined {
  const newest = Number.isInteger(asked) ? Number(asked) : undefined;
  if (asked !== undefined && asked !== null && newest === undefined)
    throw invalidParams('maxSupportedTransactionVersion must be a whole number');
  if (version !== 'legacy' && version > (newest ?? -1))
    throw new RpcError(
      -32015,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  return newest === undefined ? undefined : version;
}

function encoded(told: Told, wire: Uint8Array, encoding: unknown): unknown {
  switch (encoding) {
    case 'base64':
      return [Buffer.from(wire).toString('base64'), 'base64'];
    case 'base58':
      return [base58.encode(wire), 'base58'];
    case 'json':
    case 'jsonParsed':
      return { signatures: told.signatures, message: shownMessage(told, encoding === 'jsonParsed') };
    default:
      throw invalidParams('encoding must be json, jsonParsed, base64 or base58');
  }
}

function shownMessage(told: Told, isParsed: boolean): object {
  const { message, keys } = told;
  const { signers, readonlySigners, readonlyOthers, blockhash, lookups } = message;
  const instructions = message.instructions.map(({ programIndex, accounts, data }) =>
    shownInstruction({ programIndex, accounts, data, stackHeight: null }, keys, isParsed),
  );
  const addressTableLookups = lookups.map(({ table, writable, readonly }) => ({
    accountKey: table,
    writableIndexes: writable,
    readonlyIndexes: readonly,
  }));
  return {
    ...(isParsed
      ? { accountKeys: parsedKeys(told) }
      : {
          header: {
            numRequiredSignatures: signers,
            numReadonlySignedAccounts: readonlySigners,
            numReadonlyUnsignedAccounts: readonlyOthers,
          },
          accountKeys: message.accounts,
        }),
    recentBlockhash: blockhash,
    instructions,
    ...(message.version === 0 ? { addressTableLookups } : {}),
  };
}

function parsedKeys({ message, keys, meta }: Told): object[] {
  const { accounts, signers, readonlySigners, readonlyOthers } = message;
  return keys.map((pubkey, index) => {
    const isLoaded = index >= accounts.length;
    const writable = isLoaded
      ? index < accounts.length + meta.loaded.writable.length
      : index < signers - readonlySigners || (index >= signers && index < accounts.length - readonlyOthers);
    return { pubkey, signer: index < signers, writable, source: isLoaded ? 'lookupTable' : 'transaction' };
  });
}

function shownInstruction(instruction: ShownInstruction, keys: string[], isParsed: boolean): object {
  if (isParsed) return parsedInstruction(instruction, keys);
  const { programIndex, accounts, data, stackHeight } = instruction;
  return { programIdIndex: programIndex, accounts, data: base58.encode(data), stackHeight };
}

function shownMeta({ meta, keys }: Told, isParsed: boolean): object {
  const balances = (list: TokenBalance[]): object[] => list.map((balance) => shownBalance(balance, keys));
  return {
    err: null,
    status: { Ok: null },
    fee: BigInt(meta.fee),
    preBalances: meta.preBalances.map(BigInt),
    postBalances: meta.postBalances.map(BigInt),
    preTokenBalances: balances(meta.preTokenBalances),
    postTokenBalances: balances(meta.postTokenBalances),
    innerInstructions: meta.inner.map(({ index, instructions }) => ({
      index,
      instructions: instructions.map(({ data, ...inner }) =>
        shownInstruction({ ...inner, data: base58.decode(data) }, keys, isParsed),
      ),
    })),
    logMessages: meta.logs,
    computeUnitsConsumed: BigInt(meta.computeUnits),
    ...(isParsed ? {} : { loadedAddresses: meta.loaded }),
    rewards: [],
  };
}

/** Of the token program that the transaction names: a retold one names another. */
function shownBalance({ accountIndex, mint, owner, amount, decimals }: TokenBalance, keys: string[]): object {
  const programId = keys.includes(token2022Program) ? token2022Program : tokenProgram;
  return { accountIndex, mint, owner, programId, uiTokenAmount: uiAmount(BigInt(amount), decimals) };
}
