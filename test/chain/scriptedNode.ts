import { RpcNode } from '../../src/chain/node.ts';
import type { Flight, Reply } from '../../src/once/wire/flight.ts';
import { HeldClock } from '../support/heldClock.ts';
import { key } from './transactions.ts';

export const genesis = key(42);

/** A node's answer to one request: a result, or what is unusual about the reply. */
export type Said = Partial<Pick<Reply, 'status' | 'headers' | 'ended'>> & {
  readonly result?: unknown;
  /** Fields of the JSON beside the result, or in their place. */
  readonly beside?: object;
  readonly text?: string | Uint8Array;
  readonly lost?: true;
};

/** What a node says to each method. */
export type Says = Readonly<Record<string, Said | ((id: number, params: readonly unknown[]) => Said)>>;

type Asked = { jsonrpc: string; id: number; method: string; params: unknown[] };

export const nowMs = Date.UTC(2027, 0, 15, 8);

/** A node that answers as it is told, and keeps what it was asked and how it was left. */
export class ScriptedNode extends RpcNode {
  readonly asked: unknown[][];
  readonly left: string[];

  constructor(says: Says, patience?: AbortSignal, clock = new HeldClock(nowMs)) {
    const asked: unknown[][] = [];
    const left: string[] = [];
    super({
      ...{ host: 'node', url: { reveal: () => 'https://node' }, timeoutMs: 1, patience, clock },
      expected: { genesis, name: 'test' },
      cut: new AbortController().signal,
      channel: {
        fly: async ({ body }) => {
          const { jsonrpc, id, method, params } = JSON.parse(Buffer.from(body).toString()) as Asked;
          asked.push([method, ...params]);
          const said = says[method] ?? {};
          return flightOf(typeof said === 'function' ? said(id, params) : said, { jsonrpc, id }, left);
        },
        close: async () => {
          await new Promise(setImmediate);
          left.push('closed');
        },
      },
    });
    this.asked = asked;
    this.left = left;
  }
}

function flightOf(said: Said, envelope: object, left: string[]): Flight {
  const { result, beside, status = 200, headers = {}, ended = 'whole' } = said;
  if (said.lost) return { came: 'nothing', headersSent: true, trouble: { is: 'timed-out', afterMs: 1 } };
  const text = said.text ?? JSON.stringify({ ...envelope, result, ...beside });
  const socket = {
    before: undefined,
    keep: () => void left.push('kept'),
    drop: async () => {
      await new Promise(setImmediate);
      left.push('dropped');
    },
  };
  return { came: 'reply', status, headers, body: Buffer.from(text as string), ended, socket };
}
