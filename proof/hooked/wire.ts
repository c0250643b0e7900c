import { subscribe } from 'node:diagnostics_channel';
import { acknowledged } from './postgres.ts';
import { durability, isWritten } from './sqlite.ts';
import { step } from './steps.ts';

const moments = [
  'undici:client:beforeConnect',
  'undici:client:connected',
  'undici:client:sendHeaders',
  'undici:request:bodySent',
  'undici:request:headers',
  'undici:request:trailers',
] as const;

/** At each stage of a request; and as it leaves, a word on how durable its record is. */
export function stepAlongTheWire(): void {
  for (const moment of moments) {
    subscribe(moment, (told) => {
      const leaves = moment === 'undici:client:sendHeaders';
      const kept = leaves ? ` (${isWritten() ? durability() : acknowledged(keyIn(told))})` : '';
      step(`${moment}${kept}`);
    });
  }
}

function keyIn(told: unknown): string {
  const { body } = (told as { request: { body: Uint8Array } }).request;
  return (JSON.parse(Buffer.from(body).toString()) as { idempotency_key: string }).idempotency_key;
}
