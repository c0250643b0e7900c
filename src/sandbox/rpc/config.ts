import { addressBytes } from '../solana/address.ts';
import { type Node, type Stage, slotAt, stages } from './node.ts';
import { invalidParams, RpcError } from './rpcError.ts';

/** The last parameter of most methods. */
type Config = Record<string, unknown>;

export function configOf(value: unknown): Config {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidParams('the configuration is no object');
  return value as Config;
}

/** The stage that is asked for: finalized, unless the call says another. */
export function commitmentOf({ commitment }: Config): Stage {
  if (commitment === undefined || commitment === null) return 'finalized';
  const stage = stages.find((name) => name === commitment);
  if (stage === undefined) throw invalidParams(`commitment must be one of ${stages.join(', ')}`);
  return stage;
}

/** A method that tells of blocks says nothing of what may still be dropped. */
export function settledCommitmentOf(config: Config): Stage {
  const commitment = commitmentOf(config);
  if (commitment === 'processed')
    throw new RpcError(-32602, 'Method does not support commitment below `confirmed`');
  return commitment;
}

/** A value, and the slot it is told as of. */
export function inContext(config: Config, node: Node, valueAt: (commitment: Stage) => unknown): object {
  const commitment = commitmentOf(config);
  const slot = reachedSlot(config, commitment, node);
  return { context: { slot, apiVersion: '3.0.0' }, value: valueAt(commitment) };
}

export function reachedSlot({ minContextSlot }: Config, commitment: Stage, node: Node): number {
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

/** A whole number from 0 to `most`, or what holds where none is given. */
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
