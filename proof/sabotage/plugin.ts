import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'rolldown';
import { root } from '../../testing/root.ts';
import type { Variant } from './variants.ts';

/** The variant's edits as a bundler's plugin. An edit whose place is gone is an error: it would prove nothing. */
export function breaking({ name, edits }: Variant): { plugin: Plugin; assertMade(): void } {
  const made = new Set<string>();
  const load = (id: string): { code: string; moduleType: 'ts' } | null => {
    const file = Object.keys(edits).find((one) => join(root, one) === id);
    if (file === undefined) return null;
    made.add(file);
    let code = readFileSync(id, 'utf8');
    for (const [from, to] of Object.entries(edits[file] ?? {})) {
      if (code.split(from).length !== 2) throw new Error(`${name}: not once in ${file}: ${from}`);
      code = code.replace(from, () => to);
    }
    return { code, moduleType: 'ts' };
  };
  return {
    plugin: { name: `broken-${name}`, load },
    assertMade: () => {
      const missing = Object.keys(edits).find((file) => !made.has(file));
      if (missing !== undefined) throw new Error(`${name}: ${missing} is not part of the program`);
    },
  };
}
