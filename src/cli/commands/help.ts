import { failureWith } from '../../once/failures.ts';
import { answeredOptions, globalOptions, type OptionSpec } from '../parse/args.ts';
import type { CommandSpec, Run } from '../parse/command.ts';
import { parseCommandLine } from '../parse/commandLine.ts';
import { topicOf } from '../parse/topics.ts';
import { version } from '../parse/version.ts';
import { groupedExits } from '../wording/problem.ts';

const widthInPipe = 80;

export function runFor(tree: readonly CommandSpec[]): Run {
  return async ({ args: { command, words }, display }) => {
    const path = words.join(' ');
    const topic = topicOf(path);
    const textFor = (columns: number): string =>
      topic ?? String(parseCommandLine([...words, '--help'], tree, columns));
    const text = textFor(widthInPipe);
    const commands = commandsIn(tree).filter(({ name }) => path === '' || `${name} `.startsWith(`${path} `));
    if (topic === undefined && commands.length === 0)
      throw failureWith('usage')`Unknown command '${path}'
        This lists the commands:
        $ --help`;
    const described = {
      version,
      options: [...globalOptions, ...answeredOptions].map(optionJson),
      commands,
      exits: groupedExits.flatMap(({ title, rows }) => rows.map((row) => ({ ...row, todo: title }))),
    };
    await display.show({
      json: { schema: 'botctl/1', command, ...(topic === undefined ? described : { text }) },
      human: ({ columns }) => (Number.isFinite(columns) ? textFor(columns) : text),
    });
    return 0;
  };
}

function commandsIn(tree: readonly CommandSpec[], above = ''): { name: string }[] {
  return tree.flatMap((spec) => {
    const name = `${above}${spec.name}`;
    if ('children' in spec) return commandsIn(spec.children, `${name} `);
    const takes = spec.arguments.map(({ usage, about }) => ({ usage, about }));
    return [{ name, about: spec.about, arguments: takes, options: spec.options.map(optionJson) }];
  });
}

function optionJson({ flags, about, repeatable, env }: OptionSpec): object {
  const [, short, name, value] = /^(?:(-\w), )?(--[a-z-]+)(?: (.+))?$/u.exec(flags) ?? [];
  return { name, short, value, about, repeatable, env };
}
