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

/** A text whose lines stay as they are. */
export function verbatim(text: string): string[] {
  return ['.nf', roff(text.trimEnd()), '.fi'];
}
