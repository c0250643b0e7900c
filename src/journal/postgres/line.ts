import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Client, CustomTypesConfig, QueryConfig } from 'pg';
import { type Address, placeOf, urlFor } from './address.ts';
import { askAttributes, asksAttributes, hasAttributes, requireBinding } from './demands.ts';
import { Dialled } from './dialled.ts';
import { driverSettings } from './driver.ts';
import { ServerTroubleError } from './facts.ts';
import type { Row } from './rows.ts';

type Answer = { readonly command: string; readonly rows: readonly Row[] };

/** No statement of ours takes as long: whoever is silent for so long is not there any more. */
const longestMs = 30_000;

/** How much time there is for what is asked next. */
export type LeftMs = () => number;

const always: LeftMs = () => longestMs;

type Connecting = { readonly leftMs?: LeftMs; readonly givenUp?: AbortSignal };

const longestGoodbyeMs = 1000;

/** Told by the server where a transaction came to another of its processes than the line was introduced to. */
export const elsewhere = 'another process than this connection began with';

/** One connection to the server. What breaks once stays broken: there is another one, or none. */
export class Line {
  readonly #client: Client;
  readonly #address: Address;
  #isBroken = false;
  readonly #word = randomBytes(16).toString('hex');
  #processId: number | undefined;
  /** Warnings of the server since the last statement began. */
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
    // By its code: the word for a warning is in the server's own language.
    client.on('notice', ({ code = '' }) => {
      if (code.startsWith('01')) this.#warnings.push(code);
    });
  }

  /** Where it is given up meanwhile, nobody waits for a server that does not answer. */
  static async connect(address: Address, { leftMs = always, givenUp }: Connecting = {}): Promise<Line> {
    const dialled = new Dialled(address);
    // The driver costs more to read than all else that a start does with the journal.
    const { default: driver } = await import('pg');
    const client = new driver.Client({
      ...driverSettings(address),
      stream: () => dialled,
      connectionTimeoutMillis: Math.min(address.connectTimeoutMs, leftMs()),
      // What is asked at once leaves at once, and is answered in turn.
      pipeline: true,
      types: { getTypeParser: parserOf(driver.types.getTypeParser) },
    });
    const line = new Line(client, address);
    const { demands } = address;
    const unbound =
      demands.channel_binding === 'require'
        ? requireBinding(client as BindableClient, placeOf(address))
        : () => undefined;
    line.answerWithin(leftMs);
    const giveUp = (): void => line.destroy();
    givenUp?.addEventListener('abort', giveUp, { once: true });
    try {
      await client.connect();
      if (asksAttributes(demands)) await line.#refuseOther();
      return line;
    } catch (error) {
      void client.end().catch(() => {});
      throw unbound() ?? error;
    } finally {
      givenUp?.removeEventListener('abort', giveUp);
    }
  }

  /** One that is looked for may come back as it must be: it is tried again as one that is away. */
  async #refuseOther(): Promise<void> {
    const { demands } = this.#address;
    const { rows } = await this.query(askAttributes);
    if (!hasAttributes(demands, (rows[0] ?? {}) as Parameters<typeof hasAttributes>[1]))
      throw new ServerTroubleError({ is: 'not-as-demanded', demand: demands.target_session_attrs ?? '' });
  }

  /** Where another role finds what this line leads to. */
  urlFor(user: string): string {
    return urlFor(this.#address, user);
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** From now on; who does not answer in time is not asked again. */
  answerWithin(leftMs: LeftMs = always): void {
    this.#leftMs = leftMs;
  }

  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /**
   * Leaves a word with the process on the server that answers. Behind a pooler the next answer may be another's, and
   * the number that the driver was told at first is the pooler's own.
   */
  get introduction(): string {
    return `SET botctl.line = '${this.#word}'`;
  }

  introducedTo(processId: number): void {
    this.#processId = processId;
  }

  /** SQL that is true, or an error where it is another process that answers: nothing beside it is committed. */
  get here(): string {
    return `(CASE WHEN pg_backend_pid() = ${this.#processId} AND current_setting('botctl.line', true) = '${this.#word}'
      THEN 'true' ELSE '${elsewhere}' END)::boolean`;
  }

  async begin(...more: readonly string[]): Promise<void> {
    await this.all(['BEGIN', `SELECT ${this.here}`, ...more]);
  }

  /** One statement, prepared under this name. */
  async ask(name: string, text: string, values: unknown[]): Promise<Answer> {
    return this.#watched({ name, text, values });
  }

  async query(text: string, values?: unknown[]): Promise<Answer> {
    return this.#watched(values === undefined ? { text } : { text, values });
  }

  /** Several at once, without values: the answer to each. */
  async all(statements: readonly string[]): Promise<readonly Answer[]> {
    const answers = await this.#watched({ text: statements.join(';\n') });
    return [answers].flat();
  }

  /** All that is asked meanwhile leaves in one piece. */
  together(ask: () => void): void {
    const stream = streamOf(this.#client);
    stream.cork();
    ask();
    stream.uncork();
  }

  async #watched(question: QueryConfig): Promise<Answer> {
    this.#warnings = [];
    const timed = { ...question, query_timeout: Math.min(longestMs, this.#leftMs()) };
    try {
      return await this.#client.query<Row>(timed);
    } catch (error) {
      // Without an answer nobody knows what the server is about: this line says no more.
      if (error instanceof Error && (error.message === 'Query read timeout' || isLastWord(error)))
        this.destroy();
      throw error;
    }
  }

  /** Nobody waits for long until a server that does not answer has said goodbye. */
  async close(): Promise<void> {
    if (this.#isBroken) return;
    const late = setTimeout(() => this.destroy(), longestGoodbyeMs);
    await this.#client.end().catch(() => {});
    clearTimeout(late);
  }

  destroy(): void {
    this.#isBroken = true;
    streamOf(this.#client).destroy();
  }
}

/** With these the server ends the session: it is going down, or somebody or a time limit has said so. */
function isLastWord(error: Error): boolean {
  return 'code' in error && /^(?:57P0[1-5]|25P0[34])$/u.test(String(error.code));
}

function streamOf(client: Client): Duplex {
  return (client as Client & { readonly connection: { readonly stream: Duplex } }).connection.stream;
}

type BindableClient = Client & Parameters<typeof requireBinding>[0];

type ParserOf = CustomTypesConfig['getTypeParser'];

const bigint = 20;

/** Milliseconds and places in a table come as numbers: they are far below where numbers end to be exact. */
function parserOf(usual: ParserOf): ParserOf {
  return ((id: number, format?: 'text' | 'binary') =>
    id === bigint && format !== 'binary' ? Number : usual(id, format as 'text')) as ParserOf;
}
