import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { base58 } from '@scure/base';
import type { WebSocket, WebSocketServer } from 'ws';
import { decodeJson, type Fate, isForeign, type Service } from '../request.ts';
import { allAccounts, decodeTransaction, systemProgram, withUnits } from '../solana.ts';
import type { Account, StoredTransaction } from '../store/database.ts';
import type { Ledger } from '../store/ledger.ts';
import { answerUnreadable, answerWith, methodsIn } from './answer.ts';
import {
  addressIn,
  commitmentOf,
  configOf,
  countIn,
  invalidParams,
  isAtLeast,
  listIn,
  type Node,
  nodeFor,
  notifiedAccount,
  RpcError,
  type Stage,
  slotAt,
  stageOf,
  text,
  toJson,
} from './node.ts';
import { signatureIn } from './transactions.ts';

type Connection = {
  readonly socket: WebSocket;
  readonly url: string;
  readonly subscriptions: Subscriptions;
  /** How many of its calls were refused in a row. */
  refusedInARow: number;
  /** Delayed refusals. */
  late: { readonly reply: object; readonly dueMs: number }[];
};

/**
 * @solana/web3.js 1 repeats a refused call at once, 1,300 times a second. From the fourth refusal in a row, each is
 * delayed longer than the one before.
 */
const refusedAtOnce = 3;
const refusalAtLatestMs = 10_000;

const messageBytesAtMost = 64 * 1024;
const connectionsAtMost = 200;
const unreadBytesAtMost = 1024 * 1024;
const lookEveryMs = 20;

/** Manages all subscriptions together, and runs only while there are some. */
export class WebsocketHub {
  readonly #service: Service;
  readonly #fate: Fate;
  readonly #closing: AbortSignal;
  readonly #connections = new Set<Connection>();
  #server: WebSocketServer | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(service: Service, fate: Fate, closing: AbortSignal) {
    this.#service = service;
    this.#fate = fate;
    this.#closing = closing;
    closing.addEventListener('abort', () => this.#end(), { once: true });
  }

  /** Takes a connection over from HTTP, or refuses it with an HTTP reply. */
  async take(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    stream.on('error', () => undefined);
    const url = request.url ?? '/';
    const refusal = this.#refusal(request, url.split('?')[0] ?? '/', nodeFor(url, this.#service));
    if (refusal !== undefined) {
      stream.end(`HTTP/1.1 ${refusal}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    const server = await this.#load();
    server.handleUpgrade(request, stream, head, (socket) =>
      this.#serve({ socket, url, subscriptions: new Subscriptions(), refusedInARow: 0, late: [] }),
    );
  }

  #refusal(request: IncomingMessage, path: string, node: object): string | undefined {
    if (isForeign(request)) return '403 Forbidden';
    if (path !== '/rpc' && path !== '/') return '404 Not Found';
    if ('problem' in node) return '400 Bad Request';
    const isFull = this.#connections.size >= connectionsAtMost || this.#closing.aborted;
    return isFull ? '503 Service Unavailable' : undefined;
  }

  async #load(): Promise<WebSocketServer> {
    if (this.#server === undefined) {
      const { WebSocketServer } = await import('ws');
      this.#server ??= new WebSocketServer({
        noServer: true,
        clientTracking: false,
        maxPayload: messageBytesAtMost,
        perMessageDeflate: false,
      });
    }
    return this.#server;
  }

  #serve(connection: Connection): void {
    const { socket } = connection;
    this.#connections.add(connection);
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      this.#connections.delete(connection);
      this.#keepLooking();
    });
    socket.on('message', (data) => this.#hear(connection, data as Buffer));
    if (this.#closing.aborted) socket.terminate();
  }

  /** If the folder is busy or gone, the connection ends, as a real node's would. */
  #hear(connection: Connection, bytes: Buffer): void {
    try {
      this.#answer(connection, bytes);
    } catch {
      connection.socket.terminate();
    }
  }

  #answer(connection: Connection, bytes: Buffer): void {
    const { socket, subscriptions } = connection;
    const decoded = decodeJson(bytes);
    if (decoded === undefined) {
      socket.send(answerUnreadable());
      return;
    }
    const call = decoded.value;
    // A keep-alive message needs no answer.
    if (typeof call === 'object' && call !== null && !('id' in call)) return;
    const fault = this.#fate.ofRpc(methodsIn(call));
    if (fault !== undefined && fault.kind !== 'rpc-error' && fault.kind !== 'pass') {
      socket.terminate();
      return;
    }
    const node = nodeFor(connection.url, this.#service);
    if ('problem' in node) throw new Error(node.problem);
    const reply = answerWith(subscriptionMethods, call, fault, (run, params) =>
      run(params, subscriptions, node),
    );
    this.#reply(connection, reply, node.nowMs);
    this.#keepLooking();
  }

  #reply(connection: Connection, reply: object, nowMs: number): void {
    connection.refusedInARow = 'error' in reply ? connection.refusedInARow + 1 : 0;
    const tooOften = connection.refusedInARow - refusedAtOnce;
    if (tooOften <= 0) this.#tell(connection, reply);
    else
      connection.late.push({ reply, dueMs: nowMs + Math.min(refusalAtLatestMs, 1000 * 2 ** (tooOften - 1)) });
  }

  #keepLooking(): void {
    const isAwaited = [...this.#connections].some(
      ({ subscriptions, late }) => subscriptions.count > 0 || late.length > 0,
    );
    if (!isAwaited) clearInterval(this.#timer);
    this.#timer = isAwaited
      ? (this.#timer ?? setInterval(() => this.#look(), lookEveryMs).unref())
      : undefined;
  }

  #look(): void {
    for (const connection of this.#connections) {
      try {
        const node = nodeFor(connection.url, this.#service);
        if ('problem' in node) continue;
        for (const each of connection.subscriptions.due(node)) this.#tell(connection, each);
        const isDue = ({ dueMs }: { dueMs: number }): boolean => dueMs <= node.nowMs;
        for (const { reply } of connection.late.filter(isDue)) this.#tell(connection, reply);
        connection.late = connection.late.filter((each) => !isDue(each));
      } catch {
        connection.socket.terminate();
      }
    }
    this.#keepLooking();
  }

  /** Drops a client that does not read. */
  #tell({ socket }: Connection, message: object): void {
    if (socket.bufferedAmount > unreadBytesAtMost) socket.terminate();
    else socket.send(toJson(message));
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#connections) socket.terminate();
  }
}

type Watch = {
  readonly method: string;
  /** What is new since the last call: a result for each notification. */
  readonly due: (node: Node) => object[];
  readonly isOver?: () => boolean;
};

type Results = (from: number, upTo: number, node: Node) => unknown[];

/** Reports what happened since the last call, up to the newest slot that has reached the commitment. */
function watchOf(method: string, commitment: Stage, started: Node, resultsOf: Results): Watch {
  let told = slotAt(commitment, started);
  return {
    method,
    due: (node) => {
      const from = told;
      told = Math.max(from, reachedSlot(commitment, node) ?? from);
      const context = { slot: told };
      return resultsOf(from, told, node).map((value) => ({ context, value }));
    },
  };
}

/** Undefined while transactions are held back from the commitment, or after they were dropped. */
function reachedSlot(commitment: Stage, node: Node): number | undefined {
  const slot = slotAt(commitment, node);
  const stage = stageOf(slot, node);
  return stage !== undefined && isAtLeast(stage, commitment) ? slot : undefined;
}

function watchAccount(params: unknown[], started: Node): Watch {
  const address = addressIn(params[0]);
  const config = configOf(params[1]);
  const commitment = commitmentOf(config);
  const shown = (upTo: number, { ledger }: Node): object =>
    notifiedAccount(accountAsOf(upTo, address, ledger), config, ledger);
  let last = toJson(shown(slotAt(commitment, started), started));
  // Money from the control interface is in no transaction, so the last reported value is compared.
  return watchOf('accountNotification', commitment, started, (_, upTo, node) => {
    const value = shown(upTo, node);
    const json = toJson(value);
    if (json === last) return [];
    last = json;
    return [value];
  });
}

function watchProgram(params: unknown[], started: Node): Watch {
  const program = addressIn(params[0]);
  const config = configOf(params[1]);
  // Refuses a configuration that could not show any account.
  notifiedAccount(nothingAt(program), config, started.ledger);
  const filters = listIn(config.filters ?? [], 'filters', filtersAtMost).map(filterIn);
  return watchOf('programNotification', commitmentOf(config), started, (from, upTo, { ledger }) => {
    const changed = ledger.transactions.between(from, upTo).flatMap(changedIn);
    return [...new Set(changed)]
      .map((address) => accountAsOf(upTo, address, ledger))
      .filter(({ owner, data }) => owner === program && filters.every((passes) => passes(data)))
      .map((account) => ({ pubkey: account.address, account: notifiedAccount(account, config, ledger) }));
  });
}

function watchLogs(params: unknown[], started: Node): Watch {
  const mentioned = mentionedIn(params[0]);
  return watchOf('logsNotification', commitmentOf(configOf(params[1])), started, (from, upTo, { ledger }) =>
    ledger.transactions
      .between(from, upTo)
      .filter((each) => mentioned === undefined || keysOf(each).includes(mentioned))
      .map(({ signature, meta }) => ({ signature, err: null, logs: meta.logs })),
  );
}

/** The one address to look for; undefined for all transactions. */
function mentionedIn(filter: unknown): string | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const [address, ...more] = listIn(configOf(filter).mentions, 'mentions', 1);
  if (more.length > 0) throw invalidParams('only one address may be mentioned');
  return addressIn(address);
}

const keysOf = ({ wire, meta }: StoredTransaction): string[] =>
  allAccounts(decodeTransaction(wire).message, meta.loaded);

function changedIn(transaction: StoredTransaction): string[] {
  const { preBalances, postBalances, preTokenBalances, postTokenBalances } = transaction.meta;
  const unitsAt = (balances: typeof preTokenBalances, index: number): string | undefined =>
    balances.find(({ accountIndex }) => accountIndex === index)?.amount;
  return keysOf(transaction).filter(
    (_, index) =>
      preBalances[index] !== postBalances[index] ||
      unitsAt(preTokenBalances, index) !== unitsAt(postTokenBalances, index),
  );
}

const nothingAt = (address: string): Account => ({
  address,
  lamports: 0n,
  owner: systemProgram,
  data: new Uint8Array(0),
});

/** An account after a slot, without the transactions that came later. */
function accountAsOf(upTo: number, address: string, ledger: Ledger): Account {
  const now = ledger.accounts.get(address) ?? nothingAt(address);
  const later = ledger.transactions.firstTouching(address, upTo);
  if (later === undefined) return now;
  const index = keysOf(later).indexOf(address);
  const lamports = BigInt(later.meta.preBalances[index] ?? '0');
  if (lamports === 0n) return nothingAt(address);
  const held = later.meta.preTokenBalances.find(({ accountIndex }) => accountIndex === index);
  return {
    ...now,
    lamports,
    data: held === undefined ? now.data : withUnits(now.data, 64, BigInt(held.amount)),
  };
}

const filtersAtMost = 4;

type Passes = (data: Uint8Array) => boolean;

function filterIn(value: unknown): Passes {
  const { dataSize, memcmp } = configOf(value);
  if (dataSize !== undefined) {
    const size = countIn(dataSize, 'dataSize', 2 ** 32, 0);
    return (data) => data.length === size;
  }
  if (memcmp === undefined) throw invalidParams('a filter is dataSize or memcmp');
  const { offset, bytes, encoding = 'base58' } = configOf(memcmp);
  const wanted = bytesIn(text(bytes, 'memcmp.bytes'), encoding);
  const from = countIn(offset, 'memcmp.offset', 2 ** 32, 0);
  return (data) => Buffer.from(data.subarray(from, from + wanted.length)).equals(wanted);
}

function bytesIn(written: string, encoding: unknown): Buffer {
  if (encoding === 'base64') return Buffer.from(written, 'base64');
  try {
    if (encoding === 'base58') return Buffer.from(base58.decode(written));
  } catch {
    // The error below covers this, as it covers an unknown encoding.
  }
  throw invalidParams('memcmp.bytes must be base58, or base64 where its encoding says so');
}

/** A message to a subscriber. */
type Notification = { jsonrpc: '2.0'; method: string; params: { result: object; subscription: number } };

const subscriptionsAtMost = 100;

/** The subscriptions of one connection. */
class Subscriptions {
  readonly #watches = new Map<number, Watch>();
  #next = 1;

  get count(): number {
    return this.#watches.size;
  }

  add(watch: Watch): number {
    if (this.#watches.size >= subscriptionsAtMost) throw new RpcError(-32000, 'Too many subscriptions');
    const id = this.#next;
    this.#next += 1;
    this.#watches.set(id, watch);
    return id;
  }

  remove(id: unknown): boolean {
    if (typeof id === 'number' && this.#watches.delete(id)) return true;
    throw new RpcError(-32602, 'Invalid subscription id.');
  }

  /** What is new since the last call. */
  due(node: Node): Notification[] {
    return [...this.#watches].flatMap(([id, watch]) => {
      const results = watch.due(node);
      if (watch.isOver?.() === true) this.#watches.delete(id);
      return results.map((result): Notification => {
        const params = { result, subscription: id };
        return { jsonrpc: '2.0', method: watch.method, params };
      });
    });
  }
}

function watchSlots(): Watch {
  let told = -1;
  return {
    method: 'slotNotification',
    due: (node) => {
      const { slot } = node;
      if (slot === told) return [];
      told = slot;
      return [{ parent: Math.max(0, slot - 1), root: slotAt('finalized', node), slot }];
    },
  };
}

/** A signature is reported once, and then no longer watched. */
function watchSignature([wanted, given]: unknown[]): Watch {
  const signature = signatureIn(wanted);
  const commitment = commitmentOf(configOf(given));
  let isToldReceived = configOf(given).enableReceivedNotification !== true;
  let isOver = false;
  return {
    method: 'signatureNotification',
    isOver: () => isOver,
    due: (node) => {
      const found = node.ledger.transactions.get(signature);
      const stage = found === undefined ? undefined : stageOf(found.slot, node);
      if (stage === undefined) return [];
      const result = (value: unknown, at: Stage): object => ({ context: { slot: slotAt(at, node) }, value });
      const received = isToldReceived ? [] : [result('receivedSignature', 'processed')];
      isToldReceived = true;
      isOver = isAtLeast(stage, commitment);
      return isOver ? [...received, result({ err: null }, commitment)] : received;
    },
  };
}

const watches: Readonly<Record<string, (params: unknown[], started: Node) => Watch>> = {
  account: watchAccount,
  logs: watchLogs,
  program: watchProgram,
  signature: watchSignature,
  slot: watchSlots,
};

type SubscriptionMethod = (params: unknown[], subscriptions: Subscriptions, node: Node) => unknown;

const end: SubscriptionMethod = ([id], subscriptions) => subscriptions.remove(id);

export const subscriptionMethods: Readonly<Record<string, SubscriptionMethod>> = Object.fromEntries(
  Object.entries(watches).flatMap(([what, watch]): [string, SubscriptionMethod][] => [
    [`${what}Subscribe`, (params, subscriptions, node) => subscriptions.add(watch(params, node))],
    [`${what}Unsubscribe`, end],
  ]),
);
