import type { Channel, Flight } from '../wire/flight.ts';
import { retryAfterMs } from '../wire/readReply.ts';
import { type Exact, parseExact } from './exactJson.ts';
import { isObject } from './fields.ts';
import type { Reason } from './reason.ts';

/** What a node answers; or why nothing can be made of it. */
export type Answer =
  /** `nodeMs`: the node's clock, where it tells. */
  | { readonly is: 'answer'; readonly value: Exact; readonly nodeMs: number | undefined }
  | { readonly is: 'trouble'; readonly because: Reason; readonly waitMs?: number };

type NodeSettings = {
  /** All that is ever shown of where it is: the URL often carries a key. */
  readonly host: string;
  readonly url: { reveal(): string };
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly cut: AbortSignal;
  now(): number;
};

/** One Solana node, asked by JSON-RPC: one request at a time, no batches. */
export class RpcNode {
  readonly host: string;
  readonly #settings: NodeSettings;
  #asked = 0;

  constructor(settings: NodeSettings) {
    this.host = settings.host;
    this.#settings = settings;
  }

  async ask(method: string, params: readonly unknown[]): Promise<Answer> {
    const { url, channel, timeoutMs, cut, now } = this.#settings;
    this.#asked += 1;
    const id = this.#asked;
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const limits = { timeoutMs, cut, door: () => undefined };
    const flight = await channel.fly({ url: url.reveal(), token: undefined, body }, limits);
    const answer = answerIn(flight, id, now());
    await leave(flight, answer);
    return answer;
  }

  close(): Promise<void> {
    return this.#settings.channel.close();
  }
}

/** What did not answer as it should may still say something: whatever comes is not for the next question. */
async function leave(flight: Flight, answer: Answer): Promise<void> {
  const socket = flight.came === 'reply' ? flight.socket : undefined;
  if (answer.is === 'answer') socket?.keep({ key: '', id: undefined });
  else await socket?.drop();
}

function trouble(because: Reason, waitMs?: number): Answer {
  return { is: 'trouble', because, ...(waitMs === undefined ? {} : { waitMs }) };
}

const defaultLimitMs = 1000;

function answerIn(flight: Flight, id: number, nowMs: number): Answer {
  if (flight.came === 'nothing' || flight.ended !== 'whole') return trouble('unreachable');
  const { status, headers, body } = flight;
  if (status === 429) return trouble('rate-limited', retryAfterMs(headers, nowMs) ?? defaultLimitMs);
  if (status === 401 || status === 403) return trouble('not-permitted');
  if (status !== 200) return trouble('node-error');
  try {
    const reply = parseExact(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return resultIn(reply, id, dateIn(headers));
  } catch {
    return trouble('unreadable');
  }
}

function dateIn({ date }: Readonly<Record<string, string>>): number | undefined {
  const atMs = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function resultIn(reply: Exact, id: number, nodeMs: number | undefined): Answer {
  if (!isObject(reply) || reply.jsonrpc !== '2.0' || reply.id !== BigInt(id)) return trouble('unreadable');
  const { result, error } = reply;
  if (error !== undefined && error !== null) return trouble(reasonOf(error));
  return result === undefined ? trouble('unreadable') : { is: 'answer', value: result, nodeMs };
}

/** JSON-RPC's numbers that say more than that there was an error. */
const known: Readonly<Record<string, Reason>> = {
  '-32005': 'lagging',
  '-32015': 'unknown-version',
  '429': 'rate-limited',
  '-32429': 'rate-limited',
};

function reasonOf(error: Exact): Reason {
  const code = isObject(error) ? error.code : undefined;
  return (typeof code === 'bigint' ? known[code.toString()] : undefined) ?? 'node-error';
}
