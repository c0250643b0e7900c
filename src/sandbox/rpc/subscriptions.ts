import { commitmentOf, configOf } from './config.ts';
import { isAtLeast, type Node, type Stage, slotAt, stageOf } from './node.ts';
import { RpcError } from './rpcError.ts';
import { signatureIn } from './transactions.ts';
import { type Watch, watchAccount, watchLogs, watchProgram } from './watches.ts';

/** Something that a subscriber is to hear. */
type Notification = { jsonrpc: '2.0'; method: string; params: { result: object; subscription: number } };

const subscriptionsAtMost = 100;

/** What one connection waits to hear. */
export class Subscriptions {
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

  /** What has come about since it was last asked. */
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

/** A signature is told once, and then no longer watched. */
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
