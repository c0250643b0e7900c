import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Fate } from '../fate.ts';
import { isForeign } from '../foreign.ts';
import { decodeJson } from '../requestJson.ts';
import type { Service } from '../service.ts';
import { answerUnreadable, answerWith, methodsIn } from './answer.ts';
import { toJson } from './json.ts';
import { nodeFor } from './node.ts';
import { Subscriptions, subscriptionMethods } from './subscriptions.ts';

type Connection = {
  readonly socket: WebSocket;
  readonly url: string;
  readonly subscriptions: Subscriptions;
  /** How many calls it was refused one after the other. */
  refusedInARow: number;
  /** Refusals that are kept back. */
  late: { readonly reply: object; readonly dueMs: number }[];
};

/**
 * @solana/web3.js 1 asks again as soon as it is refused, 1,300 times a second: from the fourth refusal in a row on,
 * each comes later than the one before.
 */
const refusedAtOnce = 3;
const refusalAtLatestMs = 10_000;

const messageBytesAtMost = 64 * 1024;
const connectionsAtMost = 200;
const unreadBytesAtMost = 1024 * 1024;
const lookEveryMs = 20;

/** Subscriptions: looked after together, and only while there are some. */
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

  /** Takes a connection over from HTTP, or says why not in HTTP's words. */
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

  /** The folder may be busy or gone: then the connection ends, as a node's would. */
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
    // A client's sign of life: it wants no answer.
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

  /** Who does not read is left. */
  #tell({ socket }: Connection, message: object): void {
    if (socket.bufferedAmount > unreadBytesAtMost) socket.terminate();
    else socket.send(toJson(message));
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const { socket } of this.#connections) socket.terminate();
  }
}
