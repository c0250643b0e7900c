import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { policyView } from '../../display/policyView.ts';
import type { Exit } from '../../errors.ts';
import { policyIsGood } from '../../words/policyShow.ts';
import { givenPolicy } from './givenPolicy.ts';
import { shownPolicy } from './shownPolicy.ts';

/** Reads a policy as a command that sends would, and shows what it says. */
export async function run(given: Given, { display }: Context): Promise<Exit> {
  const { path, policy } = await givenPolicy(given);
  await display.show(policyView({ command: given.command, policies: [shownPolicy(policy)] }));
  if (!display.quiet) display.notice(policyIsGood(path));
  return 0;
}
