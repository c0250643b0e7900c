import { resolve } from 'node:path';
import type { Given } from '../../cli/given.ts';
import type { Policy } from '../../policy/policy.ts';
import { readSafely } from '../../policy/policyFile.ts';
import { readPolicy } from '../../policy/readPolicy.ts';
import { asBadFile } from '../../words/policyFile.ts';

type GivenPolicy = { readonly path: string; readonly text: string; readonly policy: Policy };

/** The policy that a command is given. */
export function givenPolicy({ args }: Given): GivenPolicy {
  const path = resolve(args[0] ?? '');
  try {
    const text = readSafely(path, 'is-refused') ?? '';
    return { path, text, policy: readPolicy(text, path) };
  } catch (thrown) {
    throw asBadFile(thrown);
  }
}
