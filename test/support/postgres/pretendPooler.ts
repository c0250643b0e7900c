import { type CuttableProxy, startCuttableProxy } from './cuttableProxy.ts';
import type { PostgresServer } from './server.ts';

/** As a pooler in transaction mode does: the server receives another word than the client sent. */
export function startPretendPooler(server: PostgresServer): Promise<CuttableProxy> {
  return startCuttableProxy(server.port, (from, message) => {
    const at = from === 'client' ? message.indexOf(word) : -1;
    if (at < 0) return message;
    const changed = Buffer.from(message);
    changed.fill('x', at + word.length, at + word.length + 32);
    return changed;
  });
}

const word = "SET botctl.line = '";
