import { nearest } from '../cli/nearest.ts';
import type { Run } from '../cli/spec.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { completionNodes, type Node } from '../completion/model.ts';
import { powershellScript } from '../completion/powershell.ts';
import { zshScript } from '../completion/zsh.ts';
import { Failure } from '../errors.ts';
import { shells } from './completionSpec.ts';
import { commandTree } from './tree.ts';

const scripts: Readonly<Record<string, (nodes: readonly Node[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} satisfies Record<(typeof shells)[number], unknown>;

export const run: Run = async ({ command, args }, { display }) => {
  const [shell = ''] = args;
  const write = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (write === undefined) {
    const meant = nearest(shell, shells);
    throw new Failure('usage', `There is no completion for "${shell}".`, {
      hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}There are ${shells.join(', ')}.`,
    });
  }
  const script = write(completionNodes(commandTree));
  await display.show({
    json: { schema: 'botctl/1', command, shell, script },
    human: () => script,
  });
  return 0;
};
