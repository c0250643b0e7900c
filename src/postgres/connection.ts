import { randomBytes } from 'node:crypto';
import { type Duplex, Writable } from 'node:stream';
import type { Client, ClientConfig, QueryConfig } from 'pg';
import { readLeftovers } from '../machine/process.ts';
import type { Statement } from '../once/journal/dialect.ts';
import { type Values, valuesInOrder } from '../once/journal/rows.ts';
import { type Address, placeOf, urlFor } from './address.ts';
import { ServerTroubleError, sharedFailure } from './failures.ts';
import { elsewhere, isLastWord } from './serverErrors.ts';
import type { SqlRow } from './sql.ts';

type Answer = { readonly command: string; readonly rows: readonly SqlRow[] };

/** No statement takes this long, so a connection that is silent for this long is replaced. */
const longestMs = 30_000;

/** Even a busy host accepts a connection at once, because its kernel does. */
const longestDialMs = 10_000;

/** How much time is left for the next question. */
export type LeftMs = () => number;

const always: LeftMs = () => longestMs;

type Connecting = { readonly leftMs?: LeftMs; readonly givenUp?: AbortSignal };

const longestGoodbyeMs = 1000;

const bigint = 20;

/** One connection to the server. Once broken, it stays broken and must be replaced. */
export class PgConnection {
  readonly #client: Client;
  readonly #address: Address;
  readonly #word = randomBytes(16).toString('hex');
  #isBroken = false;
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
    // Milliseconds and row numbers are far below the limit of exact numbers.
    client.setTypeParser(bigint, Number);
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
    // Loading the driver takes longer than everything else that a start does with the journal.
    const { default: driver } = await import('pg');
    const client = new driver.Client(driverSettings(address));
    const connection = new PgConnection(client, address);
    connection.answerWithin(leftMs);
    const giveUp = (): void => connection.destroy();
    givenUp?.addEventListener('abort', giveUp, { once: true });
    const callOff = connection.#limitConnecting(leftMs);
    try {
      await client.connect();
      return connection;
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    } finally {
      callOff();
      givenUp?.removeEventListener('abort', giveUp);
    }
  }

  /** A host accepts a connection soon, or it is not there. A server may be busy. */
  #limitConnecting(leftMs: LeftMs): () => void {
    let callOff = afterTime(Math.min(longestDialMs, leftMs()), () => this.#giveUp('out-of-reach'));
    streamOf(this.#client).once('connect', () => {
      callOff();
      callOff = afterTime(Math.min(longestMs, leftMs()), () => this.#giveUp('silent'));
    });
    return () => callOff();
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
   * Leaves a word with the server process that answers. Behind a pooler, another process may answer the next question,
   * and the process id that the driver learned first is the pooler's own.
   */
  get introduction(): string {
    return /* sql */ `SET botctl.line = '${this.#word}'`;
  }

  introducedTo(processId: number): void {
    this.#processId = processId;
  }

  /** SQL that is true, or fails if another server process answers: then nothing in its transaction is committed. */
  get here(): string {
    return /* sql */ `(CASE WHEN pg_backend_pid() = ${this.#processId} AND current_setting('botctl.line', true) = '${this.#word}'
      THEN 'true' ELSE '${elsewhere}' END)::boolean`;
  }

  async begin(...more: readonly string[]): Promise<void> {
    await this.all(['BEGIN', /* sql */ `SELECT ${this.here}`, ...more]);
  }

  /** Asks without waiting for the answers to earlier questions. */
  async ask(statement: Statement, values: Values): Promise<readonly SqlRow[]> {
    const { rows } = await this.#watched({ text: statement.text, values: valuesInOrder(statement, values) });
    return rows;
  }

  async query(text: string, values?: unknown[]): Promise<Answer> {
    return this.#watched(values === undefined ? { text } : { text, values });
  }

  /** Runs several statements at once, without values. Returns the answer to each. */
  async all(statements: readonly string[]): Promise<readonly Answer[]> {
    const answers = await this.#watched({ text: statements.join(';\n') });
    return [answers].flat();
  }

  async #watched(question: QueryConfig): Promise<Answer> {
    this.#warnings = [];
    // Without an answer, the state of the server is unknown, so this connection is no longer used.
    const callOff = afterTime(this.#leftMs(), () => this.#giveUp('silent'));
    try {
      return await this.#client.query<SqlRow>(question);
    } catch (error) {
      if (isLastWord(error)) this.destroy();
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

function streamOf(client: Client): Duplex {
  return (client as Client & { readonly connection: { readonly stream: Duplex } }).connection.stream;
}

export function driverSettings(address: Address) {
  const { host, port, user, database, options, ssl } = address;
  return {
    ...{ host, port, user, database, options, ssl: ssl() },
    // Called only if the server wants a password. A server that trusts its socket does not.
    password: () => passwordOf(address),
    sslnegotiation: 'postgres' as const,
    application_name: 'botctl',
    keepAlive: true,
    // Questions are sent at once and answered in order.
    pipeline: true,
  } satisfies ClientConfig;
}

/** The password that was given, or else that of the password file. */
async function passwordOf(address: Address): Promise<string> {
  const password = address.password() ?? (await fromPassFile(address));
  if (password === undefined) throw sharedFailure('password-missing', { place: placeOf(address) });
  return password;
}

/** Loaded only when needed: the driver's package takes 5 ms. */
async function fromPassFile(address: Address): Promise<string | undefined> {
  const { default: pgpass } = await import('pgpass');
  const write = (text: Buffer, _encoding: string, done: () => void): void => {
    tellIgnored(`${text}`.replace(/^[A-Z]+: /u, '').trim());
    done();
  };
  pgpass.warnTo(new Writable({ write }));
  return new Promise((resolve) => pgpass(address, resolve));
}

let tellIgnored: (said: string) => void = () => {};

/** Passes on why an existing password file is not used, instead of printing it. */
export function onPassFileIgnored(tell: (said: string) => void): void {
  tellIgnored = tell;
}
