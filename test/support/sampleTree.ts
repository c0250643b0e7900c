import { type Args, options } from '../../src/cli/parse/args.ts';
import { branch, type CommandSpec, command, leaf, type Run } from '../../src/cli/parse/command.ts';

const send = command({
  about: 'sends',
  options: options([
    '--content <text>  text',
    '--memo <text>  text',
    ['--button <spec>  a button', { repeatable: true }],
    ['--row  a row', { repeatable: true }],
    '-y, --yes  yes',
  ]),
  does: 'looks',
  examples: {},
});

const add = command({
  about: 'adds',
  arguments: ['<name>  name'],
  options: options(['--use  use']),
  does: 'looks',
  examples: {},
});

/** A small command tree with every kind of option. Each command records its arguments. */
export function sampleTree(seen: Args<string>[]): readonly CommandSpec[] {
  const run: Run = async ({ args, display }) => {
    seen.push(args as Args<string>);
    display.step('a step');
    await display.show({
      json: { command: args.command, args: args.words, given: args.occurrences },
      human: () => 'human face\n',
      quiet: args.command,
    });
    return 0;
  };
  const load = async (): Promise<Run> => run;
  return [
    leaf('send', send, load),
    branch('config', { about: 'profiles', children: { add } }, { add: load }),
  ];
}
