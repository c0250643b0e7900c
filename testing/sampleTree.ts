import type { CommandSpec, ParsedArgs, Run } from '../src/cli/parse/command.ts';

/** A small command tree with every kind of option. Each command records its arguments. */
export function sampleTree(seen: ParsedArgs[]): readonly CommandSpec[] {
  const run: Run = async (given, { display }) => {
    seen.push(given);
    display.step('a step');
    await display.show({
      json: { command: given.command, args: given.args, given: given.occurrences },
      human: () => 'human face\n',
      quiet: given.command,
    });
    return 0;
  };
  const load = async (): Promise<Run> => run;
  return [
    {
      name: 'send',
      about: 'sends',
      options: [
        { flags: '--content <text>', about: 'text' },
        { flags: '--memo <text>', about: 'text' },
        { flags: '--button <spec>', about: 'a button', repeatable: true },
        { flags: '--row', about: 'a row', repeatable: true },
        { flags: '-y, --yes', about: 'yes' },
      ],
      does: 'looks',
      examples: [],
      exits: [0, 2],
      load,
    },
    {
      name: 'config',
      about: 'profiles',
      children: [
        {
          name: 'add',
          about: 'adds',
          arguments: [{ usage: '<name>', about: 'name' }],
          options: [{ flags: '--use', about: 'use' }],
          does: 'looks',
          examples: [],
          exits: [0, 2],
          load,
        },
      ],
    },
  ];
}
