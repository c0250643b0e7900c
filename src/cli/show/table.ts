import { isPlain } from './text.ts';

/** How many cells a text takes on a terminal. */
export type WidthOf = (text: string) => number;

const lengthOf: WidthOf = (text) => text.length;

/** Measures these texts and parts of them. The library is loaded only if others wrote them, and beyond ASCII. */
export async function widthsFor(texts: readonly (string | undefined)[]): Promise<WidthOf> {
  if (texts.every((text = '') => isPlain(text))) return lengthOf;
  const { default: stringWidth } = await import('string-width');
  return stringWidth;
}

const cut = '…';

/** Cuts to a width in terminal cells. Wide characters count as two. */
export function cutTo(text: string, width: number, widthOf: WidthOf = lengthOf): string {
  if (widthOf(text) <= width) return text;
  const room = Math.max(0, width - cut.length);
  if (isPlain(text)) return `${text.slice(0, room)}${cut}`;
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (widthOf(kept + segment) > room) break;
    kept += segment;
  }
  return `${kept}${cut}`;
}

export function pad(text: string, width: number, widthOf: WidthOf = lengthOf): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Wraps to a width in terminal cells. A longer word is split. */
export function wrapTo(text: string, width: number, widthOf: WidthOf): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => broken(one, width, widthOf))) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function broken(word: string, width: number, widthOf: WidthOf): string[] {
  if (widthOf(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    if (part !== '' && widthOf(part + segment) > width) {
      parts.push(part);
      part = '';
    }
    part += segment;
  }
  return [...parts, part];
}
