import { base58 } from '@scure/base';

// The token program's account layouts: 82 bytes a mint, 165 a holder.

export function mintData(authority: string, supply: bigint, decimals: number): Uint8Array {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(base58.decode(authority), 4);
  data.writeBigUInt64LE(supply, 36);
  data.writeUInt8(decimals, 44);
  data.writeUInt8(1, 45);
  return data;
}

export function holderData(mint: string, owner: string, units: bigint): Uint8Array {
  const data = Buffer.alloc(165);
  data.set(base58.decode(mint), 0);
  data.set(base58.decode(owner), 32);
  data.writeBigUInt64LE(units, 64);
  data.writeUInt8(1, 108);
  return data;
}

type Holding = { mint: string; owner: string; units: bigint };

/** What a token account holds; undefined where the bytes are not a token account's. */
export function readHolding(data: Uint8Array): Holding | undefined {
  if (data.length !== 165) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return {
    mint: base58.encode(bytes.subarray(0, 32)),
    owner: base58.encode(bytes.subarray(32, 64)),
    units: bytes.readBigUInt64LE(64),
  };
}

type Mint = { authority: string; supply: bigint; decimals: number };

/** What a mint says of itself; undefined where the bytes are not a mint's. */
export function readMint(data: Uint8Array): Mint | undefined {
  if (data.length !== 82) return undefined;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const authority = base58.encode(bytes.subarray(4, 36));
  return { authority, supply: bytes.readBigUInt64LE(36), decimals: bytes.readUInt8(44) };
}

export function withUnits(data: Uint8Array, offset: 36 | 64, units: bigint): Uint8Array {
  const copy = Buffer.from(data);
  copy.writeBigUInt64LE(units, offset);
  return copy;
}

export function readSupply(mint: Uint8Array): bigint {
  return Buffer.from(mint).readBigUInt64LE(36);
}

/** Digits with a point, never through a float. */
export function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
