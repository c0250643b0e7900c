import { wrapWords } from '../wrap.ts';

/** Paragraphs set anew; lines that begin with a blank are kept as they are. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let paragraph = '';
  const end = (): void => {
    lines.push(...wrapWords(paragraph, width));
    paragraph = '';
  };
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith(' ')) {
      end();
      lines.push(line);
    } else paragraph += ` ${line}`;
  }
  end();
  return lines;
}

/** The words of a shell line, quotes and what they hold together. */
function shellWords(line: string): string[] {
  return line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu) ?? [];
}

/** A shell line folded with backslashes before options and pipes, so that it can still be pasted whole. */
export function foldCommand(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  for (const piece of pieces(line)) {
    const taken = lines.length === 0 ? 0 : 4;
    if (current !== '' && current.length + 3 + piece.length + taken > width) {
      lines.push(`${current} \\`);
      current = piece;
    } else current = current === '' ? piece : `${current} ${piece}`;
  }
  return [...lines, current].map((text, index) => (index === 0 ? text : `    ${text}`));
}

/** An option stays with its value, a pipe with its command. */
function pieces(line: string): string[] {
  const found: string[] = [];
  for (const word of shellWords(line)) {
    if (found.length === 0 || word.startsWith('-') || word === '|') found.push(word);
    else found[found.length - 1] += ` ${word}`;
  }
  return found;
}
