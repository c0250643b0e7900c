import { andMore } from './batchInput.ts';
import { fewOf } from './short.ts';
import { Told } from './told.ts';

/** Anything that a header may say, but for what would not be seen, or would end the place. */
export function isColumn(name: string): boolean {
  return /^[^\p{C}\p{Z}{}]+(?: [^\p{C}\p{Z}{}]+)*$/u.test(name);
}

export const templateRule = 'what --template makes of the row';
export const isGivenToo = 'is given by the row too';

export type Place = { readonly line: number; readonly place: number };

export function withoutValue(column: string, source: string, { line, place }: Place): string {
  return `has no value for {{${column}}} (${source}, line ${line}, column ${place}) in this row`;
}

export function badTemplate(source: string, what: string): Told {
  return new Told('bad-file', `The template ${source} ${what}`, {
    hint: 'A template is text with places like {{first_name}}, each named as a column of the file.',
  });
}

/** `columns` are those of the file, quoted. */
export function noSuchColumn(
  source: string,
  { column, line, place }: Place & { readonly column: string },
  columns: readonly string[],
  file: string,
): Told {
  return new Told(
    'bad-file',
    `The template ${source}, line ${line}, column ${place}, has a place {{${column}}}, and ${file} has no such column`,
    {
      hint: `${file} has the columns ${fewOf(columns, ', ', andMore)}. Name one of them there, or add the column to the file.`,
    },
  );
}

export function templateFromStdin(): Told {
  return new Told('usage', '--template cannot be read from stdin', {
    hint: 'Give it as a file.',
  });
}
