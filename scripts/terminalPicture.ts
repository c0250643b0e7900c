import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { IBufferCell } from '@xterm/headless';
import { root } from '../test/support/root.ts';

/** What stands together in a row of a screen: parted from the next by two blanks, or by its look. */
type Piece = { readonly column: number; readonly text: string; readonly look: string };

export type Row = readonly Piece[];

// A module of CommonJS, installed with the tests' own packages.
const { Terminal } = createRequire(join(root, 'test/package.json'))(
  '@xterm/headless',
) as typeof import('@xterm/headless');

/** The rows that a terminal shows of this text, to the last that is not empty. */
export async function readScreen(text: string, columns: number): Promise<Row[]> {
  const terminal = new Terminal({ cols: columns, rows: 100, allowProposedApi: true });
  await new Promise<void>((done) => terminal.write(text, done));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, at): Row => {
    const line = active.getLine(at);
    const cells = Array.from({ length: columns }, (_, column) => line?.getCell(column));
    return piecesOf(cells.filter((cell) => cell !== undefined));
  });
  terminal.dispose();
  return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
}

function piecesOf(cells: readonly IBufferCell[]): Piece[] {
  const text = cells.map((cell) => cell.getChars() || ' ').join('');
  const looks = cells.map(lookOf);
  const starts = [...looks.keys()].filter((at) => looks[at] !== looks[at - 1]);
  return starts.flatMap((start, nth) =>
    [...text.slice(start, starts[nth + 1]).matchAll(/\S+(?: \S+)*/gu)].map((found) => {
      return { column: start + found.index, text: found[0], look: looks[start] ?? '' };
    }),
  );
}

/** The classes of a cell's look, as the style below has them. */
function lookOf(cell: IBufferCell): string {
  const names = [
    cell.isBold() && 'bold',
    cell.isDim() && 'dim',
    cell.isFgPalette() && hues[cell.getFgColor()],
  ];
  return names.filter(Boolean).join(' ');
}

/** Of the terminal's sixteen, those that botctl uses here. */
const hues: Readonly<Record<number, string>> = { 2: 'green', 6: 'cyan' };

/** Each on a light page and on a dark one: at least 4.5 to 1 against its ground. */
const colours = {
  rect: ['#f6f8fa', '#151b23'],
  text: ['#1f2328', '#f0f6fc'],
  '.dim': ['#59636e', '#9198a1'],
  '.green': ['#116329', '#3fb950'],
  '.cyan': ['#1b6c72', '#39c5cf'],
} as const;

const painted = (scheme: 0 | 1): string =>
  Object.entries(colours)
    .map(([what, pair]) => `${what}{fill:${pair[scheme]}}`)
    .join('');

const fonts = `ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace`;
const [cell, line, edge] = [8.4, 18, { across: 18, down: 15 }];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Pixels, without the noise of binary fractions. */
const px = (pixels: number): string => String(Math.round(pixels * 10) / 10);

/**
 * One SVG on a ground of its own, which follows the colour scheme of the page around it. Each piece has its place and
 * its length, so that columns stand below each other in any font.
 */
export function drawn(title: string, columns: number, rows: readonly Row[]): string {
  const [width, height] = [columns * cell + 2 * edge.across, rows.length * line + 2 * edge.down].map(px);
  const texts = rows.flatMap((row, nth) =>
    row.map(({ column, text, look }) => {
      const place = `x="${px(edge.across + column * cell)}" y="${px(edge.down + nth * line + 13)}"`;
      const named = look === '' ? '' : ` class="${look}"`;
      return `<text ${place} textLength="${px(text.length * cell)}"${named}>${escaped(text)}</text>`;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>text{font:14px ${fonts}}.bold{font-weight:bold}${painted(0)}@media(prefers-color-scheme:dark){${painted(1)}}</style>
<rect width="100%" height="100%" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

/** The words of such a picture, piece by piece. */
export function wordsIn(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/gu)].map(([, text = '']) => text);
}
