import { wrapWords } from '../wrap.ts';

/** Paragraphs set anew; lines that begin with a blank are kept as they are, where all of them fit. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let paragraph = '';
  let table: string[] = [];
  const end = (): void => {
    lines.push(...wrapWords(paragraph, width), ...setTable(table, width));
    [paragraph, table] = ['', []];
  };
  for (const line of text.split('\n')) {
    const isOfTable = line.startsWith(' ');
    if (line === '' || isOfTable !== table.length > 0) end();
    if (line === '') lines.push(line);
    else if (isOfTable) table.push(line);
    else paragraph += ` ${line}`;
  }
  end();
  return lines;
}

/** Where its columns do not fit, what stood in the second one stands beneath. */
function setTable(table: readonly string[], width: number): string[] {
  const column = secondColumn(table);
  if (column === undefined || table.every((line) => line.length <= width)) return [...table];
  return table.flatMap((line) => {
    const term = line.slice(0, column).trimEnd();
    const beneath = wrapWords(line.slice(column), width - 6).map((text) => `      ${text}`);
    return term === '' ? beneath : [term, ...beneath];
  });
}

/** Where in all lines something begins after two blanks. */
function secondColumn(table: readonly string[]): number | undefined {
  const [first = ''] = table;
  const begins = (line: string, at: number): boolean => /^ {2}\S/u.test(line.slice(at - 2));
  const places = Array.from(first, (_, at) => at).slice(3);
  return places.find((at) => table.every((line) => begins(line, at)));
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
