import type { View } from './display.ts';

/**
 * What a command has done. The fields are a promise to scripts; the lines, which are botctl's own words, follow them. A name
 * from outside is quoted in them, or a poor locale would change it.
 */
export function result(
  command: string,
  fields: Readonly<Record<string, unknown>>,
  lines: readonly string[],
  quiet?: string,
): View {
  return {
    json: { schema: 'botctl/1', command, ...fields },
    human: () => lines.map((line) => `${line}\n`).join(''),
    ...(quiet !== undefined && { quiet }),
  };
}

type Present<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** Without what is not there: JSON leaves it out, a job summary would not. */
export function present<Fields extends Record<string, unknown>>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
