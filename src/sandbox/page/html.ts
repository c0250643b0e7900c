import { escapeHtml } from '../reply.ts';

/** Text that is safe in a page as it stands. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Piece[];

/** A template whose pieces are escaped, unless they are such templates themselves. */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(parts.map((part, place) => part + textOf(pieces[place] ?? '')).join(''));
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  return typeof piece === 'object' ? piece.map(textOf).join('') : escapeHtml(String(piece));
}
