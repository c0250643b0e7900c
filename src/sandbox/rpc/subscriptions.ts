import { commitmentOf, configOf } from './config.ts';
import { isAtLeast, type Node, type Stage, slotAt, stageOf } from './node.ts';
import { RpcError } from './rpcError.ts';
import { signatureIn } from './transactions.ts';

type Watch =
  | { kind: 'slot'; told: number }
  | { kind: 'signature'; signature: string; commitment: Stage; received: boolean };

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

  /** What has come about since it was last asked. A signature is told once, and then no longer watched. */
  due(node: Node): Notification[] {
    return [...this.#watches].flatMap(([id, watch]) => {
      if (watch.kind === 'slot') return this.#slotDue(id, watch, node);
      return this.#signatureDue(id, watch, node);
    });
  }

  #slotDue(id: number, watch: Watch & { kind: 'slot' }, node: Node): Notification[] {
    const { slot } = node;
    if (slot === watch.told) return [];
    watch.told = slot;
    const result = { parent: Math.max(0, slot - 1), root: slotAt('finalized', node), slot };
    return [notification('slotNotification', id, result)];
  }

  #signatureDue(id: number, watch: Watch & { kind: 'signature' }, node: Node): Notification[] {
    const found = node.ledger.transactions.get(watch.signature);
    const stage = found === undefined ? undefined : stageOf(found.slot, node);
    if (stage === undefined) return [];
    const told: Notification[] = [];
    const tell = (value: unknown, commitment: Stage): void => {
      const context = { slot: slotAt(commitment, node) };
      told.push(notification('signatureNotification', id, { context, value }));
    };
    if (watch.received) tell('receivedSignature', 'processed');
    watch.received = false;
    if (!isAtLeast(stage, watch.commitment)) return told;
    this.#watches.delete(id);
    tell({ err: null }, watch.commitment);
    return told;
  }
}

function notification(method: string, subscription: number, result: object): Notification {
  return { jsonrpc: '2.0', method, params: { result, subscription } };
}

type SubscriptionMethod = (params: unknown[], subscriptions: Subscriptions) => unknown;

export const subscriptionMethods: Readonly<Record<string, SubscriptionMethod>> = {
  signatureSubscribe: ([signature, config], subscriptions) =>
    subscriptions.add({
      kind: 'signature',
      signature: signatureIn(signature),
      commitment: commitmentOf(configOf(config)),
      received: configOf(config).enableReceivedNotification === true,
    }),
  signatureUnsubscribe: ([id], subscriptions) => subscriptions.remove(id),
  slotSubscribe: (_, subscriptions) => subscriptions.add({ kind: 'slot', told: -1 }),
  slotUnsubscribe: ([id], subscriptions) => subscriptions.remove(id),
};
