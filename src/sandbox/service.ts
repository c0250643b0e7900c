import type { Chain } from './chain.ts';
import type { Derived, TokenName } from './derived.ts';
import type { Ledger } from './ledger.ts';
import type { Readings } from './readings.ts';
import type { ReplyContext } from './reply.ts';

/** What a request is answered with. */
export type Service = {
  ledger: Ledger;
  derived: Derived;
  readings: () => Readings;
  nowMs: () => number;
  requestId: () => string;
  loadChain: () => Chain;
};

/** One admitted request: who asks, what its bytes were, and how the service reads its document now. */
export type RequestContext = ReplyContext & { token: TokenName; bodyText: string; bodyHash: string };

export function replyContext(service: Service): ReplyContext {
  return { readings: service.readings(), requestId: service.requestId(), nowMs: service.nowMs() };
}
