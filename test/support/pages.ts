import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { root } from './root.ts';

/** Every page that people read, by its path in the project. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'bench/README.md',
  ...readdirSync(resolve(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export function pageText(path: string): string {
  return readFileSync(resolve(root, path), 'utf8');
}
