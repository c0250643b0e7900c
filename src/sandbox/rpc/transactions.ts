import { base58 } from '@scure/base';
import type { Readings } from '../readings.ts';
import {
  allAccounts,
  associatedTokenProgram,
  decodeTransaction,
  type Message,
  memoProgram,
  systemProgram,
  token2022Program,
  tokenProgram,
} from '../solana.ts';
import type { StoredTransaction, TokenBalance, TransactionMeta } from '../store/database.ts';
import {
  addressIn,
  configOf,
  countIn,
  invalidParams,
  isAtLeast,
  listIn,
  type Node,
  RpcError,
  reachedSlot,
  type Stage,
  settledCommitmentOf,
  stageOf,
  text,
  uiAmount,
} from './node.ts';

/** How many slots a node remembers statuses without searching its history, and a blockhash stays valid. */
export const recentSlots = 150;

const statusesAtMost = 256;
const signaturesAtMost = 1000;

export function statusesOf(signatures: unknown, config: ReturnType<typeof configOf>, node: Node): unknown[] {
  const isDeep = config.searchTransactionHistory === true;
  return listIn(signatures, 'signatures', statusesAtMost).map((value) => {
    const signature = signatureIn(value);
    const found = node.ledger.transactions.get(signature);
    const stage = found === undefined ? undefined : stageOf(found.slot, node);
    if (found === undefined || stage === undefined || node.readings.node_history === 'unavailable')
      return null;
    const age = node.slot - found.slot;
    if (age > recentSlots && !isDeep) return null;
    return {
      slot: found.slot,
      confirmations: stage === 'finalized' ? null : age,
      err: null,
      status: { Ok: null },
      confirmationStatus: stage,
    };
  });
}

export function transactionOf(params: unknown[], node: Node): object | null {
  const signature = signatureIn(params[0]);
  const config = typeof params[1] === 'string' ? { encoding: params[1] } : configOf(params[1]);
  const commitment = settledCommitmentOf(config);
  assertStorage(node);
  const found = node.ledger.transactions.get(signature);
  if (found === undefined || !isSeen(found, commitment, node)) return null;
  return shownTransaction(found, config, node.readings.token_replies);
}

/** Newest first. A real node whose storage was down has been seen to return none. */
export function signaturesFor(params: unknown[], node: Node): object[] {
  const address = addressIn(params[0]);
  const config = configOf(params[1]);
  const commitment = settledCommitmentOf(config);
  reachedSlot(config, commitment, node);
  const most = countIn(config.limit, 'limit', signaturesAtMost, signaturesAtMost);
  const slotOf = (value: unknown): number | undefined =>
    value === undefined || value === null
      ? undefined
      : node.ledger.transactions.get(signatureIn(value))?.slot;
  const before = slotOf(config.before) ?? Number.MAX_SAFE_INTEGER;
  const found: object[] = [];
  if (node.readings.node_history === 'unavailable' || most === 0) return found;
  for (const each of node.ledger.transactions.touching(address, {
    before,
    until: slotOf(config.until) ?? -1,
  })) {
    if (isSeen(each, commitment, node)) found.push(signatureOf(each, node));
    if (found.length === most) break;
  }
  return found;
}

function signatureOf(found: StoredTransaction, node: Node): object {
  const { signature, slot, blockTimeS: blockTime } = found;
  const confirmationStatus = stageOf(slot, node);
  return { signature, slot, err: null, memo: memoOf(found), blockTime, confirmationStatus };
}

function memoOf({ wire, meta }: StoredTransaction): string | null {
  const { message } = decodeTransaction(wire);
  const keys = [...message.accounts, ...meta.loaded.writable, ...meta.loaded.readonly];
  const memos = message.instructions.filter(({ programIndex }) => keys[programIndex] === memoProgram);
  if (memos.length === 0) return null;
  return memos.map(({ data }) => `[${data.length}] ${Buffer.from(data).toString('utf8')}`).join('; ');
}

function isSeen({ slot }: StoredTransaction, commitment: Stage, node: Node): boolean {
  const stage = stageOf(slot, node);
  return stage !== undefined && isAtLeast(stage, commitment);
}

function assertStorage({ readings }: Node): void {
  if (readings.node_history !== 'unavailable') return;
  throw new RpcError(-32019, 'Failed to query long-term storage; please try again');
}

export function signatureIn(value: unknown): string {
  const signature = text(value, 'a signature');
  if (signature.length > 88 || !isSignature(signature)) throw new RpcError(-32602, 'Invalid param: Invalid');
  return signature;
}

function isSignature(value: string): boolean {
  try {
    return base58.decode(value).length === 64;
  } catch {
    return false;
  }
}

type TransactionConfig = { encoding?: unknown; maxSupportedTransactionVersion?: unknown };

function shownTransaction(
  { slot, blockTimeS, wire, meta }: StoredTransaction,
  config: TransactionConfig,
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

/** Omitted for a client that names no version; an error if the client's newest is older. */
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

/** Uses the token program that the transaction names, because an altered one may name Token-2022. */
function shownBalance({ accountIndex, mint, owner, amount, decimals }: TokenBalance, keys: string[]): object {
  const programId = keys.includes(token2022Program) ? token2022Program : tokenProgram;
  return { accountIndex, mint, owner, programId, uiTokenAmount: uiAmount(BigInt(amount), decimals) };
}

type ShownInstruction = {
  programIndex: number;
  accounts: number[];
  data: Uint8Array;
  stackHeight: number | null;
};

type Parsed = { type: string; info: object };

/** Gives an instruction's accounts by index, and its data. */
type Parts = { at: (place: number) => string; bytes: Buffer };

type Parser = (parts: Parts) => Parsed | undefined;

/** A parsed instruction if its program is known here, otherwise its accounts by address. */
function parsedInstruction(
  { programIndex, accounts, data, stackHeight }: ShownInstruction,
  keys: string[],
): object {
  const programId = keys[programIndex] ?? '';
  const bytes = Buffer.from(data);
  if (programId === memoProgram)
    return { program: 'spl-memo', programId, parsed: bytes.toString('utf8'), stackHeight };
  const known = programs[programId];
  const parts = { at: (place: number) => keys[accounts[place] ?? -1] ?? '', bytes };
  const parsed = known?.parse(parts);
  if (known !== undefined && parsed !== undefined)
    return { program: known.program, programId, parsed, stackHeight };
  const named = accounts.map((index) => keys[index] ?? '');
  return { programId, accounts: named, data: base58.encode(data), stackHeight };
}

const systemInstructions: Readonly<Record<number, Parser>> = {
  0: ({ at, bytes }) => ({
    type: 'createAccount',
    info: {
      source: at(0),
      newAccount: at(1),
      lamports: bytes.readBigUInt64LE(4),
      space: bytes.readBigUInt64LE(12),
      owner: base58.encode(bytes.subarray(20, 52)),
    },
  }),
  2: ({ at, bytes }) => ({
    type: 'transfer',
    info: { source: at(0), destination: at(1), lamports: bytes.readBigUInt64LE(4) },
  }),
};

const tokenInstructions: Readonly<Record<number, Parser>> = {
  3: ({ at, bytes }) => ({
    type: 'transfer',
    info: {
      source: at(0),
      destination: at(1),
      authority: at(2),
      amount: bytes.readBigUInt64LE(1).toString(),
    },
  }),
  12: ({ at, bytes }) => ({
    type: 'transferChecked',
    info: { ...checkedParties(at), tokenAmount: uiAmount(bytes.readBigUInt64LE(1), bytes.readUInt8(9)) },
  }),
  18: ({ at, bytes }) => ({
    type: 'initializeAccount3',
    info: { account: at(0), mint: at(1), owner: base58.encode(bytes.subarray(1, 33)) },
  }),
  21: ({ at }) => ({
    type: 'getAccountDataSize',
    info: { mint: at(0), extensionTypes: ['immutableOwner'] },
  }),
  22: ({ at }) => ({ type: 'initializeImmutableOwner', info: { account: at(0) } }),
  26: ({ at, bytes }) => {
    if (bytes.readUInt8(1) !== 1) return undefined;
    const decimals = bytes.readUInt8(10);
    const tokenAmount = uiAmount(bytes.readBigUInt64LE(2), decimals);
    const feeAmount = uiAmount(bytes.readBigUInt64LE(11), decimals);
    return { type: 'transferCheckedWithFee', info: { ...checkedParties(at), tokenAmount, feeAmount } };
  },
};

const checkedParties = (at: Parts['at']): object => ({
  source: at(0),
  mint: at(1),
  destination: at(2),
  authority: at(3),
});

const makeTokenAccount: Parser = ({ at, bytes }) => ({
  type: bytes[0] === 1 ? 'createIdempotent' : 'create',
  info: {
    source: at(0),
    account: at(1),
    wallet: at(2),
    mint: at(3),
    systemProgram: at(4),
    tokenProgram: at(5),
  },
});

const byFirstByte =
  (parsers: Readonly<Record<number, Parser>>): Parser =>
  (parts) =>
    parsers[parts.bytes[0] ?? -1]?.(parts);

const programs: Readonly<Record<string, { program: string; parse: Parser }>> = {
  [systemProgram]: { program: 'system', parse: byFirstByte(systemInstructions) },
  [tokenProgram]: { program: 'spl-token', parse: byFirstByte(tokenInstructions) },
  [token2022Program]: { program: 'spl-token', parse: byFirstByte(tokenInstructions) },
  [associatedTokenProgram]: { program: 'spl-associated-token-account', parse: makeTokenAccount },
};

/** A transaction with its accounts by address, before it takes the requested form. */
type Told = { signatures: string[]; message: Message; keys: string[]; meta: TransactionMeta };

const transferChecked = 12;
const transferFeeExtension = 26;
const transferCheckedWithFee = 1;
const batch = 255;

/** A token payment as made, or altered to a form that exists on the real chain but that this VM cannot make. */
function retold(told: Told, reading: Readings['token_replies']): Told {
  switch (reading) {
    case 'as-made':
      return told;
    case 'token-2022-fee':
      return withFee(told);
    case 'batch':
      return inBatch(told);
  }
}

type WireInstruction = Told['message']['instructions'][number];

const isTokenTransfer = ({ programIndex, data }: WireInstruction, keys: string[]): boolean =>
  keys[programIndex] === tokenProgram && data[0] === transferChecked;

/** One percent of the amount, rounded up, is withheld in the recipient's account. */
const feeOf = (units: bigint): bigint => (units + 99n) / 100n;

/** Token-2022 with a fee: the recipient's account gains less than the instruction says. */
function withFee({ message, keys, meta, signatures }: Told): Told {
  const withheld = new Map<number, bigint>();
  const instructions = message.instructions.map((instruction) => {
    if (!isTokenTransfer(instruction, keys)) return instruction;
    const [, , destination = -1] = instruction.accounts;
    const bytes = Buffer.from(instruction.data);
    const fee = feeOf(bytes.readBigUInt64LE(1));
    withheld.set(destination, (withheld.get(destination) ?? 0n) + fee);
    const feeBytes = Buffer.alloc(8);
    feeBytes.writeBigUInt64LE(fee);
    const head = Buffer.of(transferFeeExtension, transferCheckedWithFee);
    return { ...instruction, data: Buffer.concat([head, bytes.subarray(1), feeBytes]) };
  });
  const renamed = (address: string): string => (address === tokenProgram ? token2022Program : address);
  const postTokenBalances = meta.postTokenBalances.map((balance) => {
    const fee = withheld.get(balance.accountIndex) ?? 0n;
    return { ...balance, amount: (BigInt(balance.amount) - fee).toString() };
  });
  const { writable, readonly } = meta.loaded;
  const loaded = { writable: writable.map(renamed), readonly: readonly.map(renamed) };
  return {
    signatures,
    message: { ...message, accounts: message.accounts.map(renamed), instructions },
    keys: keys.map(renamed),
    meta: { ...meta, loaded, postTokenBalances },
  };
}

/** All token transfers of the transaction in one instruction, in the place of the last one. */
function inBatch(told: Told): Told {
  const { message, keys, meta } = told;
  const transfers = message.instructions.filter((instruction) => isTokenTransfer(instruction, keys));
  const last = transfers.at(-1);
  if (last === undefined) return told;
  const wrapped = {
    programIndex: last.programIndex,
    accounts: transfers.flatMap(({ accounts }) => accounts),
    data: Buffer.concat([
      Buffer.of(batch),
      ...transfers.map(({ accounts, data }) =>
        Buffer.concat([Buffer.of(accounts.length, data.length), data]),
      ),
    ]),
  };
  const kept = message.instructions.filter((each) => each === last || !transfers.includes(each));
  const placeOf = (index: number): number => kept.indexOf(message.instructions[index] ?? last);
  return {
    ...told,
    message: { ...message, instructions: kept.map((each) => (each === last ? wrapped : each)) },
    meta: { ...meta, inner: meta.inner.map((called) => ({ ...called, index: placeOf(called.index) })) },
  };
}
