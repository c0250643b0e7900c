import { CommanderError } from 'commander';
import type { CommandSpec } from './cli/spec.ts';
import { Failure } from './errors.ts';
import { buildProgram, type Chosen } from './program.ts';

/** What the words of a command line ask for: a command, or a text to print. Everything else is a failure. */
export async function parseCommandLine(
  argv: readonly string[],
  tree: readonly CommandSpec[],
  columns: number,
): Promise<{ chosen?: Chosen; text: string }> {
  let chosen: Chosen | undefined;
  let text = '';
  let complaint = '';
  const program = buildProgram(
    tree,
    (choice) => {
      chosen = choice;
    },
    argv,
  );
  overEach(program, (command) => {
    command.exitOverride();
    command.configureOutput({
      getOutHelpWidth: () => columns,
      writeOut: (chunk) => {
        text += chunk;
      },
      writeErr: (chunk) => {
        complaint += chunk;
      },
    });
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return { text };
    throw usageFailure(thrown, complaint);
  }
  if (chosen === undefined)
    throw new Failure('usage', 'No command is named.', { hint: 'botctl --help lists them.' });
  return { chosen, text };
}

function overEach(
  program: ReturnType<typeof buildProgram>,
  visit: (command: ReturnType<typeof buildProgram>) => void,
): void {
  visit(program);
  for (const child of program.commands) overEach(child as typeof program, visit);
}

function usageFailure(thrown: CommanderError, complaint: string): Failure {
  if (thrown.code === 'commander.help') {
    const [, path = 'botctl'] = /^Usage: (botctl(?: [a-z-]+)*)/u.exec(complaint) ?? [];
    return new Failure('usage', 'No command is named.', { hint: `${path} --help lists them.` });
  }
  // Of `--tokn=VALUE` commander would echo the value as well, and it may be a token.
  const withoutValue = complaint.replace(/^(error: unknown option '[^'=\n]*)=.*$/su, "$1'");
  const [first = thrown.message, ...rest] = withoutValue
    .replace(/^error: /u, '')
    .trim()
    .split('\n');
  const suggestion = rest.join(' ').replace(/^\(|\)$/gu, '');
  const [, option] = /^option '[^']*(--[a-z-]+)[^']*' argument missing$/u.exec(first) ?? [];
  const said = option === undefined ? first : `${option} needs a value`;
  return new Failure('usage', `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/u, '')}.`, {
    hint: suggestion === '' ? 'Add --help to the command to see what it takes.' : suggestion,
  });
}
