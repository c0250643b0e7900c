/** A header or a row, and the line on which it begins. It has no cells if its quotes do not match. */
type CsvRecord = {
  readonly line: number;
  readonly cells: readonly string[] | undefined;
};

const newlines = /\r\n|\n|\r/gu;

/**
 * The records of a file, without blank ones. A cell in quotes may contain anything; a quote in it is doubled. If quotes
 * do not match, reading continues with the next line, to report what is wrong below as well.
 */
export function* csvRecords(text: string, delimiter: string): Generator<CsvRecord, undefined> {
  const cell = new RegExp(
    `(?:"([^"]*(?:""[^"]*)*)"|([^"\r\n${delimiter}]*))(${delimiter}|\r\n|\n|\r|$)`,
    'uy',
  );
  let [line, beginsAt, cells] = [1, 1, [] as string[]];
  while (cell.lastIndex < text.length || cells.length > 0) {
    const at = cell.lastIndex;
    const [whole, quoted, plain = '', end] = cell.exec(text) ?? [];
    if (whole === undefined) {
      newlines.lastIndex = at;
      cell.lastIndex = newlines.test(text) ? newlines.lastIndex : text.length;
      line += 1;
      yield { line: beginsAt, cells: undefined };
    } else {
      cells.push(quoted?.replaceAll('""', '"') ?? plain);
      if (quoted !== undefined || end !== delimiter) line += whole.match(newlines)?.length ?? 0;
      if (end === delimiter) continue;
      if (cells.some((one) => one.trim() !== '')) yield { line: beginsAt, cells };
    }
    [beginsAt, cells] = [line, []];
  }
}

const delimiters = [',', ';', '\t'] as const;

/** The delimiter that gives the most known columns, or else the most columns. Many countries do not use the comma. */
export function delimiterOf(text: string, isKnown: (title: string) => boolean): string {
  const known = (delimiter: string): number => {
    const { cells = [] } = csvRecords(text.trimStart(), delimiter).next().value ?? {};
    return cells.filter(isKnown).length + cells.length / 1e6;
  };
  return delimiters.reduce<string>((best, one) => (known(one) > known(best) ? one : best), ',');
}
