import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import type { QueryResultRow } from 'pg';
import type { Certificate } from '../certificates.ts';
import type { Version } from './binaries.ts';
import { connected } from './client.ts';
import {
  type Connection,
  copyOfRunning,
  newCluster,
  password,
  superuser,
  writeForServer,
} from './cluster.ts';
import { serversFolder } from './folder.ts';
import { freePort } from './freePort.ts';
import { type Postmaster, type Settings, startPostmaster } from './postmaster.ts';
import { runAs } from './runAs.ts';

export type ServerOptions = {
  readonly version?: Version;
  readonly settings?: Settings;
  /** Used for clients that ask for TLS; TLS is not required. */
  readonly certificate?: Certificate;
};

export type StandbyOptions = {
  /** The port to reach its primary by: a proxy's, to separate them. */
  readonly through?: number;
  readonly settings?: Settings;
};

export class PostgresServer {
  readonly version: Version;
  readonly folder: string;
  readonly port: number;
  private settings: Settings;
  private postmaster: Postmaster | undefined;
  private databases = 0;
  private standbys = 0;
  private snapshots = 0;

  constructor(version: Version, folder: string, port: number, settings: Settings) {
    this.version = version;
    this.folder = folder;
    this.port = port;
    this.settings = settings;
  }

  get superuser(): Connection {
    return { host: '127.0.0.1', port: this.port, user: superuser, password, database: 'postgres' };
  }

  get url(): string {
    return this.urlOf('postgres');
  }

  /** A connection over the Unix socket needs no password. */
  get socketUrl(): string {
    return `postgres://${superuser}@${encodeURIComponent(this.folder)}:${this.port}/postgres`;
  }

  urlOf(database: string): string {
    return `postgres://${superuser}:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /** The URL of a new, empty database. */
  async newDatabase(): Promise<string> {
    this.databases += 1;
    const name = `fresh_${this.databases}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.urlOf(name);
  }

  /** Runs one statement on its own connection. */
  async query<Row extends QueryResultRow>(
    sql: string,
    values: readonly unknown[] = [],
    url: string = this.url,
  ): Promise<Row[]> {
    const client = await connected({ connectionString: url });
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async start(settings: Settings = {}): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    this.postmaster = await startPostmaster(this.version, this.folder, {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: this.folder,
      // In the data folder, so that a killed server leaves nothing behind.
      dynamic_shared_memory_type: 'mmap',
      ...this.settings,
    });
  }

  /** Closes the sessions and stops the server cleanly. Its data stays until `remove`. */
  async stop(): Promise<void> {
    await this.postmaster?.end('SIGINT');
  }

  async kill(): Promise<void> {
    await this.postmaster?.kill();
  }

  async restart(settings: Settings = {}): Promise<void> {
    await this.stop();
    await this.start(settings);
  }

  async crashAndRestart(settings: Settings = {}): Promise<void> {
    await this.kill();
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.start(settings);
      } catch (error) {
        // On a busy machine, killed processes take a while to disappear.
        if (tries === 20 || !String(error).includes('pre-existing shared memory block')) throw error;
        await after(200);
      }
    }
  }

  /** A copy of the current files, for `restore`. The server is stopped while it is made. */
  async snapshot(): Promise<string> {
    this.snapshots += 1;
    const copy = join(this.folder, `snapshot-${this.snapshots}`);
    await this.stop();
    await runAs(serversFolder().user, 'cp', ['-Rp', join(this.folder, 'data'), copy]);
    await this.start();
    return copy;
  }

  /** Replaces the server's data by that snapshot, like a restored disk. */
  async restore(snapshot: string): Promise<void> {
    await this.kill();
    rmSync(join(this.folder, 'data'), { recursive: true });
    await runAs(serversFolder().user, 'cp', ['-Rp', snapshot, join(this.folder, 'data')]);
    await this.start();
  }

  /** A hot standby of this server, asynchronous unless `synchronous_standby_names` says otherwise. */
  async standby({ through = this.port, settings = {} }: StandbyOptions = {}): Promise<Standby> {
    this.standbys += 1;
    const name = `standby_${this.standbys}`;
    await this.query('SELECT pg_create_physical_replication_slot($1, true)', [name]);
    const folder = await copyOfRunning(join(this.folder, 'data'), this.superuser);
    const standby = new Standby(this, folder, await freePort(), {
      ...this.settings,
      primary_conninfo: `host=127.0.0.1 port=${through} user=${superuser} password=${password} application_name=${name}`,
      primary_slot_name: name,
      // The default of 5 s would delay a test after each cut.
      wal_retrieve_retry_interval: '20ms',
      ...settings,
    });
    await standby.start();
    return standby;
  }

  /** Stops it at once and removes its data. */
  async close(): Promise<void> {
    await this.postmaster?.end('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Standby extends PostgresServer {
  readonly primary: PostgresServer;

  constructor(primary: PostgresServer, folder: string, port: number, settings: Settings) {
    super(primary.version, folder, port, settings);
    this.primary = primary;
  }

  /** Waits until it shows everything that its primary has on disk. */
  async caughtUp(): Promise<void> {
    const [now] = await this.primary.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn');
    await this.query(`DO $$ BEGIN
      WHILE pg_last_wal_replay_lsn() < '${now?.lsn}' LOOP PERFORM pg_sleep(0.005); END LOOP;
    END $$`);
  }

  /** Makes it an independent server on a new timeline (`pg_control_checkpoint()` shows that only later). */
  async promote(): Promise<void> {
    await this.query('SELECT pg_promote(true, 60)');
  }
}

/** A real PostgreSQL server. It ends with this process, however that ends. */
export async function startServer(options: ServerOptions = {}): Promise<PostgresServer> {
  const { version = 18, settings = {}, certificate } = options;
  const folder = await newCluster(version);
  if (certificate !== undefined) {
    writeForServer(join(folder, 'data', 'server.key'), certificate.key);
    writeForServer(join(folder, 'data', 'server.crt'), certificate.cert);
  }
  const tls = certificate === undefined ? {} : { ssl: 'on' };
  const server = new PostgresServer(version, folder, await freePort(), { ...tls, ...settings });
  await server.start();
  return server;
}

const shared = new Map<Version, Promise<PostgresServer>>();

/** One server shared by all tests in this process. A test that stops or changes its server starts its own. */
export function sharedServer(version: Version = 18): Promise<PostgresServer> {
  const server = shared.get(version) ?? startServer({ version });
  shared.set(version, server);
  return server;
}
