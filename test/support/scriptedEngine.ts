import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EntryAsShown, shownNow } from '../../src/once/engine/asShown.ts';
import type { EngineContext } from '../../src/once/engine/context.ts';
import { execute } from '../../src/once/engine/execute.ts';
import type { Outcome } from '../../src/once/engine/outcome.ts';
import { decideProposal, resume } from '../../src/once/engine/resume.ts';
import type { AssetNames } from '../../src/once/entry/assetNames.ts';
import { type BaseUrl, identityUrl, parseBaseUrl } from '../../src/once/entry/baseUrl.ts';
import type { Naming, Order } from '../../src/once/entry/naming.ts';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import type {
  Decision,
  DecisionKind,
  Entry,
  Journal,
  Transaction,
  Work,
} from '../../src/once/journal/journal.ts';
import { Mutex } from '../../src/once/journal/mutex.ts';
import type { Flight, FlightLimits, Shipment } from '../../src/once/wire/flight.ts';
import type { Policies } from '../../src/policy/policy.ts';
import { mayClaimUnder } from '../../src/policy/spend.ts';
import { HeldClock } from './heldClock.ts';
import { allOf, inHand, isWrite, type JournalInHand } from './journals.ts';

export const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';
export const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

const baseUrl = parseBaseUrl('https://bots.example');

/** A flight that ends with a reply. */
export function reply(status: number, body: unknown = {}, headers: Record<string, string> = {}): Flight {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { came: 'reply', status, headers, body: Buffer.from(text), ended: 'whole' };
}

export const unsent: Flight = { came: 'nothing', headersSent: false, trouble: { is: 'no-answer' } };
export const lost: Flight = { came: 'nothing', headersSent: true, trouble: { is: 'no-answer' } };
export const paid = reply(200, { transfer_id: 'tr_1', status: 'confirmed', signature: 'sig_1' });
/** `paid` as a service replies: another transfer for each key. */
const paidFor = (paidKey: string): Flight =>
  reply(200, { transfer_id: `tr_${paidKey}`, status: 'confirmed', signature: `sig_${paidKey}` });
export const posted = reply(200, { message: { id: 'msg_1' }, request_id: 'req_1' });
/** A reply that never comes, as for a process that dies. */
const never = Symbol('never');

type Sent = {
  readonly key: string;
  readonly body: string;
  readonly token: string;
  readonly url: string;
};
type Scripted =
  | Flight
  | typeof never
  | ((shipment: Shipment, limits: FlightLimits) => Flight | Promise<Flight>);

type Amount = { to?: string; asset?: string; amount?: string; memo?: string };

export function transfer(
  { to = ada, asset = 'SOL', amount = '1.5', memo }: Amount = {},
  naming: Naming = { by: 'nothing' },
): Order {
  const request = { to_address: to, asset, amount, ...(memo === undefined ? {} : { memo }) };
  return { wanted: { kind: 'transfer', request }, naming };
}

export function message(content = 'Hello', naming: Naming = { by: 'nothing' }): Order {
  return {
    wanted: { kind: 'message', request: { conversation_id: 'conv_1', content } },
    naming,
  };
}

export const once = (name: string): Naming => ({ by: 'once', name });
export const run = (name: string): Naming => ({ by: 'run', name });
/** One attempt only. */
export const noRetries = { limits: { maxWaitMs: 0 } };
export const key = (text: string): Naming => ({ by: 'key', key: text });

type Changes = Partial<Omit<EngineContext, 'limits' | 'bot'>> & {
  policies?: Policies | undefined;
  limits?: Partial<EngineContext['limits']>;
  bot?: string;
  token?: string;
  spelledUrl?: BaseUrl;
  assetNames?: AssetNames;
};

/**
 * A transaction as a server's: what is asked takes a while, and writing takes longer than reading. What nobody waits
 * for comes after other things, or, once the work is done, never.
 */
async function inItsTime<Result>(work: Work<Result>, tx: Transaction): Promise<Result> {
  let isOver = false;
  const slow = new Proxy(tx, {
    get(_tx, name: keyof Transaction) {
      if (name === 'select') return tx.select;
      return async (...given: never[]) => {
        // Within this turn: a commit to a file does not outlast it.
        for (let left = isWrite(name) ? 9 : 3; left > 0; left -= 1) await Promise.resolve();
        return isOver ? undefined : (tx[name] as (...some: never[]) => Promise<unknown>)(...given);
      };
    },
  });
  try {
    return await work(slow);
  } finally {
    isOver = true;
  }
}

let serial = 0;

/** The engine on its own journal, on a real disk, with scripted flights. */
export class ScriptedEngine {
  readonly folder: string;
  readonly path: string;
  readonly clock = new HeldClock();
  /** The service's next replies, in order. After them it no longer replies. */
  readonly script: Scripted[] = [];
  readonly sent: Sent[] = [];
  /** Called while the connection is being made. */
  whileConnecting: () => void = () => {};
  readonly #open = new Set<Journal>();
  readonly #commits = new Mutex();

  constructor(within: string = tmpdir()) {
    this.folder = mkdtempSync(join(within, 'botctl-engine-'));
    this.path = join(this.folder, 'journal.db');
  }

  /** Opens the journal as another process would. Commits take turns, because all of this runs in one process. */
  open(): Journal {
    const real = openJournal(this.path, 'send', this.clock);
    const journal: Journal = {
      ...real,
      commit: (work, guards) => this.#commits.alone(() => real.commit((tx) => inItsTime(work, tx), guards)),
    };
    this.#open.add(journal);
    return journal;
  }

  /** Ends a process: its lock is released, and nothing more is written. */
  end(journal: Journal): void {
    this.#open.delete(journal);
    void journal.close();
  }

  engine(changes: Changes = {}): EngineContext {
    const {
      limits,
      bot = 'tips',
      token = 'token-1',
      spelledUrl = baseUrl,
      assetNames,
      policies,
      ...others
    } = changes;
    const journal = others.journal ?? this.open();
    const still = new AbortController().signal;
    return {
      journal,
      mayClaim: mayClaimUnder(policies),
      who: 'ada@here',
      bot: {
        name: bot,
        baseUrl: identityUrl(spelledUrl),
        spelledUrl,
        token: { reveal: () => token },
        tokenSource: 'a test',
        settings: {},
        assetNames,
      },
      connection: {
        url: spelledUrl,
        channel: { fly: (shipment, flown) => this.#fly(shipment, flown), close: async () => {} },
      },
      limits: { maxWaitMs: 60_000, timeoutMs: 30_000, ...limits },
      clock: this.clock,
      chance: {
        fraction: () => 0.5,
        uuid: () => {
          serial += 1;
          return `${serial.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
        },
      },
      interrupts: { first: still, second: still },
      observer: {
        during: (_waiting, work) => work,
        step: () => {},
      },
      commit: (work, guards) => journal.commit(work, guards),
      ...others,
    };
  }

  async #fly(shipment: Shipment, limits: FlightLimits): Promise<Flight> {
    const body = Buffer.from(shipment.body).toString();
    const { idempotency_key: sentKey } = JSON.parse(body) as { idempotency_key: string };
    this.whileConnecting();
    const shut = limits.lastCheck();
    if (shut !== undefined) return { came: 'nothing', headersSent: false, trouble: shut };
    this.sent.push({ key: sentKey, body, token: shipment.token?.reveal() ?? '', url: shipment.url });
    const next = this.script.shift();
    if (next === undefined) throw new Error('the script has no more replies');
    if (next === never) return new Promise(() => {});
    const flight = await (typeof next === 'function' ? next(shipment, limits) : next);
    return flight === paid ? paidFor(sentKey) : flight;
  }

  /** One whole run of a command: a process that starts, does it and ends. */
  async run(order: Order, replies: readonly Scripted[] = [], changes: Changes = {}): Promise<Outcome> {
    return this.#whole(replies, changes, (engine) => execute(order, engine));
  }

  /** A run whose outcome is reported to its caller. */
  async runAndReport(order: Order, reply?: Scripted, changes: Changes = {}): Promise<string> {
    const usual = order.wanted.kind === 'message' ? posted : paid;
    const outcome = await this.run(order, [reply ?? usual], changes);
    if (outcome.is !== 'concluded') throw new Error(`it ended ${endOf(outcome)}`);
    await this.report(outcome.entry.id);
    return outcome.entry.id;
  }

  /** A live process with its request in flight. */
  async beginSending(order: Order, changes: Changes = {}): Promise<EngineContext> {
    const before = this.sent.length;
    this.script.splice(0, this.script.length, never);
    const engine = this.engine(changes);
    void execute(order, engine);
    while (this.sent.length === before) await new Promise(setImmediate);
    return engine;
  }

  async resume(
    id: string,
    replies: readonly Scripted[] = [],
    changes: Changes & { word?: Decision } = {},
  ): Promise<Outcome> {
    const { word, ...rest } = changes;
    const shown = await this.shown(id);
    return this.#whole(replies, rest, (engine) => resume(shown, engine, word));
  }

  async #whole(
    replies: readonly Scripted[],
    changes: Changes,
    work: (engine: EngineContext) => Promise<Outcome>,
  ): Promise<Outcome> {
    this.script.splice(0, this.script.length, ...replies);
    const engine = this.engine(changes);
    try {
      return await work(engine);
    } finally {
      if (changes.journal === undefined) this.end(engine.journal);
    }
  }

  /** A run whose process dies while its request is in flight. */
  async die(order: Order, changes: Changes = {}): Promise<void> {
    const { journal } = await this.beginSending(order, changes);
    this.end(journal);
  }

  /** Reads the journal's current state in another process. */
  async look<Result>(read: (journal: JournalInHand) => Promise<Result>): Promise<Result> {
    const journal = this.open();
    try {
      return await read(inHand(journal));
    } finally {
      this.end(journal);
    }
  }

  async entries(): Promise<Entry[]> {
    const newestFirst = await this.look((journal) => allOf(journal.select({ limit: 1000 })));
    return newestFirst.reverse();
  }

  async only(): Promise<Entry> {
    const [entry, ...others] = await this.entries();
    if (entry === undefined || others.length > 0)
      throw new Error(`${others.length + (entry ? 1 : 0)} entries`);
    return entry;
  }

  shown(id: string): Promise<EntryAsShown> {
    return this.look((journal) => shownNow(id, journal));
  }

  decide(id: string, kind: DecisionKind): Promise<void> {
    return this.look((journal) => journal.decide(id, this.word(kind)));
  }

  /** A person decides about what waits for approval. */
  async answer(id: string, kind: 'approved' | 'declined'): Promise<Entry> {
    return decideProposal(await this.shown(id), { ...this.word(kind), kind }, this.open());
  }

  word(kind: DecisionKind): Decision {
    return { kind, who: 'me@here', atMs: this.clock.now(), reason: 'seen', signature: undefined };
  }

  report(id: string): Promise<void> {
    return this.look((journal) => journal.markReported(id, this.clock.now()));
  }

  remove(): void {
    for (const journal of this.#open) void journal.close();
    this.#open.clear();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The state in which a run left the entry, or how else it ended. */
export function endOf(ended: Outcome): string {
  if (ended.is === 'concluded') return ended.replayed ? `replayed ${ended.entry.state}` : ended.entry.state;
  return ended.is === 'not-sent' ? `not sent: ${ended.because}` : ended.is;
}
