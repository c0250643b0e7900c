import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { root } from '../../test/support/root.ts';
import type { Seam, Variant } from './variants.ts';

type Declared = { readonly id: { readonly start: number; readonly name: string } };
type Statement = { readonly type: string; readonly start: number; readonly end: number };
type Exported = Statement & {
  readonly declaration: Statement & Partial<Declared & { declarations: Declared[] }>;
};

/** The module's code with another thing under the seam's name, for the module's own callers too. */
export function replaced(code: string, { module, name, by }: Seam): string {
  const { body } = parseAst(code, { lang: 'ts' }) as unknown as { readonly body: readonly Exported[] };
  const idOf = ({ declaration }: Exported) => declaration?.id ?? declaration?.declarations?.[0]?.id;
  const found = body.find((one) => one.type === 'ExportNamedDeclaration' && idOf(one)?.name === name);
  const id = found && idOf(found);
  if (found === undefined || id === undefined)
    throw new Error(`src/${module}.ts exports no ${name}, which a sabotage replaces`);
  const sound = `${name}__sound`;
  const declared = code.slice(found.declaration.start, id.start) + sound;
  // A function may be called before its line is reached.
  const stands = /Function/u.test(found.declaration.type)
    ? `export function ${name}(...given) { return (${name}.broken ??= (${by})(${sound}))(...given); }`
    : `export const ${name} = (${by})(${sound});`;
  const rest = code.slice(id.start + name.length, found.end);
  return `${code.slice(0, found.start)}${declared}${rest}\n${stands}\n${code.slice(found.end)}`;
}

export const fileOf = ({ module }: Seam): string => join(root, 'src', `${module}.ts`);

/** The variant's seams as a bundler's plugin. */
export function breaking({ name, seams }: Variant): { plugin: Plugin; assertMade(): void } {
  const made = new Set<Seam>();
  const load = (id: string): { code: string; moduleType: 'ts' } | null => {
    const own = seams.filter((seam) => fileOf(seam) === id);
    for (const seam of own) made.add(seam);
    return own.length === 0
      ? null
      : { code: own.reduce(replaced, readFileSync(id, 'utf8')), moduleType: 'ts' };
  };
  return {
    plugin: { name: `broken-${name}`, load },
    assertMade: () => {
      const missing = seams.find((seam) => !made.has(seam));
      if (missing !== undefined)
        throw new Error(`${name}: src/${missing.module}.ts is not part of the program`);
    },
  };
}
