import type { AccountSource, Chain, Execution } from './chain.ts';
import type { Ledger } from './ledger.ts';
import { type Balance, balancesOf, fillFeePurse, makeAccount, maxU64, unitsIn } from './money.ts';
import type { Done } from './once.ts';
import { type Rejection, rejection } from './reply.ts';
import type { RequestContext, Service } from './service.ts';
import { currentSlot, keepSlot } from './slots.ts';
import { tokenAccountOf } from './solana/address.ts';
import {
  createTokenAccount,
  type Instruction,
  memo,
  transferSol,
  transferToken,
} from './solana/instructions.ts';
import { lookupTable } from './solana/lookupTable.ts';
import { decimal } from './solana/token.ts';
import { readTransfer, type TransferPayload } from './transferPayload.ts';

/** Executes a transfer and stores what it left; inside the request's transaction. */
export function makeTransfer(
  payload: TransferPayload,
  chain: Chain,
  { nowMs, readings }: RequestContext,
  { ledger, derived }: Service,
): Done | Rejection {
  if (payload.units > maxU64) return rejection(402, 'insufficient_balance', 'No wallet holds that much.');
  const { wallet, feePayer } = derived;
  const clock = { ledger, readings, nowMs };
  // One transaction, one slot; a reset does not turn slots back.
  const slot = currentSlot(clock) + 1;
  const table = derived.lookupTable(slot);
  const isPaidFor = readings.fee_payer === 'service';
  if (isPaidFor) fillFeePurse(ledger, derived);
  const execution = chain.execute(
    {
      signers: isPaidFor ? [feePayer, wallet] : [wallet],
      instructions: [payload, ...alsoPaid(readings, ledger)].flatMap((each) =>
        instructionsOf(each, wallet.address),
      ),
      blockhash: derived.blockhash(slot),
      form: readings.transaction_version,
      table,
    },
    sourceOf(ledger),
  );
  if (execution.kind !== 'executed')
    return rejectionOf(execution, payload, balancesOf(ledger, wallet.address));
  const { accounts, signatures, wire, meta } = execution;
  const [signature = ''] = signatures;
  const previous = ledger.transactions.latestSignature();
  keepSlot(slot, clock);
  for (const account of accounts) ledger.accounts.put(account);
  const { writable, readonly } = meta.loaded;
  const looked = [...writable, ...readonly];
  if (looked.length > 0) makeAccount(ledger, lookupTable(table, looked, slot));
  const blockTimeS = Math.floor(nowMs / 1000);
  const touched = accounts.map(({ address }) => address);
  ledger.transactions.put({ signature, slot, blockTimeS, wire, meta }, touched);
  const id = derived.id('tr', ledger.effects.nextSeq());
  const said = { own: signature, previous: previous ?? signature, cosigner: signatures.at(-1) ?? signature };
  const fields = {
    transfer_id: id,
    status: readings.transfer_status,
    signature: said[readings.reply_signature],
  };
  return { kind: 'done', id, signature, fields };
}

function alsoPaid({ also_pays }: RequestContext['readings'], ledger: Ledger): TransferPayload[] {
  return also_pays === null ? [] : [readTransfer(also_pays, (name) => ledger.accounts.asset(name))];
}

/** The transfer is the last, and the memo stands before it: @solana/pay's validateTransfer asks for that. */
function instructionsOf({ to, asset, units, memo: text }: TransferPayload, wallet: string): Instruction[] {
  const note = text === undefined || text === '' ? [] : [memo(text)];
  if (!('mint' in asset)) return [...note, transferSol(wallet, to, units)];
  const { mint, decimals } = asset;
  const from = { owner: wallet, account: tokenAccountOf(wallet, mint) };
  const holder = { owner: to, account: tokenAccountOf(to, mint) };
  return [
    createTokenAccount(wallet, holder, mint),
    ...note,
    transferToken(from, holder, { mint, units, decimals }),
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
  balances: Balance[],
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
    return rejection(402, 'insufficient_balance', shortOf(payload, balances));
  }
  return rejection(400, 'invalid_transfer', `Solana rejects this transfer: ${verdict}.`);
}

/** What the wallet has, beside what it would need. */
function shortOf({ asset, units }: TransferPayload, balances: Balance[]): string {
  const held = (symbol: string): string => balances.find((each) => each.asset === symbol)?.amount ?? '0';
  const wanted = decimal(units, asset.decimals);
  const has = `The wallet holds ${held(asset.symbol)} ${asset.symbol}`;
  if (asset.symbol === 'SOL') return `${has}, too little for ${wanted} SOL and the fee.`;
  if ((unitsIn(held(asset.symbol), asset.decimals) ?? 0n) < units) return `${has}, too little for ${wanted}.`;
  return `The wallet holds ${held('SOL')} SOL, too little for the fee and for the recipient’s new account.`;
}
