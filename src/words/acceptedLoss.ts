import { declined } from './asking.ts';
import { counted } from './list.ts';
import { nothingChanged } from './nothing.ts';
import { Told } from './told.ts';

export function nothingLost(path: string): string {
  return `The journal ${path} holds all that it ever held. ${nothingChanged}`;
}

export function nobodyAccepts(lost: string): Told {
  return new Told('usage', `${lost}. There is no terminal to ask on`, {
    hint: 'Check the wallet and the conversations for what was done last. Then run:',
    next: [['journal', 'accept-loss', '--yes']],
  });
}

export function wouldBeSentAgain(lost: string): string {
  return `${lost}. What is missing may have been sent; after this, the same command would send it again.`;
}

export const askToAccept = 'Accept the loss?';

export function notAccepted(): Told {
  return declined();
}

export function lossAccepted(path: string): string {
  return `The loss is on record in ${path}, and the journal can be used again.`;
}

/** `what` is plural. */
export function lostNumbers(what: string, count: number, first: number, last: number): string {
  return `${counted(count, what.slice(0, -1))} (${count === 1 ? first : `${first} to ${last}`})`;
}

export function logKept(path: string): string {
  return `The log as it was is kept: ${path}`;
}
