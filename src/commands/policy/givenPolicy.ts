import { resolve } from 'node:path';
import type { Given } from '../../cli/given.ts';
import { Failure } from '../../errors.ts';
import type { Policy } from '../../policy/policy.ts';
import { readSafely } from '../../policy/policyFile.ts';
import { readPolicy } from '../../policy/readPolicy.ts';
import { inWords } from '../../words/inWords.ts';
import { Told } from '../../words/told.ts';

type GivenPolicy = { readonly path: string; readonly text: string; readonly policy: Policy };

/** The policy that a command is given. */
export async function givenPolicy({ args }: Given): Promise<GivenPolicy> {
  const path = resolve(args[0] ?? '');
  try {
    const text = readSafely(path, 'is-refused') ?? '';
    return { path, text, policy: readPolicy(text, path) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    // No command is kept from sending by it: it is a file like any other that a command is given.
    const { message, details } = await inWords(thrown);
    throw new Told('bad-file', message, details);
  }
}
