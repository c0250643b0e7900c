import { unseenAt, unseenProblems } from '../words/naming.ts';

// Nearly every name: the tables of Unicode are dear at start-up.
const plain = /^[!-~](?:[ -~]*[!-~])?$/u;
const hidden = /^[\p{Cc}\p{Cf}\p{DI}\p{Cs}\u2800]$/u;
const otherBlank = /^(?! )[\p{Zs}\p{Zl}\p{Zp}]$/u;

/**
 * What of a name, a key or a row's id nobody can see, as part of a sentence. Two that differ in this alone look
 * like one and would be two; so it is refused, never mended: which of the two was meant, only its author knows.
 */
export function invisibleIn(text: string): string | undefined {
  if (plain.test(text)) return undefined;
  const characters = [...text];
  for (const [index, character] of characters.entries()) {
    const problem = problemOf(character, index === 0 || index === characters.length - 1);
    if (problem !== undefined) return unseenAt(problem, index + 1);
  }
  return decomposedIn(characters);
}

function problemOf(character: string, isAtEnd: boolean): string | undefined {
  if (hidden.test(character)) return unseenProblems.hidden(codePoint(character));
  if (otherBlank.test(character)) return unseenProblems.otherBlank(codePoint(character));
  if (character === '\ufffd') return unseenProblems.lost(codePoint(character));
  return isAtEnd && character === ' ' ? unseenProblems.blankAtEnd() : undefined;
}

/** Unicode spells some characters in two ways; only the composed one (NFC) is a name's. */
function decomposedIn(characters: readonly string[]): string | undefined {
  if (characters.join('') === characters.join('').normalize('NFC')) return undefined;
  let soFar = '';
  for (const [index, character] of characters.entries()) {
    soFar += character;
    if (soFar === soFar.normalize('NFC')) continue;
    return unseenAt(unseenProblems.decomposed(codePoint(character)), index + 1);
  }
  return undefined;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
