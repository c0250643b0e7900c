import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterAll, onTestFinished } from 'vitest';
import type { Journal } from '../../../src/once/journal/journal.ts';
import { type Known, Note } from '../../../src/once/journal/note.ts';
import { parseAddress } from '../../../src/postgres/address.ts';
import type { Patience } from '../../../src/postgres/connections.ts';
import { migrate } from '../../../src/postgres/handshake.ts';
import { openSharedJournal } from '../../../src/postgres/openSharedJournal.ts';
import { type Asking, meetServer } from '../../../src/postgres/upkeep.ts';
import { closedAfterTest } from '../closedAfterTest.ts';
import { baseUrl, newFolder, nowMs } from '../journals.ts';
import type { Version } from './binaries.ts';
import { connected } from './client.ts';
import { sharedServer } from './server.ts';

/** A shared journal on a real server, and a machine that uses it. */
export type SharedPlace = {
  readonly url: string;
  readonly schema: string;
  /** Where this machine keeps its notes. */
  readonly dataFolder: string;
};

type Making = { readonly version?: Version };

const databases = new Map<Version, Promise<string>>();
let schemas = 0;

/** A journal in a new schema, which is faster to create than a database. */
export async function newSharedPlace({ version = 18 }: Making = {}): Promise<SharedPlace> {
  const database = databases.get(version) ?? sharedServer(version).then((server) => server.newDatabase());
  databases.set(version, database);
  schemas += 1;
  return newPlaceIn(await database, `journal_${schemas}`);
}

export async function newPlaceIn(database: string, schema = 'botctl'): Promise<SharedPlace> {
  const place = { url: `${database}?schema=${schema}`, schema, dataFolder: newFolder() };
  await onServer(place, (client) => migrate(client, schema));
  return place;
}

/**
 * Places whose journals are emptied and used again: a schema takes half of a short test. For tests that change rows
 * alone, on connections that are closed when they end.
 */
export function placesUsedAgain(version: Version = 18): () => Promise<SharedPlace> {
  const free: SharedPlace[] = [];
  let emptying: Promise<Client> | undefined;
  afterAll(async () => (await emptying)?.end());
  return async () => {
    const used = free.pop();
    const place =
      used === undefined ? await newSharedPlace({ version }) : { ...used, dataFolder: newFolder() };
    onTestFinished(() => void free.push(place));
    if (used === undefined) return place;
    emptying ??= connected({ connectionString: place.url });
    await (await emptying).query(emptied(place.schema));
    return place;
  };
}

const emptied = (schema: string): string =>
  [
    `SET session_replication_role = replica; SET search_path = ${schema}, pg_catalog`,
    ...tables.filter((table) => table !== 'meta').map((table) => `DELETE FROM ${table}`),
    `UPDATE meta SET value = decode('${randomBytes(16).toString('hex')}', 'hex') WHERE name IN ('journal-id', 'salt')`,
  ].join(';');

/** Of a journal on a server. */
export const tables = [
  ...['meta', 'owners', 'entries', 'attempts', 'decisions'],
  ...['receipts', 'losses', 'batches', 'observations', 'closings'],
];

/** Everybody takes this owner for dead although it lives: what it sends is on record as `unknown`. */
export function declareDead(place: SharedPlace, owner: string): Promise<void> {
  return onServer(place, async (client) => {
    const sending = 'entry IN (SELECT seq FROM entries WHERE owner = $1)';
    await client.query('UPDATE owners SET ended_at = renewed_at WHERE id = $1', [owner]);
    await client.query(
      `UPDATE attempts SET verdict = 'unknown', phase = 'process-died', ended_at = 1
       WHERE verdict IS NULL AND ${sending}`,
      [owner],
    );
    await client.query(`UPDATE entries SET state = 'unknown', owner = NULL WHERE owner = $1`, [owner]);
  });
}

type Opening = { readonly use?: 'send' | 'look'; readonly patience?: Partial<Patience> };

/** Opens it as a process on that machine would. It is closed after the test. */
export async function openShared(
  { url, dataFolder }: SharedPlace,
  { use = 'send', patience = {} }: Opening = {},
): Promise<Journal> {
  const address = parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  return closedAfterTest(
    await openSharedJournal(address, { use, dataFolder, patience: { ...patient, ...patience } }),
  );
}

export const patient: Patience = {
  maxWaitMs: 20_000,
  leastMs: 2000,
  interrupted: new AbortController().signal,
  sleep: (waitMs) => new Promise((resolve) => setTimeout(resolve, waitMs)),
};

/** Who looks after the journal, on this machine. */
export async function lookingAfter<Result>(
  { url, schema, dataFolder }: SharedPlace,
  work: (asking: Asking) => Promise<Result>,
): Promise<Result> {
  const address = parseAddress(url, 'BOTCTL_JOURNAL', {}, () => 'nobody');
  const { connection, server } = await meetServer(address, patient);
  try {
    return await work({ connection, schema, place: url, server, dataFolder });
  } finally {
    await connection.close();
  }
}

/** Works on the server directly, bypassing botctl. */
export async function onServer<Result>(
  { url, schema }: SharedPlace,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await connected({ connectionString: url });
  try {
    await client.query(`SET search_path = ${schema}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What the machine has noted of the one journal that it uses. */
export function notedBy({ dataFolder }: SharedPlace): readonly Known[] {
  const folder = join(dataFolder, 'shared');
  const [id = ''] = existsSync(folder) ? readdirSync(folder) : [];
  return new Note(join(folder, id, 'note')).noted();
}

/** So many accepted payments of the last day, as if each had been made. */
export async function addPaid(place: SharedPlace, count: number): Promise<void> {
  const everyMs = Math.floor(86_400_000 / count);
  await onServer(place, async (client) => {
    await client.query(`SET session_replication_role = replica;
      INSERT INTO entries (id, kind, base_url, bot, key, identity, fingerprint, payment, body, state, attempts,
        created_at, updated_at, tried_at, asset, whole, nanos)
      SELECT 'paid-' || n, 'transfer', '${baseUrl}', 'payer', 'k' || n, 'i' || n, 'f', '["bob","sol","' || n || '"]', '{}',
        'accepted', 1, paid, paid, paid, 'sol', n, 0
      FROM (SELECT n, ${nowMs} - n * ${everyMs}::bigint AS paid FROM generate_series(1, ${count}) n) AS payments`);
    await client.query('VACUUM ANALYZE');
  });
}
