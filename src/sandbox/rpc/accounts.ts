import { base58 } from '@scure/base';
import type { Ledger } from '../ledger.ts';
import { lookupTableProgram, tokenProgram } from '../solana/address.ts';
import { readLookupTable } from '../solana/lookupTable.ts';
import { decimal, readHolding, readMint } from '../solana/token.ts';
import type { Account } from '../store/accounts.ts';
import { addressIn, configOf, countIn } from './config.ts';
import { invalidParams, RpcError } from './rpcError.ts';

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

/** A notification cannot be refused: an account too long for base58 says so in place of its data. */
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

/** What the accounts of known programs say, in words; undefined for any other. */
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
