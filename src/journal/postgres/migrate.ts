import { inSchema, migrations } from './migrations.ts';
import { endTransactionsAfter } from './transactionTimeout.ts';

/** As much of a connection as is needed here. */
type SqlClient = {
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly command: string; readonly rows: readonly Readonly<Record<string, unknown>>[] }>;
  /** SQL that fails where another process of the server answers than did before. */
  readonly here?: string;
};

type SchemaState =
  | { readonly is: 'missing' }
  | { readonly is: 'older'; readonly version: number }
  | { readonly is: 'current' }
  | { readonly is: 'newer'; readonly version: number }
  /** Its versions were counted before the first release, and mean something else. */
  | { readonly is: 'unreleased' }
  /** There is a table meta, but not that of a journal. */
  | { readonly is: 'foreign' };

export const schemaVersion = migrations.length;

export const readVersion = `SELECT convert_from(value, 'UTF8') AS version FROM @schema.meta WHERE name = 'journal-version'`;

const readUnreleased = `SELECT FROM @schema.meta v JOIN @schema.meta j ON j.name = 'journal-id'
  WHERE v.name = 'version'`;

/** By the server's catalogue first: a question about what is not there would stand in its log as an error. */
export async function schemaStateOf(client: SqlClient, schema: string): Promise<SchemaState> {
  const { rows: columns } = await client.query(columnsOfMeta, [schema]);
  if (columns.length === 0) return { is: 'missing' };
  const isOurs = columns.some(({ name, type }) => name === 'value' && type === 'bytea');
  if (!isOurs || !columns.some(({ name }) => name === 'name')) return { is: 'foreign' };
  const [row] = (await client.query(inSchema(schema, readVersion))).rows;
  if (row !== undefined) return stateOf(Number(row.version));
  const unreleased = await client.query(inSchema(schema, readUnreleased));
  return { is: unreleased.rows.length > 0 ? 'unreleased' : 'foreign' };
}

const columnsOfMeta = `SELECT a.attname AS name, a.atttypid::regtype::text AS type FROM pg_namespace n
  JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'meta' JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  WHERE n.nspname = $1`;

function stateOf(version: number): SchemaState {
  if (!Number.isSafeInteger(version) || version < 1) return { is: 'foreign' };
  if (version === schemaVersion) return { is: 'current' };
  return { is: version < schemaVersion ? 'older' : 'newer', version };
}

type Migrated =
  | { readonly is: 'migrated'; readonly from: number; readonly to: number }
  | { readonly is: 'current' }
  | Exclude<SchemaState, { readonly is: 'missing' | 'older' | 'current' }>;

/**
 * Brings the schema up to date, made new if it is not there. One at a time: whoever waited finds it done. `random`
 * gives as many bytes as it is asked for, from the strongest source there is.
 */
export async function migrate(
  client: SqlClient,
  schema: string,
  random: (size: number) => Uint8Array,
): Promise<Migrated> {
  await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [lockClass, schema]);
  try {
    const state = await schemaStateOf(client, schema);
    if (state.is !== 'missing' && state.is !== 'older') return state;
    const from = state.is === 'missing' ? 0 : state.version;
    for (let version = from + 1; version <= schemaVersion; version += 1) {
      await takeStep(client, schema, version, random);
    }
    return { is: 'migrated', from, to: schemaVersion };
  } finally {
    // With the connection the lock is gone, too.
    await client
      .query('SELECT pg_advisory_unlock($1, hashtext($2))', [lockClass, schema])
      .catch(() => undefined);
  }
}

// 'botc'. Locks of two numbers are apart from those of one.
const lockClass = 0x626f7463;

async function takeStep(
  client: SqlClient,
  schema: string,
  version: number,
  random: (size: number) => Uint8Array,
): Promise<void> {
  const run = (sql: string, values: unknown[] = []): ReturnType<SqlClient['query']> =>
    client.query(inSchema(schema, sql), values.length === 0 ? undefined : values);
  await run('BEGIN');
  try {
    await run(`SELECT ${client.here ?? 'true'}`);
    await run('SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0');
    await run(endTransactionsAfter('0', 'transaction'));
    if (version === 1 && !(await exists(client, schema))) await run('CREATE SCHEMA @schema');
    await run(migrations[version - 1] ?? '');
    if (version === 1) {
      await run(`INSERT INTO @schema.salt (name, value) VALUES ('salt', $1)`, [Buffer.from(random(32))]);
      await run(`INSERT INTO @schema.meta (name, value) VALUES ('journal-id', $1), ('lease-ms', '30000')`, [
        Buffer.from(random(16)),
      ]);
    }
    await run(
      `INSERT INTO @schema.meta (name, value) VALUES ('journal-version', convert_to($1, 'UTF8'))
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(version)],
    );
    await run('COMMIT');
  } catch (error) {
    await run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** CREATE SCHEMA IF NOT EXISTS asks for the right to make one even where it is there. */
async function exists(client: SqlClient, schema: string): Promise<boolean> {
  const { rows } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rows.length > 0;
}
