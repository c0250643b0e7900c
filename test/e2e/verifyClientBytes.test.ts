// The bytes that clients as they come make, run by Solana's own programs: what rules read is what is really sent.

import { base58 } from '@scure/base';
import {
  AccountLayout,
  createAssociatedTokenAccountIdempotentInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  type AccountMeta,
  AddressLookupTableAccount,
  Keypair,
  MessageV0,
  NONCE_ACCOUNT_LENGTH,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findPayment, type Payment } from '../../src/once/chain/payment.ts';
import { parseExact, readTransaction } from '../../src/once/chain/transaction.ts';
import { loadNativeVm } from '../../src/sandbox/chain.ts';
import { decimal, holderData, mintData } from '../../src/sandbox/solana.ts';
import { lookupTable } from '../../src/sandbox/store/database.ts';
import { nodeBeside } from '../../testing/nodeBeside.ts';
import { type Exited, SandboxHome } from '../../testing/sandboxHome.ts';

const native = loadNativeVm();
const sol = 1_000_000_000n;
const decimals = 6;
const blockhash = base58.encode(new Uint8Array(32).fill(9));

const keypair = (n: number): Keypair => Keypair.fromSeed(new Uint8Array(32).fill(n));
const [payer, ada, mint, table, nonce] = [keypair(1), keypair(2), keypair(3), keypair(4), keypair(5)];
const from = getAssociatedTokenAddressSync(mint.publicKey, payer.publicKey);
const to = getAssociatedTokenAddressSync(mint.publicKey, ada.publicKey);

type Vm = InstanceType<typeof native.LiteSvm>;

/** The wallet has SOL, and a hundred of the token. */
function newVm(): Vm {
  const vm = new native.LiteSvm();
  vm.setBlockhashCheck(false);
  vm.warpToSlot(10n);
  const put = (key: PublicKey, lamports: bigint, data: Uint8Array, owner: PublicKey): void =>
    vm.setAccount(key.toBytes(), new native.Account(lamports, data, owner.toBytes(), false, 0n));
  put(payer.publicKey, 50n * sol, new Uint8Array(0), SystemProgram.programId);
  put(mint.publicKey, sol, mintData(payer.publicKey.toBase58(), 100_000_000n, decimals), TOKEN_PROGRAM_ID);
  put(
    from,
    sol,
    holderData(mint.publicKey.toBase58(), payer.publicKey.toBase58(), 100_000_000n),
    TOKEN_PROGRAM_ID,
  );
  const looked = lookupTable(
    table.publicKey.toBase58(),
    [to, mint.publicKey, from, ada.publicKey].map(String),
    1,
  );
  put(table.publicKey, sol, looked.data, new PublicKey(looked.owner));
  return vm;
}

const kept = new AddressLookupTableAccount({
  key: table.publicKey,
  state: {
    ...{ deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 1, lastExtendedSlotStartIndex: 0 },
    addresses: [to, mint.publicKey, from, ada.publicKey],
  },
});

type Form = 'legacy' | 'v0' | 'v0, with a lookup table';
const forms: readonly Form[] = ['legacy', 'v0', 'v0, with a lookup table'];

/** Runs it, and writes what `getTransaction` says of it as a node does. */
function run(instructions: TransactionInstruction[], form: Form, vm = newVm(), signers = [payer]): string {
  const plan = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions,
  });
  const message =
    form === 'legacy' ? plan.compileToLegacyMessage() : plan.compileToV0Message(form === 'v0' ? [] : [kept]);
  const transaction = new VersionedTransaction(message);
  transaction.sign(signers);
  const loaded =
    message instanceof MessageV0
      ? message.resolveAddressTableLookups([kept])
      : { writable: [], readonly: [] };
  const keys = [...message.staticAccountKeys, ...loaded.writable, ...loaded.readonly];
  const lamports = (): bigint[] => keys.map((key) => vm.getAccount(key.toBytes())?.lamports() ?? 0n);
  const tokens = (): object[] =>
    keys.flatMap((key, accountIndex) => {
      const account = vm.getAccount(key.toBytes());
      if (account === null || !TOKEN_PROGRAM_ID.equals(new PublicKey(account.owner()))) return [];
      if (account.data().length !== AccountLayout.span) return [];
      const { mint: of, owner, amount } = AccountLayout.decode(Buffer.from(account.data()));
      const uiTokenAmount = { amount: String(amount), decimals, uiAmountString: decimal(amount, decimals) };
      return [{ accountIndex, mint: of.toBase58(), owner: owner.toBase58(), uiTokenAmount }];
    });
  const [preBalances, preTokenBalances] = [lamports(), tokens()];
  const ran = vm.sendVersionedTransaction(transaction.serialize());
  if ('err' in ran) throw new Error(ran.toString());
  const called = ran.innerInstructions().flatMap((inner, index) => {
    const all = inner.map((one) => one.instruction());
    return all.length === 0 ? [] : [{ index, instructions: all.map(shown) }];
  });
  const sum = (balances: readonly bigint[]): bigint => balances.reduce((total, each) => total + each, 0n);
  const postBalances = lamports();
  const told = {
    ...{ slot: 100, blockTime: Math.floor(Date.now() / 1000), version: message.version },
    meta: {
      ...{
        err: null,
        fee: sum(preBalances) - sum(postBalances),
        preBalances,
        postBalances,
        preTokenBalances,
      },
      ...{ postTokenBalances: tokens(), innerInstructions: called },
      loadedAddresses: { writable: loaded.writable.map(String), readonly: loaded.readonly.map(String) },
    },
    transaction: {
      signatures: transaction.signatures.map((each) => base58.encode(each)),
      message: {
        accountKeys: message.staticAccountKeys.map(String),
        instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
          ...{ programIdIndex, accounts: accountKeyIndexes, data: base58.encode(Uint8Array.from(data)) },
        })),
      },
    },
  };
  return JSON.stringify(told, (_name, value) => (typeof value === 'bigint' ? Number(value) : value));
}

type Inner = { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
const shown = (one: Inner): object => ({
  ...{ programIdIndex: one.programIdIndex(), accounts: [...one.accounts()], data: base58.encode(one.data()) },
});

/** Where it is paid, or why not; with a memo where it is there. */
function found(text: string, change: Partial<Payment>): string {
  const payment: Payment = {
    ...{ to: ada.publicKey.toBase58(), asset: 'SOL', amount: '2', memo: 'rent for May ☂' },
    ...{ wallet: payer.publicKey.toBase58(), ...change },
  };
  const { matches, doubt, miss, hasMemo, gained } = findPayment(payment, readTransaction(parseExact(text)));
  const where = matches.map(({ path }) => path).join(' ') || (doubt ?? miss);
  return `${where}${hasMemo ? ', with its memo' : ''}, gained ${gained}`;
}

const memo = new TransactionInstruction({
  programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
  keys: [{ pubkey: payer.publicKey, isSigner: true, isWritable: false } satisfies AccountMeta],
  data: Buffer.from('rent for May ☂'),
});
const usdc = { asset: { mint: mint.publicKey.toBase58() }, amount: '2.5' };
const create = createAssociatedTokenAccountIdempotentInstruction(
  payer.publicKey,
  to,
  ada.publicKey,
  mint.publicKey,
);

const payChecked = createTransferCheckedInstruction(
  ...([from, mint.publicKey, to, payer.publicKey, 2_500_000n, decimals] as const),
);

const genesis = keypair(6).publicKey.toBase58();

/** A node that has this transaction, finalized. */
function nodeWith(text: string): Promise<string> {
  const results: Record<string, string> = {
    getGenesisHash: JSON.stringify(genesis),
    getSignatureStatuses: '{"value":[{"slot":100,"err":null,"confirmationStatus":"finalized"}]}',
    getTransaction: text,
  };
  return nodeBeside(async (request, reply) => {
    const { id, method } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    reply.end(`{"jsonrpc":"2.0","id":${id},"result":${results[method] ?? 'null'}}`);
  });
}

/** The program pays by a service that made this transaction, and verifies. */
async function verified(text: string): Promise<Exited & { chain?: unknown }> {
  const operator = await SandboxHome.open();
  onTestFinished(() => operator.close());
  const profile = {
    'rpc-url': [{ kind: 'stored', secret: await nodeWith(text) }],
    ...{ cluster: genesis, wallet: payer.publicKey.toBase58(), assets: { USDC: mint.publicKey.toBase58() } },
  };
  operator.useProfiles({ payer: profile }, 'payer');
  const [signature] = JSON.parse(text).transaction.signatures;
  await operator.sandbox.script({ status: 200, body: { transfer_id: 't', status: 'confirmed', signature } });
  const asked = ['--asset', 'USDC', '--amount', '2.5', '--memo', 'rent for May ☂'];
  const paid = await operator.json(['transfer', '--to', ada.publicKey.toBase58(), ...asked]);
  expect(paid).toMatchObject({ exit: 0, outcome: 'accepted' });
  return operator.json(['verify', paid.intent?.id ?? '']);
}

describe.each(forms)('what spl-token’s own client makes, %s', (form) => {
  test('createTransferChecked with a memo into a new account is found', () => {
    const text = run([create, memo, payChecked], form);
    expect(found(text, usdc)).toBe('2, with its memo, gained 2500000');
    expect(found(text, { ...usdc, amount: '2.500001' })).toContain('other-amount');
    expect(found(text, { ...usdc, wallet: table.publicKey.toBase58() })).toContain('other-source');
    expect(found(text, { ...usdc, memo: 'rent' })).toBe('2, gained 2500000');
    expect(found(text, { ...usdc, asset: { mint: table.publicKey.toBase58() } })).toContain('other-asset');
  });

  test('is proven by verify', async () => {
    expect(await verified(run([create, memo, payChecked], form))).toMatchObject({
      exit: 0,
      chain: { verdict: 'proven', instruction: '2', memo: true, reasons: [], paid: { units: '2500000' } },
    });
  });

  test('createTransfer is found, too', () => {
    const pay = createTransferInstruction(from, to, payer.publicKey, 2_500_000n);
    expect(found(run([create, pay], form), usdc)).toBe('1, gained 2500000');
  });
});

const lamports = 2_000_000_000;
const recipient = ada.publicKey;

/** As web3.js writes them; each into an account that is the recipient. */
describe('what the system program’s own client makes', () => {
  test.each(forms)('transfer, %s', (form) => {
    const pay = SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: recipient, lamports });
    expect(found(run([memo, pay], form), {})).toBe('1, with its memo, gained 2000000000');
  });

  test('createAccount', () => {
    const more = { lamports, space: 0, programId: SystemProgram.programId };
    const pay = SystemProgram.createAccount({
      ...{ fromPubkey: payer.publicKey, newAccountPubkey: recipient, ...more },
    });
    expect(found(run([pay], 'v0', newVm(), [payer, ada]), {})).toBe('0, gained 2000000000');
  });

  test('createAccountWithSeed', async () => {
    const seed = 'a seed';
    const made = await PublicKey.createWithSeed(payer.publicKey, seed, SystemProgram.programId);
    const pay = SystemProgram.createAccountWithSeed({
      ...{ fromPubkey: payer.publicKey, basePubkey: payer.publicKey, newAccountPubkey: made },
      ...{ seed, lamports, space: 0, programId: SystemProgram.programId },
    });
    expect(found(run([pay], 'v0'), { to: made.toBase58() })).toBe('0, gained 2000000000');
  });

  test('transfer with a seed', async () => {
    const seed = 'a seed';
    const source = await PublicKey.createWithSeed(payer.publicKey, seed, SystemProgram.programId);
    const vm = newVm();
    const owner = SystemProgram.programId.toBytes();
    vm.setAccount(source.toBytes(), new native.Account(9n * sol, new Uint8Array(0), owner, false, 0n));
    const pay = SystemProgram.transfer({
      ...{ fromPubkey: source, basePubkey: payer.publicKey, toPubkey: recipient },
      ...{ lamports, seed, programId: SystemProgram.programId },
    });
    const text = run([pay], 'v0', vm);
    expect(found(text, { wallet: source.toBase58() })).toBe('0, gained 2000000000');
    expect(found(text, {})).toBe('other-source, gained 2000000000');
  });

  test('nonceWithdraw', () => {
    const vm = newVm();
    const make = SystemProgram.createNonceAccount({
      ...{ fromPubkey: payer.publicKey, noncePubkey: nonce.publicKey, authorizedPubkey: payer.publicKey },
      lamports: 9 * lamports,
    }).instructions;
    expect(make[0]?.data.readBigUInt64LE(12)).toBe(BigInt(NONCE_ACCOUNT_LENGTH));
    run(make, 'v0', vm, [payer, nonce]);
    const pay = SystemProgram.nonceWithdraw({
      ...{ noncePubkey: nonce.publicKey, authorizedPubkey: payer.publicKey, toPubkey: recipient, lamports },
    });
    expect(found(run([pay], 'v0', vm), { wallet: nonce.publicKey.toBase58() })).toBe('0, gained 2000000000');
  });
});
