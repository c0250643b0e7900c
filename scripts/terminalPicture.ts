import stringWidth from 'string-width';

type Theme = {
  readonly back: string;
  readonly fore: string;
  readonly dim: string;
  readonly colours: Readonly<Record<number, string>>;
  readonly backs: Readonly<Record<number, string>>;
};

export const themes: Readonly<Record<'light' | 'dark', Theme>> = {
  light: {
    back: '#ffffff',
    fore: '#1f2328',
    dim: '#6e7781',
    colours: {
      0: '#1f2328',
      1: '#cf222e',
      2: '#116329',
      3: '#7d4e00',
      4: '#0969da',
      5: '#8250df',
      6: '#1b7c83',
      7: '#ffffff',
    },
    backs: { 1: '#cf222e', 2: '#4ac26b' },
  },
  dark: {
    back: '#0d1117',
    fore: '#e6edf3',
    dim: '#8b949e',
    colours: {
      0: '#0d1117',
      1: '#ff7b72',
      2: '#3fb950',
      3: '#d29922',
      4: '#58a6ff',
      5: '#bc8cff',
      6: '#39c5cf',
      7: '#ffffff',
    },
    backs: { 1: '#cf222e', 2: '#4ac26b' },
  },
};

type Look = { fore?: number; back?: number; bold?: boolean; dim?: boolean; inverse?: boolean };
type Piece = { text: string; look: Look };

const cell = { width: 8, height: 18, font: 13 };
const margin = 16;

function changed(look: Look, code: number): Look {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 7) return { ...look, inverse: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 27) return { ...look, inverse: false };
  const { fore: _fore, ...withoutFore } = look;
  const { back: _back, ...withoutBack } = look;
  if (code === 39) return withoutFore;
  if (code === 49) return withoutBack;
  if (code >= 30 && code <= 37) return { ...look, fore: code - 30 };
  return code >= 40 && code <= 47 ? { ...look, back: code - 40 } : look;
}

/** The pieces of one line of terminal output, each with one style, folded as a terminal would. */
function piecesOf(line: string, columns: number): Piece[][] {
  const lines: Piece[][] = [[]];
  let look: Look = {};
  let taken = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is read here.
  for (const part of line.split(/(\u001b\[[\d;]*m)/u)) {
    if (part.startsWith('\u001b[')) {
      for (const code of part.slice(2, -1).split(';')) look = changed(look, Number(code));
      continue;
    }
    for (const { segment } of new Intl.Segmenter().segment(part)) {
      if (taken + stringWidth(segment) > columns) {
        lines.push([]);
        taken = 0;
      }
      const row = lines.at(-1) ?? [];
      const last = row.at(-1);
      if (last?.look === look) last.text += segment;
      else row.push({ text: segment, look });
      taken += stringWidth(segment);
    }
  }
  return lines;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function drawPiece({ text, look }: Piece, column: number, row: number, theme: Theme): string {
  const width = stringWidth(text) * cell.width;
  const x = margin + column * cell.width;
  const y = margin + row * cell.height;
  const own =
    look.fore === undefined ? (look.dim ? theme.dim : theme.fore) : (theme.colours[look.fore] ?? theme.fore);
  const behind = look.back === undefined ? undefined : theme.backs[look.back];
  const [fore, back] = look.inverse ? [theme.back, theme.fore] : [own, behind];
  const rect =
    back === undefined
      ? ''
      : `<rect x="${x}" y="${y}" width="${width}" height="${cell.height}" fill="${back}"/>`;
  if (text.trim() === '') return rect;
  const weight = look.bold ? ' font-weight="bold"' : '';
  return `${rect}<text x="${x}" y="${y + 13}" fill="${fore}" textLength="${width}" lengthAdjust="spacingAndGlyphs"${weight}>${escaped(text)}</text>`;
}

/** Terminal output as an SVG. */
export function terminalPicture(output: string, columns: number, theme: Theme): string {
  const rows = output
    .replace(/\n$/u, '')
    .split('\n')
    .flatMap((line) => piecesOf(line, columns));
  const width = columns * cell.width + 2 * margin;
  const height = rows.length * cell.height + 2 * margin;
  const body = rows.map((pieces, row) => {
    let column = 0;
    return pieces
      .map((piece) => {
        const drawn = drawPiece(piece, column, row, theme);
        column += stringWidth(piece.text);
        return drawn;
      })
      .join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>botctl in a terminal</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="${theme.back}" stroke="${theme.dim}" stroke-opacity="0.4"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${cell.font}" xml:space="preserve">`,
    ...body.filter((line) => line !== ''),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}
