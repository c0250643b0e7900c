import { resolve } from 'node:path';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { policyView } from '../../display/policyView.ts';
import type { Exit } from '../../errors.ts';
import { policyAt } from '../../policy/policyFile.ts';
import { policyIsGood } from '../../words/policyShow.ts';
import { shownPolicy } from './shownPolicy.ts';

/** Reads a policy as a command that sends would, and shows what it says. */
export async function run(given: Given, { display }: Context): Promise<Exit> {
  const path = resolve(given.args[0] ?? '');
  const policy = policyAt(path, 'is-refused');
  if (policy === undefined) throw new Error('a policy that must be there is there');
  await display.show(policyView({ command: given.command, policies: [shownPolicy(policy)] }));
  if (!display.quiet) display.notice(policyIsGood(path));
  return 0;
}
