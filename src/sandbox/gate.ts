import type { Identity, TokenName } from './identity.ts';
import { takeOne } from './limit.ts';
import type { Operation } from './operation.ts';
import { type Refusal, type ReplyContext, refusal } from './reply.ts';
import { isJson } from './requestJson.ts';
import type { Service } from './service.ts';

export type Knock = { operation: Operation; authorization: string[]; contentType: string | undefined };

/** All that is asked of a request before its body is. */
export function admit(
  knock: Knock,
  context: ReplyContext,
  service: Service,
): { kind: 'admitted'; token: TokenName } | Refusal {
  const token = tokenOf(knock.authorization, service.identity);
  if (token === undefined) return refusal(401, 'invalid_token', 'The bot token is missing or invalid.');
  const denied = deniedTo(token, knock.operation) ?? limited(`${token}/${knock.operation}`, context, service);
  if (denied !== undefined) return denied;
  if (!isJson(knock.contentType)) {
    return refusal(415, 'unsupported_media_type', 'The request needs Content-Type: application/json.');
  }
  return { kind: 'admitted', token };
}

function tokenOf(authorization: string[], { tokens }: Identity): TokenName | undefined {
  if (authorization.length !== 1) return undefined;
  const names: TokenName[] = ['full', 'no_send', 'no_wallet'];
  return names.find((name) => authorization[0] === `Bot ${tokens[name]}`);
}

function deniedTo(token: TokenName, operation: Operation): Refusal | undefined {
  if (operation === 'message' && token === 'no_send') {
    return refusal(403, 'send_permission_missing', 'This bot has no send permission.');
  }
  if (operation === 'transfer' && token === 'no_wallet') {
    return refusal(403, 'wallet_scope_disabled', 'The wallet transfer scope is disabled for this bot.');
  }
  return undefined;
}

function limited(
  bucketName: string,
  { readings, nowMs }: ReplyContext,
  { ledger }: Service,
): Refusal | undefined {
  const limit = readings.rate_limit;
  if (limit === null) return undefined;
  const taken = ledger.atomically(() => {
    const result = takeOne(limit, ledger.buckets.get(bucketName), nowMs);
    ledger.buckets.put(bucketName, result.bucket);
    return result;
  });
  if (taken.allowed) return undefined;
  return { ...refusal(429, 'rate_limited', 'Too many requests.'), retryAfterMs: taken.waitMs };
}
