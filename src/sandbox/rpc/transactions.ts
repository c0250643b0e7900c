import { base58 } from '@scure/base';
import { memoProgram } from '../solana/address.ts';
import { decodeTransaction } from '../solana/message.ts';
import type { StoredTransaction } from '../store/transactions.ts';
import { addressIn, configOf, countIn, listIn, reachedSlot, settledCommitmentOf, text } from './config.ts';
import { isAtLeast, type Node, type Stage, stageOf } from './node.ts';
import { RpcError } from './rpcError.ts';
import { shownTransaction } from './shownTransaction.ts';

/** How long a node keeps statuses at hand without looking into its history, and a blockhash is good. */
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

/** Newest first. A node whose storage is down has been seen to say that there are none. */
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
