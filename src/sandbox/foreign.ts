import type { IncomingMessage } from 'node:http';

/** A page on the web can make a browser ask this machine; its Host, or its Origin, gives it away. */
export function isForeign({ headers }: IncomingMessage): boolean {
  return (
    !isLoopback(headers.host) ||
    (headers.origin !== undefined && !isLoopback(headers.origin.replace(/^https?:\/\//, '')))
  );
}

function isLoopback(host: string | undefined): boolean {
  return /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i.test(host ?? '');
}
