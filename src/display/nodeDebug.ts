type Writes = Pick<NodeJS.WriteStream, 'write'>;

/** What Node writes for NODE_DEBUG begins with a section in capitals and this process's id. */
function isNodeDebug(chunk: unknown): boolean {
  if (typeof chunk !== 'string') return false;
  const [, pid] = /^[A-Z][^ ]* ([^ ]+)/u.exec(chunk) ?? [];
  return pid?.includes(String(process.pid)) === true;
}

/**
 * Drops Node's own NODE_DEBUG output: it holds the raw bytes of streams and the whole environment, tokens
 * among them, and it would land in the log of whatever runs botctl. `--verbose` says what can be said.
 */
export function withoutNodeDebug(stream: Writes): void {
  const write = stream.write.bind(stream) as (...words: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]): boolean =>
    isNodeDebug(chunk) ? true : write(chunk, ...rest);
}
