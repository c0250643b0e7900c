import type { AccountSource, Chain, Execution } from './chain.ts';
import type { Ledger } from './ledger.ts';
import type { Done } from './once.ts';
import { type Rejection, rejection } from './reply.ts';
import type { RequestContext, Service } from './service.ts';
import { tokenAccountOf } from './solana/address.ts';
import {
  createTokenAccount,
  type Instruction,
  memo,
  transferSol,
  transferToken,
} from './solana/instructions.ts';
import type { TransferPayload } from './transferPayload.ts';

const maxU64 = 2n ** 64n - 1n;

/** Executes a transfer and stores what it left; inside the request's transaction. */
export function makeTransfer(
  payload: TransferPayload,
  chain: Chain,
  { nowMs, readings }: RequestContext,
  { ledger, derived }: Service,
): Done | Rejection {
  if (payload.units > maxU64) return rejection(402, 'insufficient_balance', 'No wallet holds that much.');
  const slot = currentSlot(ledger) + 1;
  const execution = chain.execute(
    {
      payer: derived.wallet,
      instructions: instructionsOf(payload, derived.wallet.address),
      blockhash: derived.blockhash(slot),
    },
    sourceOf(ledger),
  );
  if (execution.kind !== 'executed') return rejectionOf(execution, payload);
  const { accounts, signature, wire, meta } = execution;
  ledger.facts.put('slot', String(slot));
  for (const account of accounts) ledger.accounts.put(account);
  ledger.transactions.put({ signature, slot, blockTimeS: Math.floor(nowMs / 1000), wire, meta });
  const id = derived.id('tr', ledger.effects.nextSeq());
  const fields = { transfer_id: id, status: readings.transfer_status, signature };
  return { kind: 'done', id, signature, fields };
}

/** One transfer, one slot; a reset does not turn slots back. */
export function currentSlot(ledger: Ledger): number {
  return Number(ledger.facts.get('slot') ?? '0');
}

function instructionsOf({ to, asset, units, memo: text }: TransferPayload, wallet: string): Instruction[] {
  const note = text === undefined || text === '' ? [] : [memo(text)];
  if (!('mint' in asset)) return [transferSol(wallet, to, units), ...note];
  const { mint, decimals } = asset;
  const from = { owner: wallet, account: tokenAccountOf(wallet, mint) };
  const holder = { owner: to, account: tokenAccountOf(to, mint) };
  return [
    createTokenAccount(wallet, holder, mint),
    transferToken(from, holder, { mint, units, decimals }),
    ...note,
  ];
}

function sourceOf(ledger: Ledger): AccountSource {
  return {
    get: (address) => ledger.accounts.get(address),
    decimalsOf: (mint) => ledger.accounts.asset(mint)?.decimals ?? 0,
  };
}

/** The VM's own verdict, in the words of the document's table. */
function rejectionOf(
  execution: Exclude<Execution, { kind: 'executed' }>,
  payload: TransferPayload,
): Rejection {
  const invalid = (field: string, rule: string): Rejection => ({
    ...rejection(400, 'invalid_transfer', `${field} ${rule}`),
    field,
  });
  if (execution.kind === 'program')
    return invalid('to_address', 'is a program or a system variable, not a wallet.');
  if (execution.kind === 'too-large')
    return invalid('memo', 'makes the transaction larger than Solana allows.');
  const { verdict } = execution;
  if (verdict === 'InsufficientFundsForRent { account_index: 1 }' && payload.asset.symbol === 'SOL') {
    return invalid('amount', 'is less than a new account must hold to exist (0.00089088 SOL).');
  }
  if (/^(InsufficientFundsFor|AccountNotFound|InstructionError\(\d+, Custom\(1\)\))/.test(verdict)) {
    return rejection(
      402,
      'insufficient_balance',
      `The wallet cannot pay this transfer and its costs: ${verdict}.`,
    );
  }
  return rejection(400, 'invalid_transfer', `Solana rejects this transfer: ${verdict}.`);
}
