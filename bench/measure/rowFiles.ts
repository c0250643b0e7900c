import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { base58 } from '@scure/base';

export type RowKind = 'send' | 'transfer';

/** A file for a batch: each row another message, or another payment to one of a thousand people. */
export async function writeRows(path: string, kind: RowKind, first: number, last: number): Promise<void> {
  const file = createWriteStream(path);
  file.write(`${headings[kind]}\n`);
  const rowOf = kind === 'send' ? messageRow : transferRows();
  for (let row = first; row < last; row += 1) {
    if (!file.write(`${rowOf(row)}\n`)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

const headings = { send: 'id,conversation_id,content', transfer: 'id,to_address,asset,amount' } as const;

function messageRow(row: number): string {
  return `r${row},conv_demo,"Hello, number ${row}"`;
}

function transferRows(): (row: number) => string {
  const people = Array.from({ length: 1000 }, newAddress);
  return (row) => `r${row},${people[row % people.length]},USDC,${1 + row / 1_000_000}`;
}

/** Of a key that somebody has: 32 bytes at the end of its DER. */
function newAddress(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return base58.encode(publicKey.export({ type: 'spki', format: 'der' }).subarray(-32));
}
