/** Lines no longer than `width`, broken at blanks; what has none is left whole, so that it can be copied. */
export function foldAtBlanks(text: string, width: number): string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    if (line !== undefined && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === undefined ? word : `${line} ${word}`;
  }
  return [...lines, line ?? ''];
}

/** The words of one paragraph, however it was broken before. */
export function wrapWords(text: string, width: number): string[] {
  const words = text.split(/\s+/u).filter((one) => one !== '');
  return words.length === 0 ? [] : foldAtBlanks(words.join(' '), width);
}
