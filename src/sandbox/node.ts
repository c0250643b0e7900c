import { base58 } from '@scure/base';
import { isObject } from './faults.ts';
import type { Account, Ledger, Made, StoredTransaction, TokenBalance } from './ledger.ts';
import { assetNamed, type Derived } from './money.ts';
import { currentSlot, type Readings, readingsOf } from './readings.ts';
import type { Service } from './request.ts';
import {
  addressBytes,
  bytesOf,
  decimal,
  memoProgram,
  readHolding,
  token2022Program,
  tokenAccountOf,
  tokenProgram,
} from './solana.ts';

/** The node during one call: its data, its newest slot, and its readings. */
export type Node = {
  ledger: Ledger;
  derived: Derived;
  readings: Readings;
  nowMs: number;
  /** The newest slot that it knows. */
  slot: number;
};

export function nodeOf({ ledger, derived, nowMs }: Service): Node {
  const clock = { ledger, readings: readingsOf(ledger), nowMs: nowMs() };
  const slot = Math.max(0, currentSlot(clock) - clock.readings.node_lag_slots);
  return { ...clock, derived, slot };
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

type Method = (params: unknown[], node: Node) => unknown;

/** The methods that botctl calls. Only transactions have stages: accounts are the same at every commitment. */
export const methods: Record<string, Method> = {
  getGenesisHash: (_, { derived, readings }) => readings.genesis_hash ?? derived.genesisHash,
  getFirstAvailableBlock: (_, { readings, slot }) => (readings.node_history === 'forgotten' ? slot : 0),
  getBlockTime: ([slot], { ledger }) => ledger.transactionIn(countIn(slot, 'a slot'))?.blockTimeS ?? null,
  getBalance: ([address], node) => inContext(node, node.ledger.account(addressIn(address))?.lamports ?? 0n),
  getAccountInfo: ([address, config], node) => {
    const account = node.ledger.account(addressIn(address));
    return inContext(node, account === undefined ? null : shownAccount(account, configOf(config), node));
  },
  getTokenAccountsByOwner: (params, node) => inContext(node, tokenAccountsByOwner(params, node)),
  getSignatureStatuses: ([signatures, config], node) =>
    inContext(node, statusesOf(signatures, configOf(config), node)),
  getSignaturesForAddress: signaturesFor,
  getTransaction: transactionOf,
};

const inContext = ({ slot }: Node, value: unknown): object => ({
  context: { slot, apiVersion: '3.0.0' },
  value,
});

const stages = ['processed', 'confirmed', 'finalized'] as const;
type Stage = (typeof stages)[number];

const isAtLeast = (stage: Stage, wanted: Stage): boolean => stages.indexOf(stage) >= stages.indexOf(wanted);

/** The newest slot that the node shows at a commitment. */
function slotAt(commitment: Stage, { slot, readings }: Node): number {
  return readings.slot_ms === 0 ? slot : Math.max(0, slot - stages.indexOf(commitment));
}

/** The stage of a transaction on this node; undefined if the node does not know it. */
function stageOf({ slot: itsSlot }: StoredTransaction, { slot, readings }: Node): Stage | undefined {
  const age = slot - itsSlot;
  if (age < 0) return undefined;
  const due = readings.slot_ms === 0 ? 'finalized' : (stages[Math.min(age, 2)] ?? 'finalized');
  const held = readings.commitment_held_at;
  const stage = held !== null && isAtLeast(due, held) ? held : due;
  return stage === 'finalized' && readings.node_history === 'forgotten' ? undefined : stage;
}

/** The last parameter of most methods. */
type Config = Record<string, unknown>;

function configOf(value: unknown): Config {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidParams('the configuration is not an object');
  return value;
}

/** The requested stage, `finalized` by default. `processed` is refused: such a block can be dropped. */
function commitmentOf({ commitment }: Config): Stage {
  if (commitment === undefined || commitment === null) return 'finalized';
  const stage = stages.find((name) => name === commitment && name !== 'processed');
  if (stage === undefined) throw invalidParams('commitment must be confirmed or finalized');
  return stage;
}

function addressIn(value: unknown): string {
  if (typeof value === 'string' && addressBytes(value) !== undefined) return value;
  throw invalidParams('an address is 32 bytes in base58');
}

function signatureIn(value: unknown): string {
  if (typeof value === 'string' && bytesOf(value, 64) !== undefined) return value;
  throw invalidParams('a signature is 64 bytes in base58');
}

function countIn(value: unknown, what: string, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most) return Number(value);
  throw invalidParams(`${what} must be a whole number up to ${most}`);
}

function tokenAccountsByOwner([owner, filter, config]: unknown[], node: Node): object[] {
  const mint = assetNamed(addressIn(configOf(filter).mint), node.derived)?.mint;
  if (mint === undefined) throw new RpcError(-32602, 'Invalid param: could not find mint');
  const account = node.ledger.account(tokenAccountOf(addressIn(owner), mint));
  if (account === undefined) return [];
  return [{ pubkey: account.address, account: shownAccount(account, configOf(config), node) }];
}

const neverCollected = 2n ** 64n - 1n;

function shownAccount(account: Account, { encoding }: Config, node: Node): object {
  const { lamports, owner, data } = account;
  if (encoding !== 'base64' && encoding !== 'jsonParsed')
    throw invalidParams('encoding must be base64 or jsonParsed');
  const space = data.length;
  const parsed = encoding === 'jsonParsed' ? parsedIn(account, node) : undefined;
  return {
    lamports,
    owner,
    data: parsed ?? [Buffer.from(data).toString('base64'), 'base64'],
    executable: false,
    rentEpoch: neverCollected,
    space,
  };
}

function parsedIn({ address, data }: Account, { derived }: Node): object | undefined {
  if (address === derived.usdc.mint)
    return { program: 'spl-token', parsed: { type: 'mint' }, space: data.length };
  const holding = readHolding(data);
  if (holding === undefined) return undefined;
  const { mint, owner, units } = holding;
  const tokenAmount = uiAmount(units, derived.usdc.decimals);
  const info = { isNative: false, mint, owner, state: 'initialized', tokenAmount };
  return { program: 'spl-token', parsed: { type: 'account', info }, space: data.length };
}

function uiAmount(units: bigint, decimals: number): object {
  const text = decimal(units, decimals);
  return { amount: units.toString(), decimals, uiAmount: Number(text), uiAmountString: text };
}

/** A node remembers statuses for this many slots without searching its history. */
const recentSlots = 150;

const statusesAtMost = 256;
const signaturesAtMost = 1000;

function statusesOf(signatures: unknown, config: Config, node: Node): unknown[] {
  if (!Array.isArray(signatures) || signatures.length > statusesAtMost)
    throw invalidParams(`up to ${statusesAtMost} signatures`);
  return signatures.map((value) => {
    const stored = node.ledger.transaction(signatureIn(value));
    const stage = stored === undefined ? undefined : stageOf(stored, node);
    if (stored === undefined || stage === undefined || node.readings.node_history === 'unavailable')
      return null;
    const age = node.slot - stored.slot;
    if (age > recentSlots && config.searchTransactionHistory !== true) return null;
    return {
      slot: stored.slot,
      confirmations: stage === 'finalized' ? null : age,
      err: null,
      status: { Ok: null },
      confirmationStatus: stage,
    };
  });
}

/** Newest first. Empty if `node_history` is unavailable: a real node with broken storage did that. */
function signaturesFor([value, options]: unknown[], node: Node): object[] {
  const address = addressIn(value);
  const config = configOf(options);
  const commitment = commitmentOf(config);
  const limit = countIn(config.limit ?? signaturesAtMost, 'limit', signaturesAtMost);
  const earlierThan = config.before === undefined ? undefined : signatureIn(config.before);
  const before = earlierThan === undefined ? undefined : node.ledger.transaction(earlierThan)?.slot;
  if (node.readings.node_history === 'unavailable') return [];
  const upTo = slotAt(commitment, node);
  return node.ledger
    .transactionsOf(address, before ?? Number.MAX_SAFE_INTEGER, upTo, limit)
    .filter((stored) => isSeen(stored, commitment, node))
    .map((stored) => ({
      signature: stored.signature,
      slot: stored.slot,
      err: null,
      memo: listedMemo(stored),
      blockTime: stored.blockTimeS,
      confirmationStatus: stageOf(stored, node),
    }));
}

/** A node writes the length of the memo before it. */
function listedMemo({ made }: StoredTransaction): string | null {
  const memo = made.instructions.find(({ program }) => program === memoProgram);
  if (memo === undefined) return null;
  const bytes = base58.decode(memo.data);
  return `[${bytes.length}] ${Buffer.from(bytes).toString('utf8')}`;
}

function isSeen(stored: StoredTransaction, commitment: Stage, node: Node): boolean {
  const stage = stageOf(stored, node);
  return stage !== undefined && isAtLeast(stage, commitment);
}

function transactionOf([value, options]: unknown[], node: Node): object | null {
  const signature = signatureIn(value);
  const config = configOf(options);
  const commitment = commitmentOf(config);
  if (node.readings.node_history === 'unavailable')
    throw new RpcError(-32019, 'Failed to query long-term storage; please try again');
  const stored = node.ledger.transaction(signature);
  if (stored === undefined || !isSeen(stored, commitment, node)) return null;
  const { slot, blockTimeS: blockTime, fee, made } = stored;
  const toShow = node.readings.token_replies === 'token-2022-fee' ? withTokenFee(made) : made;
  if (config.encoding !== 'jsonParsed') throw invalidParams('encoding must be jsonParsed');
  return {
    slot,
    blockTime,
    version: 'legacy',
    meta: {
      err: null,
      status: { Ok: null },
      fee,
      preBalances: toShow.preBalances.map(BigInt),
      postBalances: toShow.postBalances.map(BigInt),
      preTokenBalances: toShow.preTokenBalances.map((balance) => shownBalance(balance, toShow)),
      postTokenBalances: toShow.postTokenBalances.map((balance) => shownBalance(balance, toShow)),
      // Not stored: the balances show what a payment moved.
      innerInstructions: [],
    },
    transaction: { signatures: [signature], message: shownMessage(toShow) },
  };
}

/** The memo is parsed. All other instructions are shown like those of unknown programs. */
function shownMessage({ accounts, writable, blockhash, instructions }: Made): object {
  return {
    accountKeys: accounts.map((pubkey, index) => ({
      pubkey,
      signer: index === 0,
      writable: index < writable,
      source: 'transaction',
    })),
    recentBlockhash: blockhash,
    instructions: instructions.map(({ program: programId, accounts: used, data }) =>
      programId === memoProgram
        ? { program: 'spl-memo', programId, parsed: Buffer.from(base58.decode(data)).toString('utf8') }
        : { programId, accounts: used, data },
    ),
  };
}

/** Takes the token program from the transaction, because a changed transaction may name Token-2022. */
function shownBalance({ accountIndex, mint, owner, amount, decimals }: TokenBalance, made: Made): object {
  const programId = made.accounts.includes(token2022Program) ? token2022Program : tokenProgram;
  return { accountIndex, mint, owner, programId, uiTokenAmount: uiAmount(BigInt(amount), decimals) };
}

/** Changes a payment as if a Token-2022 mint had kept 1 %, rounded up: the recipient gains less than was sent. */
function withTokenFee(made: Made): Made {
  const renamed = (address: string): string => (address === tokenProgram ? token2022Program : address);
  const postTokenBalances = made.postTokenBalances.map((after) => {
    const before = made.preTokenBalances.find(({ accountIndex }) => accountIndex === after.accountIndex);
    const gained = BigInt(after.amount) - BigInt(before?.amount ?? '0');
    return gained <= 0n
      ? after
      : { ...after, amount: (BigInt(after.amount) - (gained + 99n) / 100n).toString() };
  });
  const instructions = made.instructions.map((each) => ({
    ...each,
    program: renamed(each.program),
    accounts: each.accounts.map(renamed),
  }));
  return { ...made, accounts: made.accounts.map(renamed), instructions, postTokenBalances };
}
