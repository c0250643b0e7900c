import { readFileSync } from 'node:fs';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { journalOf } from '../../look.ts';
import { copied } from './backups.ts';
import { change } from './files.ts';
import type { Injury } from './hurt.ts';

type Cell = { readonly what: string; readonly sql: string };

const cells: readonly Cell[] = [
  ...['identity', 'key', 'fingerprint', 'payment', 'body', 'state', 'bot', 'token_hash'].map((column) => ({
    what: `the ${column} of a row`,
    sql: `SELECT ${column} AS value FROM intents WHERE seq = ?`,
  })),
  { what: 'the reply to an attempt', sql: 'SELECT reply AS value FROM attempts WHERE intent = ?' },
  { what: 'the salt', sql: `SELECT value FROM meta WHERE name = 'salt' AND ? > 0` },
];

function bytesOf(database: DatabaseSyncInstance, { sql }: Cell, seq: number): Buffer {
  const { value } = (database.prepare(sql).get(seq) ?? {}) as { value?: string | Uint8Array };
  return Buffer.from(value ?? '');
}

/** Every place of these bytes, in the table or in an index. */
function offsetsOf(bytes: Buffer, file: Buffer): number[] {
  const found: number[] = [];
  if (bytes.length === 0) return found;
  for (let at = file.indexOf(bytes); at >= 0; at = file.indexOf(bytes, at + 1)) found.push(at);
  return found;
}

/** Flips one bit in journal.db, not in its log, within a field about an old deed. */
export const hitRows: readonly Injury[] = cells.map((cell) => ({
  name: `a bit flipped in ${cell.what}`,
  hurt: async ({ home, before: { deeds }, dice }) => {
    const nth = dice.below(deeds.length);
    const old = deeds[nth];
    if (old === undefined) return undefined;
    let bytes: Buffer = Buffer.alloc(0);
    await copied(home, (database) => {
      bytes = bytesOf(database, cell, nth + 1);
    });
    const offsets = offsetsOf(bytes, readFileSync(journalOf(home)));
    if (offsets.length === 0) return undefined;
    const at = dice.pick(offsets) + dice.below(bytes.length);
    change(journalOf(home), (file) => void file.writeUInt8(file.readUInt8(at) ^ (1 << dice.below(8)), at));
    return { home, old };
  },
}));
