import type { Component, Warning } from './buttons.ts';
import { canonicalBody } from './canonical.ts';

export type Kind = 'message' | 'transfer';

export type MessageRequest = {
  readonly conversation_id: string;
  readonly content: string;
  readonly components?: readonly Component[];
  readonly reply_to_message_id?: string;
};

export type TransferRequest = {
  readonly to_address: string;
  readonly asset: string;
  readonly amount: string;
  readonly memo?: string;
};

/** One thing to be done once, checked and in its one spelling. */
export type Wanted =
  | { readonly kind: 'message'; readonly request: MessageRequest; readonly warnings: readonly Warning[] }
  | { readonly kind: 'transfer'; readonly request: TransferRequest; readonly warnings: readonly Warning[] };

export function canonicalOf(wanted: Wanted): string {
  return canonicalBody(wanted.request);
}

/** Who gets how much of what: two transfers that agree here may be one payment spelled twice. */
export function paymentOf(wanted: Wanted): string | undefined {
  if (wanted.kind === 'message') return undefined;
  const { to_address, asset, amount } = wanted.request;
  // Whether the service tells `usdc` from `USDC` it does not say; that two tokens differ by this alone is rarer.
  return JSON.stringify([to_address, asset.toLowerCase(), amount]);
}
