import { formatAmount, minorUnits } from '../intent/amount.ts';
import {
  type ChainTransaction,
  type Movement,
  type Reason,
  type TokenBalance,
  type TokenMovement,
  tokenPrograms,
} from './transaction.ts';

/** The payment that was asked for, in terms of the chain. */
export type Payment = {
  readonly to: string;
  readonly asset: 'SOL' | { readonly mint: string };
  /** A decimal number, as in the request. */
  readonly amount: string;
  readonly memo: string | undefined;
  /** The wallet that must pay, if it is known. */
  readonly wallet: string | undefined;
};

/** One instruction that makes the payment. */
export type Match = {
  readonly path: string;
  readonly units: bigint;
  readonly decimals: number;
  readonly received: bigint;
};

/** What a transaction shows about a payment. */
export type Findings = {
  /** All instructions that make the payment and agree with the balances, in the order in which they ran. */
  readonly matches: readonly Match[];
  /** If nothing matches: why this does not show that it was not paid. */
  readonly doubt: Reason | undefined;
  /** If there is no doubt either: what the transaction did instead. */
  readonly miss: Reason;
  readonly hasMemo: boolean;
  /** How much the recipient's balance rose. */
  readonly gained: bigint;
  /** The instructions that paid the recipient this asset. Other intents may have claimed some of them. */
  readonly credits: readonly Credit[];
};

type Credit = Pick<Match, 'path' | 'received'>;

const wrappedSol = 'So11111111111111111111111111111111111111112';
const solDecimals = 9;

/** Whether the transaction makes the payment. */
export function findPayment(payment: Payment, transaction: ChainTransaction): Findings {
  const { movements } = transaction;
  const { asset } = payment;
  const found =
    asset === 'SOL'
      ? inLamports(payment, transaction, movements)
      : inTokens({ ...payment, mint: asset.mint }, transaction, movements);
  return { ...found, hasMemo: payment.memo === undefined || hasMemo(payment.memo, transaction) };
}

type FoundPayment = Omit<Findings, 'hasMemo'>;

/** An amount in the asset's smallest units; undefined if it has more decimal places than the asset. */
function unitsOf(amount: string, decimals: number): bigint | undefined {
  const { units, decimals: own } = minorUnits(amount);
  return own > decimals ? undefined : units * 10n ** BigInt(decimals - own);
}

function sum(units: readonly bigint[]): bigint {
  return units.reduce((total, each) => total + each, 0n);
}

/** The sum of what the movements add to an account and take from it. */
function netOf(account: string, movements: readonly Movement[]): bigint {
  const moved = (side: 'from' | 'to'): bigint =>
    sum(movements.filter((each) => each[side] === account).map(({ units }) => units));
  return moved('to') - moved('from');
}

/** Whether some of these parts add up to the amount. If there are too many sums to try, the answer is yes. */
function addsUp(parts: readonly bigint[], amount: bigint | undefined): boolean {
  if (amount === undefined) return false;
  const sums = new Set([0n]);
  for (const part of parts) {
    for (const each of [...sums]) if (each + part <= amount) sums.add(each + part);
    if (sums.size > mostSums) return true;
  }
  return sums.has(amount);
}

const mostSums = 4096;

function inLamports(payment: Payment, transaction: ChainTransaction, all: readonly Movement[]): FoundPayment {
  const { to, amount, wallet } = payment;
  const movements = all.filter(({ of }) => of === 'lamports');
  const units = unitsOf(amount, solDecimals);
  const toRecipient = movements.filter((one) => one.to === to);
  const paying = toRecipient.filter((one) => one.units === units);
  const fromWallet = paying.filter(({ from }) => wallet === undefined || from === wallet);
  const gained = lamportsGained(to, transaction);
  const agrees = gained === netOf(to, movements);
  return {
    matches: agrees
      ? fromWallet.map(({ path, units: paid }) => ({
          path,
          units: paid,
          decimals: solDecimals,
          received: paid,
        }))
      : [],
    doubt: agrees ? doubtOfSource(paying, toRecipient, units) : 'balance-differs',
    miss: missOfSol(payment, transaction, all),
    gained,
    credits: toRecipient.map(({ path, units: received }) => ({ path, received })),
  };
}

/** The first account pays the fee, which is not part of the payment. */
function lamportsGained(to: string, transaction: ChainTransaction): bigint {
  const { accounts, preLamports, postLamports, feeLamports } = transaction;
  const at = accounts.indexOf(to);
  return (postLamports[at] ?? 0n) - (preLamports[at] ?? 0n) + (at === 0 ? feeLamports : 0n);
}

/** Why nothing can be concluded if no instruction makes the payment from the wallet. */
function doubtOfSource(
  paying: readonly Movement[],
  toRecipient: readonly Movement[],
  units: bigint | undefined,
): Reason | undefined {
  if (paying.length > 0) return 'other-source';
  return addsUp(
    toRecipient.map((one) => one.units),
    units,
  )
    ? 'in-parts'
    : undefined;
}

function missOfSol(payment: Payment, transaction: ChainTransaction, all: readonly Movement[]): Reason {
  if (isWrapped(payment, transaction, all)) return 'wrapped-sol';
  const lamports = all.filter(({ of }) => of === 'lamports');
  if (lamports.some((one) => one.to === payment.to)) return 'other-amount';
  if (lamports.some(({ isTransfer }) => isTransfer)) return 'other-recipient';
  if (lamports.length < all.length) return 'other-asset';
  return lamports.length > 0 ? 'other-recipient' : 'no-transfer';
}

/** Whether SOL was asked for, but wrapped SOL was moved to the same recipient. */
function isWrapped({ to }: Payment, transaction: ChainTransaction, all: readonly Movement[]): boolean {
  return all.some((one) => {
    const holder = holderOf(one.to, transaction);
    return holder.is === 'known' && holder.mint === wrappedSol && (one.to === to || holder.owner === to);
  });
}

type Holder =
  | { readonly is: 'known'; readonly mint: string; readonly owner: string }
  | { readonly is: 'unclear' };

/** The owner and mint of a token account: after the transaction, or before it if the account was closed. */
function holderOf(account: string, { preTokens, postTokens }: ChainTransaction): Holder {
  const of = (balances: readonly TokenBalance[]) => balances.find((each) => each.account === account);
  const [before, after] = [of(preTokens), of(postTokens)];
  const { mint, owner } = after ?? before ?? {};
  const changedHands =
    before !== undefined &&
    after !== undefined &&
    (before.owner !== after.owner || before.mint !== after.mint);
  if (mint === undefined || owner === undefined || changedHands) return { is: 'unclear' };
  return { is: 'known', mint, owner };
}

type TokenPayment = Payment & { readonly mint: string };
type MovedToken = Movement & { readonly of: TokenMovement };

function inTokens(
  payment: TokenPayment,
  transaction: ChainTransaction,
  all: readonly Movement[],
): FoundPayment {
  const { to, mint, amount, wallet } = payment;
  const tokens = all.filter((one): one is MovedToken => one.of !== 'lamports');
  const balances = [...transaction.preTokens, ...transaction.postTokens].filter((each) => each.mint === mint);
  const decimals = balances[0]?.decimals ?? 0;
  const units = unitsOf(amount, decimals);
  const isOfMint = (one: MovedToken): boolean => mintOf(one, transaction) === mint;
  const isToRecipient = (one: MovedToken): boolean => {
    const holder = holderOf(one.to, transaction);
    return holder.is === 'known' && (holder.owner === to || one.to === to);
  };
  const ofMint = tokens.filter(isOfMint);
  const toRecipient = ofMint.filter(isToRecipient);
  const paying = toRecipient.filter((one) => one.units === units);
  const fromWallet = paying.filter(({ from }) => wallet === undefined || isOf(from, wallet, transaction));
  const doubt = doubtOf(payment, transaction, tokens, balances, decimals);
  const matches = fromWallet.flatMap((one): Match[] => {
    const received = receivedBy(one, transaction, tokens);
    return received === undefined ? [] : [{ path: one.path, units: one.units, decimals, received }];
  });
  return {
    matches: doubt === undefined || doubt === 'owner-unclear' || doubt === 'confidential' ? matches : [],
    doubt: doubt ?? (fromWallet.length > 0 ? 'balance-differs' : doubtOfSource(paying, toRecipient, units)),
    miss: missOfToken(toRecipient, ofMint, all),
    gained: sum(ownAccounts(payment, transaction, balances).map((own) => unitsChange(own, transaction))),
    credits: toRecipient.map((one) => ({
      path: one.path,
      received: receivedBy(one, transaction, tokens) ?? one.units,
    })),
  };
}

function missOfToken(
  toRecipient: readonly Movement[],
  ofMint: readonly Movement[],
  all: readonly Movement[],
): Reason {
  if (toRecipient.length > 0) return 'other-amount';
  if (ofMint.length > 0) return 'other-recipient';
  return all.some(({ isTransfer }) => isTransfer) ? 'other-asset' : 'no-transfer';
}

/** The recipient's accounts for the mint. */
function ownAccounts(
  { to }: Payment,
  transaction: ChainTransaction,
  balances: readonly TokenBalance[],
): string[] {
  const accounts = new Set(balances.map(({ account }) => account));
  return [...accounts].filter((account) => isOf(account, to, transaction));
}

function isOf(account: string, wallet: string, transaction: ChainTransaction): boolean {
  const holder = holderOf(account, transaction);
  return account === wallet || (holder.is === 'known' && holder.owner === wallet);
}

/** The mint, from the instruction and the balances of both accounts; undefined if they disagree. */
function mintOf({ from, to, of }: MovedToken, transaction: ChainTransaction): string | undefined {
  const said = [holderOf(from, transaction), holderOf(to, transaction)].map((holder) =>
    holder.is === 'known' ? holder.mint : undefined,
  );
  const mints = new Set([of.mint, ...said].filter((mint) => mint !== undefined));
  return mints.size === 1 ? [...mints][0] : undefined;
}

/** Why a transaction that does not seem to make the payment may still have made it. */
function doubtOf(
  payment: TokenPayment,
  transaction: ChainTransaction,
  tokens: readonly MovedToken[],
  balances: readonly TokenBalance[],
  decimals: number,
): Reason | undefined {
  const { mint, amount } = payment;
  if (balances.some((each) => each.decimals !== decimals)) return 'unreadable';
  const ofMint = tokens.filter((one) => mintOf(one, transaction) === mint);
  if (ofMint.some(({ of }) => of.decimals !== undefined && of.decimals !== decimals)) return 'unreadable';
  if (balances.some(({ units, shown }) => shown !== formatAmount({ units, decimals }))) return 'scaled-mint';
  const own = ownAccounts(payment, transaction, balances);
  if (own.some((account) => !tokensAgree(account, transaction, tokens))) return 'balance-differs';
  if (transaction.isConfidential) return 'confidential';
  const units = unitsOf(amount, decimals);
  const mayBeIt = tokens.some(
    (one) => holderOf(one.to, transaction).is === 'unclear' && (balances.length === 0 || one.units === units),
  );
  return mayBeIt ? 'owner-unclear' : undefined;
}

function unitsChange(account: string, { preTokens, postTokens }: ChainTransaction): bigint {
  const held = (balances: readonly TokenBalance[]): bigint =>
    balances.find((each) => each.account === account)?.units ?? 0n;
  return held(postTokens) - held(preTokens);
}

function tokensAgree(account: string, transaction: ChainTransaction, tokens: readonly MovedToken[]): boolean {
  if (unitsChange(account, transaction) === netOf(account, tokens)) return true;
  const touching = tokens.filter(({ from, to }) => from === account || to === account);
  const [only, another] = touching;
  return only !== undefined && another === undefined && withoutFee(only, transaction, tokens) !== undefined;
}

/** What the recipient received: all of it, or under Token-2022 what a fee left. Undefined if the balances disagree. */
function receivedBy(
  one: MovedToken,
  transaction: ChainTransaction,
  tokens: readonly MovedToken[],
): bigint | undefined {
  if (unitsChange(one.to, transaction) === netOf(one.to, tokens)) return one.units;
  return withoutFee(one, transaction, tokens);
}

function withoutFee(
  one: MovedToken,
  transaction: ChainTransaction,
  tokens: readonly MovedToken[],
): bigint | undefined {
  const { from, to, of, units } = one;
  if (of.program !== tokenPrograms.token2022 || from === to) return undefined;
  if (tokens.some((each) => each !== one && (each.to === to || each.from === to))) return undefined;
  const received = unitsChange(to, transaction);
  const isLost = unitsChange(from, transaction) === netOf(from, tokens);
  return isLost && received > 0n && received <= units ? received : undefined;
}

const memoPrograms: readonly string[] = [
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH',
];

function memosIn({ instructions }: ChainTransaction): Buffer[] {
  return instructions.flatMap(({ program, data }) =>
    memoPrograms.includes(program) ? [Buffer.from(data)] : [],
  );
}

function hasMemo(memo: string, transaction: ChainTransaction): boolean {
  return memosIn(transaction).some((bytes) => bytes.equals(Buffer.from(memo)));
}

/** What a transaction notes beside its payment; undefined if it notes nothing. */
export function memoOf(transaction: ChainTransaction): string | undefined {
  const memos = memosIn(transaction);
  return memos.length === 0 ? undefined : memos.map((bytes) => bytes.toString()).join('; ');
}
