import * as z from 'zod';
import { type Output, outputs } from './outputs.ts';

type JsonSchema = Record<string, unknown> & { $defs?: Record<string, JsonSchema> };

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
    title: 'botctl/1: what botctl prints with --json',
    ...made,
  } as JsonSchema;
}

type Field = { readonly name: string; readonly type: string; readonly about: string };

/** docs/json.md: the same for people. */
export function publishedPage(): string {
  const { $defs = {} } = publishedSchema();
  const printed = outputs.map(({ name, commands, about }) => {
    const by = commands.includes('*') ? 'any command' : commands.map((one) => `\`${one}\``).join(', ');
    return `### ${name}\n\n${about}\nPrinted by ${by}.\n\n${fieldTable($defs[name], $defs)}`;
  });
  const names = outputs.map(({ name }) => name);
  const parts = Object.keys($defs)
    .filter((name) => !names.includes(name))
    .map((name) => `### ${name}\n\n${fieldTable($defs[name], $defs)}`);
  return `${intro}\n## What is printed\n\n${printed.join('\n')}\n## What it is made of\n\n${parts.join('\n')}`;
}

const intro = `# What botctl prints with --json

<!-- Made by \`npm run docs\` from scripts/schema. Do not edit. -->

With \`--json\` a command prints one object on stdout, lists and batches one object a line, errors too; everything
else goes to stderr. Every object says \`"schema": "botctl/1"\`. Within that version fields may be added and none is
renamed, removed or given another meaning; read what you know and ignore the rest. Fields without a value are
absent. What the service says (\`message\`, \`transfer\`, \`reply\`) is passed on as it came. Control, bidi and
zero-width characters are \`\\u\`-escaped, so that the text reads back the same.

[botctl-1.schema.json](botctl-1.schema.json) says the same as a JSON Schema (draft 2020-12).
`;

function fieldTable(schema: JsonSchema | undefined, defs: Record<string, JsonSchema>): string {
  const rows = fieldsOf(schema, defs, '').map(
    ({ name, type, about }) => `| \`${name}\` | ${type} | ${about} |`,
  );
  return ['| field | type | what it is |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function fieldsOf(schema: JsonSchema | undefined, defs: Record<string, JsonSchema>, before: string): Field[] {
  const properties = (schema?.properties ?? {}) as Record<string, JsonSchema>;
  const required = (schema?.required ?? []) as string[];
  return Object.entries(properties).flatMap(([key, field]) => {
    const name = `${before}${key}${required.includes(key) ? '' : '?'}`;
    const own: Field = { name, type: typeOf(field), about: String(field.description ?? '') };
    const inner = field.properties ? field : ((field.items as JsonSchema | undefined) ?? {});
    return [own, ...(inner.properties ? fieldsOf(inner, defs, `${before}${key}.`) : [])];
  });
}

function typeOf(schema: JsonSchema): string {
  if (typeof schema.$ref === 'string') return linkTo(schema.$ref);
  if (Array.isArray(schema.allOf)) return typeOf(schema.allOf[0] as JsonSchema);
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (Array.isArray(schema.enum)) {
    const words = schema.enum as string[];
    return words.map((word) => `\`${word}\``).join(' ');
  }
  if (schema.type === 'array') return `array of ${typeOf((schema.items ?? {}) as JsonSchema)}`;
  return schema.format === 'date-time' ? 'time' : String(schema.type ?? 'anything');
}

function linkTo(reference: string): string {
  const name = reference.replace(/^.*\//u, '');
  return `[${name}](#${name.toLowerCase()})`;
}
