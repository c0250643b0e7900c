import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Asked, Doing, Ended } from '../../src/engine/doing.ts';
import { execute } from '../../src/engine/execute.ts';
import { resume } from '../../src/engine/resume.ts';
import { parseBaseUrl } from '../../src/intent/baseUrl.ts';
import type { Naming } from '../../src/intent/naming.ts';
import type { Decision, DecisionKind, Intent, Journal } from '../../src/journal/journal.ts';
import { openJournal } from '../../src/journal/sqliteJournal.ts';
import type { Flight, FlightLimits, Shipment } from '../../src/wire/flight.ts';
import { HeldClock } from './heldClock.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';

export const baseUrl = parseBaseUrl('https://bots.example');

/** A flight that lands with a reply. */
export function reply(status: number, body: unknown = {}, headers: Record<string, string> = {}): Flight {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { came: 'reply', status, headers, body: Buffer.from(text), ended: 'whole' };
}

export const unsent: Flight = { came: 'nothing', headersSent: false, trouble: 'the connection was refused' };
export const lost: Flight = { came: 'nothing', headersSent: true, trouble: 'the connection was reset' };
export const paid = reply(200, { transfer_id: 'tr_1', status: 'confirmed', signature: 'sig_1' });
export const posted = reply(200, { message: { id: 'msg_1' }, request_id: 'req_1' });
/** A reply that never comes: what a process that dies leaves behind. */
export const never = Symbol('never');

export type Sent = {
  readonly key: string;
  readonly body: string;
  readonly token: string;
  readonly url: string;
};
export type Scripted =
  | Flight
  | typeof never
  | ((shipment: Shipment, limits: FlightLimits) => Flight | Promise<Flight>);

type Amount = { to?: string; asset?: string; amount?: string; memo?: string };

export function transfer(
  { to = ada, asset = 'SOL', amount = '1.5', memo }: Amount = {},
  naming: Naming = { by: 'nothing' },
): Asked {
  const request = { to_address: to, asset, amount, ...(memo === undefined ? {} : { memo }) };
  return { wanted: { kind: 'transfer', request, warnings: [] }, naming };
}

export function message(content = 'Hello', naming: Naming = { by: 'nothing' }): Asked {
  return {
    wanted: { kind: 'message', request: { conversation_id: 'conv_1', content }, warnings: [] },
    naming,
  };
}

export const once = (name: string): Naming => ({ by: 'once', name });
export const run = (name: string): Naming => ({ by: 'run', name });
export const key = (text: string): Naming => ({ by: 'key', key: text });

type Changes = Partial<Omit<Doing, 'limits' | 'speaking'>> & {
  limits?: Partial<Doing['limits']>;
  bot?: string;
  token?: string;
  keyAgeMs?: number;
};

let serial = 0;

/** A journal of its own on a real disk, and processes that come and go on it. */
export class Workshop {
  readonly folder: string;
  readonly path: string;
  readonly clock = new HeldClock();
  /** What the service will answer next, in order; then it answers no more. */
  readonly script: Scripted[] = [];
  readonly sent: Sent[] = [];
  readonly notices: string[] = [];
  readonly #open = new Set<Journal>();

  constructor(within: string = tmpdir()) {
    this.folder = mkdtempSync(join(within, 'botctl-engine-'));
    this.path = join(this.folder, 'journal.db');
  }

  /** Opens the journal, as another process would. */
  open(): Journal {
    const journal = openJournal(this.path);
    this.#open.add(journal);
    return journal;
  }

  /** Ends a process: its lock goes with it, and nothing more is written. */
  end(journal: Journal): void {
    this.#open.delete(journal);
    journal.close();
  }

  doing(changes: Changes = {}): Doing {
    const { limits, bot = 'tips', token = 'token-1', keyAgeMs, ...others } = changes;
    const journal = others.journal ?? this.open();
    const still = new AbortController().signal;
    return {
      journal,
      speaking: { bot, baseUrl, token: { reveal: () => token }, keyAgeMs },
      service: {
        url: baseUrl,
        line: { fly: (shipment, flown) => this.#fly(shipment, flown), close: async () => {} },
      },
      limits: { retries: 4, maxWaitMs: 60_000, timeoutMs: 30_000, ...limits },
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
        during: (_why, work) => work,
        step: () => {},
        notice: (text) => this.notices.push(text),
      },
      commit: async (work) => journal.atomically(work),
      ...others,
    };
  }

  async #fly(shipment: Shipment, limits: FlightLimits): Promise<Flight> {
    const body = Buffer.from(shipment.body).toString();
    const { idempotency_key: sentKey } = JSON.parse(body) as { idempotency_key: string };
    this.sent.push({ key: sentKey, body, token: shipment.token.reveal(), url: shipment.url });
    const next = this.script.shift();
    if (next === undefined) throw new Error('the script has no more replies');
    if (next === never) return new Promise(() => {});
    return typeof next === 'function' ? next(shipment, limits) : next;
  }

  /** One whole run of a command: a process that begins, does it and ends. */
  async run(asked: Asked, replies: readonly Scripted[] = [], changes: Changes = {}): Promise<Ended> {
    return this.#whole(replies, changes, (doing) => execute(asked, doing));
  }

  async resume(
    id: string,
    replies: readonly Scripted[] = [],
    changes: Changes & { word?: Decision } = {},
  ): Promise<Ended> {
    const { word, ...rest } = changes;
    return this.#whole(replies, rest, (doing) => resume(id, doing, word));
  }

  async #whole(
    replies: readonly Scripted[],
    changes: Changes,
    work: (doing: Doing) => Promise<Ended>,
  ): Promise<Ended> {
    this.script.splice(0, this.script.length, ...replies);
    const doing = this.doing(changes);
    try {
      return await work(doing);
    } finally {
      if (changes.journal === undefined) this.end(doing.journal);
    }
  }

  /** A run whose process dies while its request is in flight. */
  async die(asked: Asked, changes: Changes = {}): Promise<void> {
    const before = this.sent.length;
    this.script.splice(0, this.script.length, never);
    const doing = this.doing(changes);
    void execute(asked, doing);
    while (this.sent.length === before) await new Promise(setImmediate);
    this.end(doing.journal);
  }

  /** What the journal says now, read by a process of its own. */
  look<Result>(read: (journal: Journal) => Result): Result {
    const journal = this.open();
    try {
      return read(journal);
    } finally {
      this.end(journal);
    }
  }

  intents(): Intent[] {
    return this.look((journal) => [...journal.select({ limit: 1000 })].reverse());
  }

  only(): Intent {
    const [intent, ...others] = this.intents();
    if (intent === undefined || others.length > 0)
      throw new Error(`${others.length + (intent ? 1 : 0)} intents`);
    return intent;
  }

  decide(id: string, kind: DecisionKind): void {
    this.look((journal) => journal.atomically(() => journal.decide(id, this.word(kind))));
  }

  word(kind: DecisionKind): Decision {
    return { kind, who: 'me@here', atMs: this.clock.now(), reason: 'seen', signature: undefined };
  }

  report(id: string): void {
    this.look((journal) => journal.markReported(id, this.clock.now()));
  }

  remove(): void {
    for (const journal of this.#open) journal.close();
    this.#open.clear();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The intent's state in which a run left it, or how else it ended. */
export function endOf(ended: Ended): string {
  if (ended.is === 'concluded')
    return ended.replayed === false ? ended.intent.state : `replayed ${ended.intent.state}`;
  return ended.is === 'refused' ? `refused ${ended.because}` : ended.is;
}
