import { wrapWords } from '../src/cli/show/text.ts';

/** Text for man(7): nothing in it acts as a request, and its hyphens can be searched and pasted. */
export function roff(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(['.])/gmu, '\\&$1');
}

export function quoted(text: string): string {
  return `"${roff(text).replaceAll('"', '\\(dq')}"`;
}

/** Breaks long lines of text; requests and verbatim lines stay as they are. */
export function filled(lines: readonly string[]): string[] {
  let verbatimNow = false;
  return lines.flatMap((line) => {
    if (line === '.nf' || line === '.fi') verbatimNow = line === '.nf';
    if (verbatimNow || line.startsWith('.')) return [line];
    return wrapWords(line, 60).map((part) => part.replace(/^(['.])/u, '\\&$1'));
  });
}

/** Lines shown verbatim. */
export function verbatim(lines: readonly string[]): string[] {
  return ['.nf', ...lines.map(roff), '.fi'];
}

export function tagged(rows: readonly { readonly term: string; readonly about: string }[]): string[] {
  return rows.flatMap(({ term, about }) => ['.TP', `.B ${roff(term)}`, roff(about)]);
}

/** Paragraphs; lines that start with a blank stay as they are. */
export function paragraphs(text: string): string[] {
  const out: string[] = [];
  let kept: string[] = [];
  const flush = (): void => {
    if (kept.length > 0) out.push(...verbatim(kept));
    kept = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith(' ')) kept.push(line);
    else {
      flush();
      out.push(line === '' ? '.PP' : roff(line));
    }
  }
  flush();
  return out;
}
