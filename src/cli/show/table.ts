import { isPlain } from './text.ts';

/** How many cells a text takes on a terminal. */
export type WidthOf = (text: string) => number;

const lengthOf: WidthOf = (text) => text.length;

/** Measures these texts and parts of them. The library is loaded only for texts that are not plain. */
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
