import type { Derived, TokenName } from './derived.ts';
import { type RateLimit, takeOne } from './limit.ts';
import type { Operation } from './operation.ts';
import { type Rejection, type ReplyContext, rejection } from './reply.ts';
import { isJson } from './requestJson.ts';
import type { Service } from './service.ts';

export type RequestHead = { operation: Operation; authorization: string[]; contentType: string | undefined };

/** All that is asked of a request before its body is. */
export function admit(
  head: RequestHead,
  context: ReplyContext,
  service: Service,
): { kind: 'admitted'; token: TokenName } | Rejection {
  const token = tokenOf(head.authorization, service.derived);
  if (token === undefined) return rejection(401, 'invalid_token', 'The bot token is missing or invalid.');
  const denied = deniedTo(token, head.operation) ?? limited(`${token}/${head.operation}`, context, service);
  if (denied !== undefined) return denied;
  if (!isJson(head.contentType)) {
    return rejection(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.');
  }
  return { kind: 'admitted', token };
}

function tokenOf(authorization: string[], { tokens }: Derived): TokenName | undefined {
  if (authorization.length !== 1) return undefined;
  const names: TokenName[] = ['full', 'no_send', 'no_wallet'];
  return names.find((name) => authorization[0] === `Bot ${tokens[name]}`);
}

function deniedTo(token: TokenName, operation: Operation): Rejection | undefined {
  if (operation === 'message' && token === 'no_send') {
    return rejection(403, 'send_permission_missing', 'This bot has no send permission.');
  }
  if (operation === 'transfer' && token === 'no_wallet') {
    return rejection(403, 'wallet_scope_disabled', 'The wallet transfer scope is disabled for this bot.');
  }
  return undefined;
}

function limited(bucketName: string, { readings }: ReplyContext, service: Service): Rejection | undefined {
  const waitMs = takeFrom(bucketName, readings.rate_limit, service);
  if (waitMs === undefined) return undefined;
  return { ...rejection(429, 'rate_limited', 'Too many requests.'), retryAfterMs: waitMs };
}

/** Takes one from a bucket; where it is empty, how long until there is one. */
export function takeFrom(
  bucketName: string,
  limit: RateLimit | null,
  { ledger, nowMs }: Pick<Service, 'ledger' | 'nowMs'>,
): number | undefined {
  if (limit === null) return undefined;
  const taken = ledger.atomically(() => {
    const result = takeOne(limit, ledger.buckets.get(bucketName), nowMs());
    ledger.buckets.put(bucketName, result.bucket);
    return result;
  });
  return taken.allowed ? undefined : taken.waitMs;
}
