/** What nobody can see of a text, and which of its characters it is, counted from 1. */
export type Unseen = {
  readonly is: 'hidden' | 'other-blank' | 'lost' | 'blank-at-end' | 'decomposed';
  readonly codePoint: number;
  readonly position: number;
};

// Nearly every name: the tables of Unicode are dear at start-up.
const plain = /^[!-~](?:[ -~]*[!-~])?$/u;
const hidden = /^[\p{Cc}\p{Cf}\p{DI}\p{Cs}\u2800]$/u;
const otherBlank = /^(?! )[\p{Zs}\p{Zl}\p{Zp}]$/u;

/**
 * What of a name, a key or a row's id nobody can see. Two that differ in this alone look
 * like one and would be two; so it is refused, never mended: which of the two was meant, only its author knows.
 */
export function invisibleIn(text: string): Unseen | undefined {
  if (plain.test(text)) return undefined;
  const characters = [...text];
  for (const [index, character] of characters.entries()) {
    const is = unseenAs(character, index === 0 || index === characters.length - 1);
    if (is !== undefined) return { is, codePoint: codePoint(character), position: index + 1 };
  }
  return decomposedIn(characters);
}

function unseenAs(character: string, isAtEnd: boolean): Unseen['is'] | undefined {
  if (hidden.test(character)) return 'hidden';
  if (otherBlank.test(character)) return 'other-blank';
  if (character === '\ufffd') return 'lost';
  return isAtEnd && character === ' ' ? 'blank-at-end' : undefined;
}

/** Unicode spells some characters in two ways; only the composed one (NFC) is a name's. */
function decomposedIn(characters: readonly string[]): Unseen | undefined {
  if (characters.join('') === characters.join('').normalize('NFC')) return undefined;
  let soFar = '';
  for (const [index, character] of characters.entries()) {
    soFar += character;
    if (soFar === soFar.normalize('NFC')) continue;
    return { is: 'decomposed', codePoint: codePoint(character), position: index + 1 };
  }
  return undefined;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
