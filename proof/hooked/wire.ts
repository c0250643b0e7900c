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
    subscribe(moment, () => {
      const kept =
        moment === 'undici:client:sendHeaders' ? ` (${isWritten() ? durability() : acknowledged()})` : '';
      step(`${moment}${kept}`);
    });
  }
}
