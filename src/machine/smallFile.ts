import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

const mostBytes = 1024 * 1024;

/** The reason why a file was not read, in `code`, as in Node's errors. */
class NoSmallFile extends Error {
  readonly code: 'EISDIR' | 'NOT_REGULAR' | 'OVER_1_MB';

  constructor(code: NoSmallFile['code']) {
    super(code);
    this.code = code;
  }
}

export type SmallFile = { readonly bytes: Buffer; readonly stats: Stats };

/**
 * A certificate, a policy or a file with a token: a regular file of 1 MB at most. A pipe could keep the command waiting
 * and a device never ends, and while Node reads either, no signal is heard.
 */
export function readSmall(path: string): SmallFile {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new NoSmallFile(stats.isDirectory() ? 'EISDIR' : 'NOT_REGULAR');
    return { bytes: readAtMost(descriptor), stats };
  } finally {
    closeSync(descriptor);
  }
}

/** The size is not trusted: that of a file under /proc is 0, and another process may append. */
function readAtMost(descriptor: number): Buffer {
  const bytes = Buffer.alloc(mostBytes + 1);
  let read = 0;
  for (let count = -1; count !== 0 && read < bytes.length; read += count)
    count = readSync(descriptor, bytes, read, bytes.length - read, null);
  if (read > mostBytes) throw new NoSmallFile('OVER_1_MB');
  return bytes.subarray(0, read);
}
