import type { Unseen } from '../intent/invisible.ts';

/** What of a name nobody can see, and which of its characters it is. */
export function unseenWords({ is, codePoint, position }: Unseen): string {
  return `${unseen[is](`U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`)} (character ${position})`;
}

const unseen: Readonly<Record<Unseen['is'], (codePoint: string) => string>> = {
  hidden: (codePoint) => `has ${codePoint}, which is invisible`,
  'other-blank': (codePoint) => `has ${codePoint}, a blank that is not the plain space`,
  lost: (codePoint) => `has ${codePoint}, which stands for a character that was lost`,
  'blank-at-end': () => 'starts or ends with a blank',
  decomposed: (codePoint) => `is not in Unicode’s composed form (NFC): ${codePoint}`,
};
