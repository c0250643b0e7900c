import { base58 } from '@scure/base';
import type { Derived } from '../money.ts';
import { currentSlot, parseReadings, type Readings } from '../readings.ts';
import type { Service } from '../request.ts';
import { addressBytes, decimal, lookupTableProgram, readHolding, readMint, tokenProgram } from '../solana.ts';
import { type Account, readLookupTable } from '../store/database.ts';
import type { Ledger } from '../store/ledger.ts';

/** The node for one request: its data, its newest slot, and its readings. */
export type Node = {
  ledger: Ledger;
  derived: Derived;
  readings: Readings;
  nowMs: number;
  /** The newest slot that it knows. */
  slot: number;
};

const stages = ['processed', 'confirmed', 'finalized'] as const;
export type Stage = (typeof stages)[number];

export const isAtLeast = (stage: Stage, wanted: Stage): boolean =>
  stages.indexOf(stage) >= stages.indexOf(wanted);

/** A node's own readings can also be in the URL, to get a second node that disagrees over the same ledger. */
const ownReadings = [
  'commitment_held_at',
  'node_lag_slots',
  'node_history',
  'genesis_hash',
  'rpc_rate_limit',
  'token_replies',
];

export function nodeFor(url: string, service: Service): Node | { problem: string } {
  const given = [...new URLSearchParams(url.split('?')[1] ?? '')];
  const other = given.find(([name]) => !ownReadings.includes(name));
  if (other !== undefined) return { problem: `The URL may set ${ownReadings.join(', ')}, not ${other[0]}` };
  const change = parseReadings(Object.fromEntries(given.map(([name, text]) => [name, jsonOrText(text)])));
  if (!change.ok) return { problem: change.problem };
  return nodeWith({ ...service.readings(), ...change.change }, service);
}

function nodeWith(readings: Readings, { ledger, derived, nowMs }: Service): Node {
  const now = nowMs();
  const slot = currentSlot({ ledger, readings, nowMs: now });
  return { ledger, derived, readings, nowMs: now, slot: Math.max(0, slot - readings.node_lag_slots) };
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The newest slot that the node shows at a commitment. */
export function slotAt(commitment: Stage, { slot, readings }: Node): number {
  return readings.slot_ms === 0 ? slot : Math.max(0, slot - stages.indexOf(commitment));
}

/** The stage of a transaction on this node; undefined if the node does not know it. */
export function stageOf(transactionSlot: number, { slot, readings }: Node): Stage | undefined {
  const age = slot - transactionSlot;
  if (age < 0) return undefined;
  const due = readings.slot_ms === 0 ? 'finalized' : (stages[Math.min(age, 2)] ?? 'finalized');
  const held = readings.commitment_held_at;
  const stage = held !== null && isAtLeast(due, held) ? held : due;
  const isGone = stage === 'finalized' && ['dropped', 'forgotten'].includes(readings.node_history);
  return isGone ? undefined : stage;
}

/** The last parameter of most methods. */
type NodeConfig = Record<string, unknown>;

export function configOf(value: unknown): NodeConfig {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidParams('the configuration is no object');
  return value as NodeConfig;
}

/** The requested stage; finalized by default. */
export function commitmentOf({ commitment }: NodeConfig): Stage {
  if (commitment === undefined || commitment === null) return 'finalized';
  const stage = stages.find((name) => name === commitment);
  if (stage === undefined) throw invalidParams(`commitment must be one of ${stages.join(', ')}`);
  return stage;
}

/** Methods about blocks refuse `processed`, because such blocks can still be dropped. */
export function settledCommitmentOf(config: NodeConfig): Stage {
  const commitment = commitmentOf(config);
  if (commitment === 'processed')
    throw new RpcError(-32602, 'Method does not support commitment below `confirmed`');
  return commitment;
}

/** A value together with its slot. */
export function inContext(config: NodeConfig, node: Node, valueAt: (commitment: Stage) => unknown): object {
  const commitment = commitmentOf(config);
  const slot = reachedSlot(config, commitment, node);
  return { context: { slot, apiVersion: '3.0.0' }, value: valueAt(commitment) };
}

export function reachedSlot({ minContextSlot }: NodeConfig, commitment: Stage, node: Node): number {
  const slot = slotAt(commitment, node);
  if (minContextSlot !== undefined && !(Number(minContextSlot) <= slot))
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
  return slot;
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw invalidParams(`${what} is missing`);
  return value;
}

export function addressIn(value: unknown): string {
  const address = text(value, 'an address');
  if (addressBytes(address) === undefined) throw invalidParams('an address is 32 bytes in base58');
  return address;
}

/** A whole number from 0 to `most`, or the default if none is given. */
export function countIn(value: unknown, what: string, most: number, otherwise: number): number {
  if (value === undefined || value === null) return otherwise;
  if (!Number.isInteger(value) || Number(value) < 0 || Number(value) > most)
    throw invalidParams(`${what} must be a whole number up to ${most}`);
  return Number(value);
}

export function listIn(value: unknown, what: string, most: number): unknown[] {
  if (!Array.isArray(value) || value.length > most) throw invalidParams(`up to ${most} ${what}`);
  return value;
}

/** JSON with u64 as bare digits, which JSON.stringify cannot write for a bigint. */
export function toJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => `${JSON.stringify(name)}:${toJson(inner)}`)
    .join(',')}}`;
}

/** A failed call, with its JSON-RPC error number. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export const invalidParams = (what: string): RpcError => new RpcError(-32602, `Invalid params: ${what}`);

const neverCollected = 2n ** 64n - 1n;
const base58BytesAtMost = 128;

type AccountConfig = ReturnType<typeof configOf>;

export function accountInfo(address: string, config: AccountConfig, ledger: Ledger): object | null {
  const account = ledger.accounts.get(address);
  return account === undefined ? null : shownAccount(account, config, ledger);
}

export function tokenAccountsByOwner(params: unknown[], ledger: Ledger): object[] {
  const owner = addressIn(params[0]);
  const filter = configOf(params[1]);
  const config = configOf(params[2]);
  const mint = filter.mint === undefined ? undefined : addressIn(filter.mint);
  const program = mint === undefined ? addressIn(filter.programId) : ledger.accounts.get(mint)?.owner;
  if (program === undefined) throw new RpcError(-32602, 'Invalid param: could not find mint');
  if (program !== tokenProgram) return [];
  const held = ledger.accounts.tokenAccountsOf(owner);
  return held
    .filter(({ data }) => mint === undefined || readHolding(data)?.mint === mint)
    .map((account) => ({ pubkey: account.address, account: shownAccount(account, config, ledger) }));
}

export function tokenBalance(address: string, ledger: Ledger): object {
  const account = ledger.accounts.get(address);
  const holding = account === undefined ? undefined : readHolding(account.data);
  if (holding === undefined) throw new RpcError(-32602, 'Invalid param: could not find account');
  return uiAmount(holding.units, ledger.accounts.asset(holding.mint)?.decimals ?? 0);
}

export function tokenSupply(address: string, ledger: Ledger): object {
  const account = ledger.accounts.get(address);
  const mint = account?.owner === tokenProgram ? readMint(account.data) : undefined;
  if (mint === undefined) throw new RpcError(-32602, 'Invalid param: could not find mint');
  return uiAmount(mint.supply, mint.decimals);
}

export function uiAmount(units: bigint, decimals: number): object {
  const shown = decimal(units, decimals);
  return { amount: units.toString(), decimals, uiAmount: Number(shown), uiAmountString: shown };
}

class TooLongForBase58 extends RpcError {
  constructor() {
    super(-32600, 'Encoded binary (base 58) data should be less than 128 bytes, please use Base64');
  }
}

/** A notification cannot be refused, so an account too long for base58 says that in place of its data. */
export function notifiedAccount(account: Account, config: AccountConfig, ledger: Ledger): object {
  try {
    return shownAccount(account, config, ledger);
  } catch (error) {
    if (!(error instanceof TooLongForBase58)) throw error;
    const shown = shownAccount(account, { ...config, encoding: 'base64' }, ledger);
    return { ...shown, data: ['error: data too large for bs58 encoding', 'base58'] };
  }
}

function shownAccount(account: Account, config: AccountConfig, ledger: Ledger): object {
  const { lamports, owner, data } = account;
  return {
    lamports,
    owner,
    data: shownData(account, config, ledger),
    executable: false,
    rentEpoch: neverCollected,
    space: data.length,
  };
}

function shownData(account: Account, { encoding, dataSlice }: AccountConfig, ledger: Ledger): unknown {
  const parsed = encoding === 'jsonParsed' ? parsedData(account, ledger) : undefined;
  if (parsed !== undefined) return parsed;
  const bytes = slice(account.data, dataSlice);
  const base64 = [Buffer.from(bytes).toString('base64'), 'base64'];
  if (encoding === 'base64' || encoding === 'jsonParsed') return base64;
  if (encoding !== undefined && encoding !== 'base58' && encoding !== 'binary')
    throw invalidParams('encoding must be base58, base64 or jsonParsed');
  if (bytes.length > base58BytesAtMost) throw new TooLongForBase58();
  return encoding === 'base58' ? [base58.encode(bytes), 'base58'] : base58.encode(bytes);
}

function slice(data: Uint8Array, dataSlice: unknown): Uint8Array {
  if (dataSlice === undefined || dataSlice === null) return data;
  const config = configOf(dataSlice);
  const offset = countIn(config.offset, 'dataSlice.offset', 2 ** 32, 0);
  return data.slice(offset, offset + countIn(config.length, 'dataSlice.length', 2 ** 32, 0));
}

/** The parsed accounts of known programs; undefined for all others. */
function parsedData({ owner: program, data }: Account, ledger: Ledger): object | undefined {
  const shown = (type: string, info: object): object => ({
    program: program === tokenProgram ? 'spl-token' : 'address-lookup-table',
    parsed: { type, info },
    space: data.length,
  });
  if (program === lookupTableProgram) return shown('lookupTable', readLookupTable(data));
  if (program !== tokenProgram) return undefined;
  const holding = readHolding(data);
  if (holding !== undefined) {
    const { mint, owner, units } = holding;
    const tokenAmount = uiAmount(units, ledger.accounts.asset(mint)?.decimals ?? 0);
    return shown('account', { isNative: false, mint, owner, state: 'initialized', tokenAmount });
  }
  const mint = readMint(data);
  if (mint === undefined) return undefined;
  const { authority, supply, decimals } = mint;
  const made = { decimals, freezeAuthority: null, isInitialized: true, mintAuthority: authority };
  return shown('mint', { ...made, supply: supply.toString() });
}
