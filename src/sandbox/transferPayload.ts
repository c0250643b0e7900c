import {
  FieldError,
  type Fields,
  filledString,
  optionalKey,
  optionalString,
  requiredString,
} from './payload.ts';
import { addressBytes } from './solana/address.ts';
import type { Asset } from './store/accounts.ts';

export type TransferPayload = {
  to: string;
  asset: { symbol: 'SOL'; decimals: number } | ({ symbol: string } & Asset);
  units: bigint;
  memo: string | undefined;
  key: string | undefined;
};

const sol = { symbol: 'SOL', decimals: 9 } as const;

export function readTransfer(
  fields: Fields,
  assetNamed: (name: string) => Asset | undefined,
): TransferPayload {
  const to = requiredString(fields, 'to_address');
  if (addressBytes(to) === undefined) throw new FieldError('to_address', 'must be 32 bytes in base58');
  const name = filledString(fields, 'asset');
  const asset = name === 'SOL' ? sol : assetNamed(name);
  if (asset === undefined)
    throw new FieldError(
      'asset',
      `must be "SOL" or name a token; ${JSON.stringify(name.slice(0, 64))} names none`,
    );
  const units = readAmount(requiredString(fields, 'amount'), asset.decimals);
  return { to, asset, units, memo: optionalString(fields, 'memo'), key: optionalKey(fields) };
}

function readAmount(text: string, decimals: number): bigint {
  const match = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/.exec(text);
  if (match === null) throw new FieldError('amount', 'must be a decimal amount, such as "1.5"');
  const fraction = match[2] ?? '';
  if (fraction.length > decimals) throw new FieldError('amount', `must have at most ${decimals} decimals`);
  const units = BigInt(`${match[1]}${fraction.padEnd(decimals, '0')}`);
  if (units === 0n) throw new FieldError('amount', 'must be more than zero');
  return units;
}
