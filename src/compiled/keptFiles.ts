import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** What is kept of one file of the program. */
export type Kept = {
  /** Which commands it was compiled for: what each of them loaded. */
  readonly runs: readonly string[];
  readonly code: Buffer;
};

const ending = '.jsc';
const digestLength = 32;
const mostBytes = 16 * 1024 * 1024;
const longestDays = 60;

/** Its name says what it was compiled from, and for which engine: another release looks for another one. */
export function keptAs(folder: string, source: Uint8Array, engine: string): string {
  const sum = createHash('sha256').update(source).update(engine).digest('hex');
  return join(folder, `${sum.slice(0, 32)}${ending}`);
}

/**
 * Undefined where it is not there, or is not whole. The engine itself checks next to nothing: of thirty flipped bits
 * it took twenty-five, and five ended the process.
 */
export function readKept(path: string): Kept | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.uid !== process.getuid?.() || (stats.mode & 0o077) !== 0) return undefined;
    const whole = readFileSync(file);
    const content = whole.subarray(digestLength);
    if (!digestOf(content).equals(whole.subarray(0, digestLength))) return undefined;
    const lineEnd = content.indexOf('\n');
    const runs = JSON.parse(content.toString('latin1', 0, lineEnd)) as string[];
    return { runs, code: content.subarray(lineEnd + 1) };
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Put in place whole, so that nobody reads the half of it. */
export function writeKept(path: string, { runs, code }: Kept): void {
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(runs)}\n`), code]);
  const half = `${path}.${process.pid}`;
  try {
    writeFileSync(half, Buffer.concat([digestOf(content), content]), { mode: 0o600, flag: 'wx' });
    renameSync(half, path);
  } catch (error) {
    rmSync(half, { force: true });
    throw error;
  }
}

function digestOf(content: Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}

/** What has not been written for long, and the oldest where all of it is too much. Nothing else lies in the folder. */
export function removeOld(folder: string): void {
  const files = readdirSync(folder)
    .map((name) => ({
      path: join(folder, name),
      stats: statSync(join(folder, name), { throwIfNoEntry: false }),
    }))
    .flatMap(({ path, stats }) =>
      stats?.isFile() ? [{ path, size: stats.size, writtenMs: stats.mtimeMs }] : [],
    )
    .sort((one, other) => other.writtenMs - one.writtenMs);
  const tooOldMs = Date.now() - longestDays * 86_400_000;
  let bytes = 0;
  for (const { path, size, writtenMs } of files) {
    bytes += size;
    if (bytes > mostBytes || writtenMs < tooOldMs) rmSync(path, { force: true });
  }
}
