import type { Policy } from '../../src/policy/policy.ts';
import { readPolicy } from '../../src/policy/readPolicy.ts';

/** A policy as read from its file. A new journal may start counting unless the policy forbids it. */
export function policyOf(written: object, source = 'the policy'): Policy {
  const file = { schema: 'botctl-policy/1', limits: { SOL: {} }, ...written };
  return readPolicy(JSON.stringify(file), source);
}
