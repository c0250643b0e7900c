import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's folder, wherever this file was bundled to. */
function find(folder: string): string {
  if (existsSync(join(folder, 'bin', 'botctl.js')) && existsSync(join(folder, 'scripts/build.mjs')))
    return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('the project was not found');
  return find(above);
}

export const root = find(import.meta.dirname);
