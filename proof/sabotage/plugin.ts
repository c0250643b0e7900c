import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../../testing/root.ts';
import type { Variant } from './variants.ts';

/** The variant's edits as a bundler's plugin. An edit whose place is gone is an error: it would prove nothing. */
export function breaking({ name, edits }: Variant): { plugin: Plugin; assertMade(): void } {
  const made = new Set<(typeof edits)[number]>();
  const load = (id: string): { code: string; moduleType: 'ts' } | null => {
    const own = edits.filter(({ file }) => join(root, file) === id);
    if (own.length === 0) return null;
    const code = own.reduce(
      (text, edit) => {
        if (text.split(edit.from).length !== 2)
          throw new Error(`${name}: not once in ${edit.file}: ${edit.from}`);
        made.add(edit);
        return text.replace(edit.from, () => edit.to);
      },
      readFileSync(id, 'utf8'),
    );
    return { code, moduleType: 'ts' };
  };
  return {
    plugin: { name: `broken-${name}`, load },
    assertMade: () => {
      const missing = edits.find((edit) => !made.has(edit));
      if (missing !== undefined) throw new Error(`${name}: ${missing.file} is not part of the program`);
    },
  };
}
