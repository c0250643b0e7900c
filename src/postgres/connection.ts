import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Client, CustomTypesConfig, QueryConfig } from 'pg';
import { diskTroubleOf } from '../machine/disk.ts';
import { trusted } from '../machine/engine/node.ts';
import { readLeftovers } from '../machine/process.ts';
import { Failure } from '../once/failures.ts';
import { type Address, placeOf, urlFor } from './address.ts';
import { ServerTroubleError, sharedFailure } from './facts.ts';
import {
  askAttributes,
  asksAttributes,
  type Demands,
  type Encryption,
  hasAttributes,
  requireBinding,
  type Server,
} from './settings.ts';
import type { Row } from './statements.ts';

type Answer = { readonly command: string; readonly rows: readonly Row[] };

/** No statement takes this long, so a connection that is silent for this long is replaced. */
const longestMs = 30_000;

/** Even a busy host accepts a connection at once, because its kernel does. */
const longestDialMs = 10_000;

/** How much time is left for the next question. */
export type LeftMs = () => number;

const always: LeftMs = () => longestMs;

type Connecting = { readonly leftMs?: LeftMs; readonly givenUp?: AbortSignal };

const longestGoodbyeMs = 1000;

/** The server's error if a transaction has reached another of its processes than the connection began with. */
export const elsewhere = 'another process than this connection began with';

/** One connection to the server. Once broken, it stays broken and must be replaced. */
export class PgConnection {
  readonly #client: Client;
  readonly #address: Address;
  #isBroken = false;
  readonly #word = randomBytes(16).toString('hex');
  #processId: number | undefined;
  /** The server's warnings since the last statement began. */
  #warnings: string[] = [];
  #leftMs: LeftMs = always;

  private constructor(client: Client, address: Address) {
    this.#client = client;
    this.#address = address;
    const breakOff = (): void => {
      this.#isBroken = true;
    };
    client.on('error', breakOff);
    client.on('end', breakOff);
    // Recognised by their code, because the word for a warning is in the server's language.
    client.on('notice', ({ code = '' }) => {
      if (code.startsWith('01')) this.#warnings.push(code);
    });
  }

  /** If `givenUp` aborts meanwhile, the connection is closed without waiting for the server. */
  static async connect(
    address: Address,
    { leftMs = always, givenUp }: Connecting = {},
  ): Promise<PgConnection> {
    const dialled = new Dialled(address);
    // Loading the driver takes longer than everything else that a start does with the journal.
    const { default: driver } = await import('pg');
    const client = new driver.Client({
      ...driverSettings(address),
      stream: () => dialled,
      // Questions asked together are sent together and answered in order.
      pipeline: true,
      types: { getTypeParser: parserOf(driver.types.getTypeParser) },
    });
    const connection = new PgConnection(client, address);
    const { demands } = address;
    const unbound =
      demands.channel_binding === 'require'
        ? requireBinding(client as BindableClient, placeOf(address))
        : () => undefined;
    connection.answerWithin(leftMs);
    const giveUp = (): void => connection.destroy();
    givenUp?.addEventListener('abort', giveUp, { once: true });
    const callOff = connection.#limitConnecting(dialled, leftMs);
    try {
      await client.connect();
      callOff();
      if (asksAttributes(demands)) await connection.#refuseOther();
      return connection;
    } catch (error) {
      void client.end().catch(() => {});
      throw unbound() ?? error;
    } finally {
      callOff();
      givenUp?.removeEventListener('abort', giveUp);
    }
  }

  /** A host accepts the connection soon or is not there; a server may be busy. `connect_timeout` limits both, as in libpq. */
  #limitConnecting(dialled: Dialled, leftMs: LeftMs): () => void {
    const { connectTimeoutMs } = this.#address;
    const dialMs = Math.min(connectTimeoutMs ?? longestDialMs, leftMs());
    let isReached = false;
    let callOff = afterTime(dialMs, () => this.#giveUp(isReached ? 'silent' : 'out-of-reach'));
    dialled.once('connect', () => {
      isReached = true;
      if (connectTimeoutMs !== undefined) return;
      callOff();
      callOff = afterTime(Math.min(longestMs, leftMs()), () => this.#giveUp('silent'));
    });
    return () => callOff();
  }

  /** A server with other attributes than demanded counts as unreachable and is tried again, because this may change. */
  async #refuseOther(): Promise<void> {
    const { demands } = this.#address;
    const { rows } = await this.query(askAttributes);
    if (!hasAttributes(demands, (rows[0] ?? {}) as Parameters<typeof hasAttributes>[1]))
      throw new ServerTroubleError({ is: 'not-as-demanded', demand: demands.target_session_attrs ?? '' });
  }

  /** The URL under which another role finds the same journal. */
  urlFor(user: string): string {
    return urlFor(this.#address, user);
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Limits how long the server may take to answer from now on. If it takes longer, the connection is closed. */
  answerWithin(leftMs: LeftMs = always, mostMs = longestMs): void {
    this.#leftMs = () => Math.min(mostMs, leftMs());
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * Leaves a word with the server process that answers. Behind a pooler, another process may answer next, and the
   * process id that the driver learned first is the pooler's own.
   */
  get introduction(): string {
    return /* sql */ `SET botctl.line = '${this.#word}'`;
  }

  introducedTo(processId: number): void {
    this.#processId = processId;
  }

  /** SQL that is true, or fails if another server process answers; then nothing beside it is committed. */
  get here(): string {
    return /* sql */ `(CASE WHEN pg_backend_pid() = ${this.#processId} AND current_setting('botctl.line', true) = '${this.#word}'
      THEN 'true' ELSE '${elsewhere}' END)::boolean`;
  }

  async begin(...more: readonly string[]): Promise<void> {
    await this.all(['BEGIN', /* sql */ `SELECT ${this.here}`, ...more]);
  }

  /** Runs one statement, prepared under this name. */
  async ask(name: string, text: string, values: unknown[]): Promise<Answer> {
    return this.#watched({ name, text, values });
  }

  async query(text: string, values?: unknown[]): Promise<Answer> {
    return this.#watched(values === undefined ? { text } : { text, values });
  }

  /** Runs several statements at once, without values. Returns the answer to each. */
  async all(statements: readonly string[]): Promise<readonly Answer[]> {
    const answers = await this.#watched({ text: statements.join(';\n') });
    return [answers].flat();
  }

  /** Sends everything asked meanwhile in one piece. */
  together(ask: () => void): void {
    const stream = streamOf(this.#client);
    stream.cork();
    ask();
    stream.uncork();
  }

  async #watched(question: QueryConfig): Promise<Answer> {
    this.#warnings = [];
    // Without an answer, the state of the server is unknown, so this connection is no longer used.
    const callOff = afterTime(this.#leftMs(), () => this.#giveUp('silent'));
    try {
      return await this.#client.query<Row>(question);
    } catch (error) {
      if (error instanceof Error && isLastWord(error)) this.destroy();
      throw error;
    } finally {
      callOff();
    }
  }

  #giveUp(is: 'silent' | 'out-of-reach'): void {
    this.destroy(new ServerTroubleError({ is }));
  }

  /** Does not wait long for a server that never says goodbye. */
  async close(): Promise<void> {
    if (this.#isBroken) return;
    const late = setTimeout(() => this.destroy(), longestGoodbyeMs);
    await this.#client.end().catch(() => {});
    clearTimeout(late);
  }

  /** Every question that is not answered yet fails, with this error if one is given. */
  destroy(error?: Error): void {
    this.#isBroken = true;
    streamOf(this.#client).destroy(error);
  }
}

/**
 * Gives up when the time is over, unless it is called off first. Reads what has arrived by then, because this process
 * may have been kept from running while the server answered.
 */
function afterTime(waitMs: number, giveUp: () => void): () => void {
  let isCalledOff = false;
  const late = (): void => {
    if (!isCalledOff) giveUp();
  };
  const timer = setTimeout(() => void readLeftovers().then(late), waitMs);
  return () => {
    isCalledOff = true;
    clearTimeout(timer);
  };
}

/**
 * Whether the server ended the session: it is shutting down, an administrator ended it, or a time limit was reached.
 */
function isLastWord(error: Error): boolean {
  return 'code' in error && /^(?:57P0[1-5]|25P0[34])$/u.test(String(error.code));
}

function streamOf(client: Client): Duplex {
  return (client as Client & { readonly connection: { readonly stream: Duplex } }).connection.stream;
}

type BindableClient = Client & Parameters<typeof requireBinding>[0];

type ParserOf = CustomTypesConfig['getTypeParser'];

const bigint = 20;

/** Reads bigints as numbers. Milliseconds and row numbers are far below the limit of exact numbers. */
function parserOf(usual: ParserOf): ParserOf {
  return ((id: number, format?: 'text' | 'binary') =>
    id === bigint && format !== 'binary' ? Number : usual(id, format as 'text')) as ParserOf;
}

/** Settings for `pg`. It takes missing ones from its own environment, so none is left out. */
type DriverSettings = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** Called only if the server wants a password. One that trusts its socket needs none. */
  readonly password: () => string;
  readonly ssl: false | TlsSettings;
  readonly sslnegotiation: 'postgres';
  readonly client_encoding: 'UTF8';
  readonly application_name: string;
  readonly enableChannelBinding: boolean;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly options?: string;
};

type TlsSettings = {
  /** Always set, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect. */
  readonly rejectUnauthorized: boolean;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
  readonly ca?: string | string[];
  readonly cert?: string;
  readonly key?: string;
};

export function driverSettings(address: Address): DriverSettings {
  const { server, port, user, database, password, applicationName, demands } = address;
  return {
    host: server.is === 'host' ? server.host : server.folder,
    port,
    user,
    database,
    password: () => {
      if (password === undefined) throw sharedFailure('password-missing', { place: placeOf(address) });
      return password.reveal();
    },
    ssl: tlsSettings(address.encryption, server),
    sslnegotiation: 'postgres',
    client_encoding: 'UTF8',
    application_name: applicationName,
    ...askedOfDriver(demands),
  };
}

function askedOfDriver({
  channel_binding: binding = 'disable',
  keepalives,
  keepalives_idle: idleS,
  options,
}: Demands) {
  return {
    enableChannelBinding: binding !== 'disable',
    keepAlive: keepalives !== '0',
    keepAliveInitialDelayMillis: Number(idleS ?? 0) * 1000,
    ...(options === undefined ? {} : { options }),
  };
}

function tlsSettings(encryption: Encryption, server: Server): false | TlsSettings {
  if (encryption.mode === 'disable' || server.is === 'socket') return false;
  const { mode, rootCert, client } = encryption;
  return {
    rejectUnauthorized: mode !== 'require',
    // Checks the name from the URL. What the driver passes for an IP address has changed between its versions.
    checkServerIdentity: (_host, certificate) =>
      mode === 'verify-full' ? checkServerIdentity(server.host, certificate) : undefined,
    ...(rootCert === undefined ? trusted() : { ca: readPem(rootCert, 'certificate') }),
    ...(client === undefined
      ? {}
      : { cert: readPem(client.cert, 'certificate'), key: readPem(client.key, 'key') }),
  };
}

const pem = {
  certificate: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/u,
  key: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u,
} as const;

function readPem(path: string, kind: keyof typeof pem): string {
  const text = readFile(path, (stats) => {
    if (kind === 'key' && isOpenToOthers(stats)) throw sharedFailure('key-open-to-others', { path });
  });
  if (!pem[kind].test(text)) throw sharedFailure('not-pem', { path, wanted: kind });
  return text;
}

function readFile(path: string, check: (stats: Stats) => void): string {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    check(fstatSync(descriptor));
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw sharedFailure('certificate-unreadable', { path, trouble: diskTroubleOf(error) });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** As in libpq, a group may read a key that root owns. Windows has no such permissions. */
function isOpenToOthers({ mode, uid }: Stats): boolean {
  if (process.platform === 'win32') return false;
  return (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

/** A connection that is opened while the driver is still loading. When the driver connects it, it reports its state. */
export class Dialled extends Socket {
  #trouble: Error | undefined;

  constructor({ server, port }: Pick<Address, 'server' | 'port'>) {
    super();
    this.on('error', (error) => {
      this.#trouble = error;
    });
    if (server.is === 'host') super.connect(port, server.host);
    else super.connect(`${server.folder}/.s.PGSQL.${port}`);
  }

  /** Called by the driver, which adds its listeners only afterwards. */
  override connect(): this {
    if (!this.connecting)
      process.nextTick(() => {
        if (this.#trouble === undefined) this.emit('connect');
        else this.emit('error', this.#trouble);
      });
    return this;
  }
}
