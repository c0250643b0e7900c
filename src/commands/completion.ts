import { scripts } from '../cli/completion/scripts.ts';
import { shells } from '../cli/completion/shells.ts';
import { nearest } from '../cli/nearest.ts';
import type { Run } from '../cli/spec.ts';
import { noCompletionFor } from '../words/help.ts';

export const run: Run = async ({ command, args }, { display }) => {
  const [wanted = ''] = args;
  const shell = shells.find((known) => known === wanted);
  if (shell === undefined) throw noCompletionFor(wanted, nearest(wanted, shells), shells);
  const script = scripts[shell];
  await display.show({ json: { schema: 'botctl/1', command, shell, script }, human: () => script });
  return 0;
};
