import type { Policy } from '../src/once/policy/policy.ts';
import { readPolicy } from '../src/once/policy/readPolicy.ts';

/** A policy as its file would give it; a journal may begin to count unless it says otherwise. */
export function policyOf(written: object, source = 'the policy'): Policy {
  const file = { schema: 'botctl-policy/1', limits: { SOL: {} }, fresh_journal: 'allow', ...written };
  return readPolicy(JSON.stringify(file), source);
}
