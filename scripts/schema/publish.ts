import * as z from 'zod';
import { batchFields, type Output, outputs, rowCounts } from './outputs.ts';
import { head, outcomeFields, utc } from './parts.ts';

type JsonSchema = Record<string, unknown> & { $defs?: Record<string, JsonSchema> };

/** Where a schema is published, which is its name. */
export function schemaId(name: string): string {
  return `https://raw.githubusercontent.com/botctl/botctl/main/docs/${name}.schema.json`;
}

/** The JSON Schema of everything that `--json` prints. It is open: within a version, fields may be added. */
export function publishedSchema(): JsonSchema {
  const union = z.union(outputs.map(({ schema }) => schema) as [Output['schema'], ...Output['schema'][]]);
  const made = z.toJSONSchema(union, {
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The pattern adds nothing to the format, and fills a page.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaId('botctl-1'),
    title: 'botctl/1: what botctl prints with --json',
    ...made,
  } as JsonSchema;
}

/** One line of the page: fields that have the same type, and no words of their own, share one. */
type Line = {
  readonly names: readonly string[];
  readonly type: string;
  readonly about: string;
  readonly within: readonly Line[];
};

/** Fields that several objects have, described once. */
const shared: readonly { readonly name: string; readonly of: string; readonly keys: readonly string[] }[] = [
  { name: 'OutcomeFields', of: 'Outcome', keys: Object.keys(outcomeFields) },
  { name: 'BatchFields', of: 'BatchEnd', keys: Object.keys(batchFields).filter((key) => !(key in head)) },
  { name: 'RowCounts', of: 'RowCounts', keys: Object.keys(rowCounts.shape) },
];

/** docs/json.md: the same for people. */
export function publishedPage(): string {
  const { $defs = {} } = publishedSchema();
  const told = outputs.filter(({ commands }) => !commands.some(isSetUp));
  const printed = told.map(({ name, commands, about }) => {
    const by = commands.includes('*') ? 'Any command' : commands.map((one) => `\`${one}\``).join(', ');
    return `### ${name}\n\n${by}: ${about}\n\n${fieldList($defs[name])}`;
  });
  const groups = shared.map(({ name, of, keys }) => `### ${name}\n\n${fieldList(only($defs[of], keys))}`);
  const names = outputs.map(({ name }) => name);
  const parts = Object.keys($defs)
    .filter((name) => !names.includes(name) && !shared.some((group) => group.name === name))
    .map((name) => `### ${name}\n\n${fieldList($defs[name])}`);
  const whole = [...printed, ...groups, ...parts].join('');
  const linked = parts.filter((part) => whole.includes(`[${/^### (\w+)/u.exec(part)?.[1]}]`));
  return [
    `${intro}\n## What is printed\n\n${printed.join('\n')}`,
    `## What it is made of\n\n${[...groups, ...linked].join('\n')}`,
  ].join('\n');
}

function isSetUp(command: string): boolean {
  return /^(?:config|journal|policy|doctor|sandbox|help|complet|version)/u.test(command);
}

const intro = `# What botctl prints with --json

<!-- Made by \`npm run docs\` from scripts/schema. Do not edit. -->

With \`--json\` a command prints one object on stdout; lists and batches print one object a line; errors are objects
too. Everything else goes to stderr. Within a version fields may be added, but no field is renamed, removed or given another
meaning: read what you know, and ignore the rest. What the service says (\`message\`, \`transfer\`, \`reply\`) is passed on
unchanged. Control, bidi and zero-width characters are \`\\u\`-escaped, so the text reads back the same.

Every object has \`schema\`, which is \`botctl/1\`, and \`command\`, such as \`send\` or \`config add\`. They are not
listed below. A field with \`?\` is absent if it has no value; one without a type is a string; a time is UTC, ISO 8601.
[botctl-1.schema.json](botctl-1.schema.json) says the same as a JSON Schema (draft 2020-12). It also describes the output of the
commands for set-up and upkeep (\`config\`, \`journal\`, \`policy\`, \`doctor\`, \`sandbox\`), which is not listed here.
`;

function only(schema: JsonSchema | undefined, keys: readonly string[]): JsonSchema {
  const properties = Object.entries(schema?.properties ?? {}).filter(([key]) => keys.includes(key));
  return { ...schema, properties: Object.fromEntries(properties) };
}

function without(schema: JsonSchema, keys: readonly string[]): JsonSchema {
  const rest = Object.keys(schema.properties ?? {}).filter((key) => !keys.includes(key));
  return only(schema, rest);
}

function fieldList(schema: JsonSchema = {}): string {
  return [...drawn(linesOf(schema), ''), ''].join('\n');
}

function drawn(lines: readonly Line[], indent: string): string[] {
  return joined(lines).flatMap(({ names, type, about, within }) => {
    const shown = names.map((name) => (name.startsWith('all of') ? name : `\`${name}\``)).join(', ');
    const own = `${indent}- ${shown}${type === '' ? '' : ` (${type})`}${about === '' ? '' : `: ${about}`}`;
    return [own, ...drawn(within, `${indent}  `)];
  });
}

function isBare({ about, within }: Line): boolean {
  return about === '' && within.length === 0;
}

function joined(lines: readonly Line[]): Line[] {
  const made: Line[] = [];
  for (const line of lines) {
    const last = made.at(-1);
    if (last !== undefined && isBare(last) && isBare(line) && last.type === line.type)
      made.splice(-1, 1, { ...last, names: [...last.names, ...line.names] });
    else made.push(line);
  }
  return made;
}

function linesOf(schema: JsonSchema): Line[] {
  const own = Object.keys(schema.properties ?? {});
  const taken = shared.filter(
    ({ keys }) => keys.every((key) => own.includes(key)) && keys.length < own.length,
  );
  const rest = without(schema, [...Object.keys(head), ...taken.flatMap(({ keys }) => keys)]);
  const groups = taken.map(({ name }) => `all of ${linkTo(name)}`);
  return [...groups.map((name) => ({ names: [name], type: '', about: '', within: [] })), ...fieldsOf(rest)];
}

function fieldsOf(schema: JsonSchema): Line[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema.required ?? []) as string[];
  return Object.entries(properties).map(([key, field]) => {
    const inner = field.properties ? field : ((field.items as JsonSchema | undefined) ?? {});
    const within = linesOf(inner);
    const type = within.length === 0 ? typeOf(field) : field.type === 'array' ? 'array' : '';
    return {
      names: [`${key}${required.includes(key) ? '' : '?'}`],
      type: type === 'string' ? '' : type,
      about: wordsOf(field),
      within,
    };
  });
}

function wordsOf({ format, description = '' }: JsonSchema): string {
  return format === 'date-time' && description === utc ? '' : String(description);
}

function typeOf(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return linkTo(schema.$ref);
  if (Array.isArray(schema.allOf)) return typeOf(schema.allOf[0] as JsonSchema);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (Array.isArray(schema.enum)) {
    const words = schema.enum as string[];
    if (words.length > mostWords) return `${words.length} words, listed in the schema`;
    return words.map((word) => `\`${word}\``).join(', ');
  }
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as JsonSchema)}`;
  return schema.format === 'date-time' ? 'time' : String(schema.type ?? 'anything');
}

const mostWords = 12;

function linkTo(reference: string): string {
  const name = reference.replace(/^.*\//u, '');
  return `[${name}](#${name.toLowerCase()})`;
}
