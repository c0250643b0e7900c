import { bashScript } from '../cli/completion/bash.ts';
import { fishScript } from '../cli/completion/fish.ts';
import { completionNodes, type Node } from '../cli/completion/model.ts';
import { powershellScript } from '../cli/completion/powershell.ts';
import { shells } from '../cli/completion/shells.ts';
import { zshScript } from '../cli/completion/zsh.ts';
import { nearest } from '../cli/nearest.ts';
import type { CommandSpec, Run } from '../cli/spec.ts';
import { noCompletionFor } from '../words/help.ts';

const scripts: Readonly<Record<string, (nodes: readonly Node[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} satisfies Record<(typeof shells)[number], unknown>;

export function runFor(tree: readonly CommandSpec[]): Run {
  return async ({ command, args }, { display }) => {
    const [shell = ''] = args;
    const script = writerOf(shell)(completionNodes(tree));
    await display.show({
      json: { schema: 'botctl/1', command, shell, script },
      human: () => script,
    });
    return 0;
  };
}

function writerOf(shell: string): (nodes: readonly Node[]) => string {
  const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (write !== undefined) return write;
  throw noCompletionFor(shell, nearest(shell, shells), shells);
}
