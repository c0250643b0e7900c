import { failureWith } from '../../once/failures.ts';
import { answeredOptions, type Completes, globalOptions, type OptionSpec } from '../parse/args.ts';
import type { CommandSpec, LeafSpec, Run } from '../parse/command.ts';
import { shells } from './completion.spec.ts';

export function runFor(tree: readonly CommandSpec[]): Run {
  return async ({ args: { command, words }, display }) => {
    const [wanted = ''] = words;
    const shell = shells.find((known) => known === wanted);
    if (shell === undefined)
      throw failureWith('usage')`There is no completion for "${wanted}".
        Available: ${shells.join(', ')}.`;
    const script = scripts[shell](placesIn(tree));
    await display.show({ json: { schema: 'botctl/1', command, shell, script }, human: () => script });
    return 0;
  };
}

/** What may follow a command, or a group of commands such as `botctl batch`. */
type Place = {
  readonly at: string;
  readonly words: readonly Completes[];
  readonly options: readonly OptionSpec[];
};

const everywhere: readonly OptionSpec[] = [...globalOptions, ...answeredOptions];

function placesIn(tree: readonly CommandSpec[], at = 'botctl'): Place[] {
  const below = tree.flatMap((spec): Place[] => {
    const path = `${at} ${spec.name}`;
    return 'children' in spec ? placesIn(spec.children, path) : [placeOf(spec, path)];
  });
  return [{ at, words: [tree.map(({ name }) => name)], options: everywhere }, ...below];
}

function placeOf({ arguments: takes, options: own }: LeafSpec, at: string): Place {
  const words = takes.flatMap(({ completes }) => (completes === undefined ? [] : [completes]));
  return { at, words, options: [...own, ...everywhere] };
}

/** The two commands that a script runs at a Tab. Each prints one name per line. */
const asked = {
  profiles: 'command botctl config list --quiet 2>/dev/null </dev/null',
  batches: 'command botctl batch status --quiet 2>/dev/null </dev/null',
} as const;

function flagsOf({ flags }: OptionSpec): string[] {
  return flags.match(/(?<=^|\s)--?[a-z][a-z-]*/gu) ?? [];
}

/** Unlike `compgen -W`, this never expands the words. If no word matches, the shell completes file names. */
function bash(places: readonly Place[]): string {
  const words = (all: readonly Completes[]): string =>
    all.map((one) => (typeof one === 'string' ? `$(${asked[one]})` : one.join('\n'))).join('\n');
  const cases = places.flatMap(({ at, words: own, options: taken }) => [
    ...taken.flatMap((option): [string, string][] =>
      option.completes === undefined
        ? []
        : [
            [
              flagsOf(option)
                .map((flag) => `'${at}::${flag}:'*`)
                .join('|'),
              words([option.completes]),
            ],
          ],
    ),
    [`'${at}::'*':-'*`, taken.flatMap(flagsOf).join('\n')] as [string, string],
    [`'${at}::'*`, words(own)] as [string, string],
  ]);
  return `# botctl completion for bash. Load it with:  source <(botctl completion bash)
_botctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} at=botctl known='' word
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$at $word" in
      ${places
        .slice(1)
        .map(({ at }) => `'${at}'`)
        .join('|')}) at="$at $word" ;;
    esac
  done
  case "$at::$before:$current" in
${cases.map(([pattern, known]) => `    ${pattern}) known="${known}" ;;`).join('\n')}
  esac
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ -n $word && $word == "$current"* ]]; then COMPREPLY+=("$(printf %q "$word")"); fi
  done <<<"$known"
}
complete -o default -F _botctl botctl
`;
}

function zsh(places: readonly Place[]): string {
  const [, ...script] = bash(places).split('\n');
  return `# botctl completion for zsh. Load it after compinit with:  source <(botctl completion zsh)
autoload -U +X bashcompinit && bashcompinit
${script.join('\n')}`;
}

function fish(places: readonly Place[]): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/gu, '\\$&')}'`;
  const words = (all: readonly Completes[]): string =>
    all.length === 0
      ? ''
      : ` -f -a ${quoted(all.map((one) => (typeof one === 'string' ? `(${asked[one]})` : one.join(' '))).join(' '))}`;
  const lines = places.flatMap(({ at, words: own, options: taken }) => {
    const here = `complete -c botctl -n ${quoted(`__botctl_at ${at}`)}`;
    const named = taken.map((option) => {
      const flags = flagsOf(option).map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const takes = /[<[]/u.test(option.flags)
        ? ` -r${words(option.completes === undefined ? [] : [option.completes])}`
        : '';
      return `${here} ${flags.join(' ')}${takes} -d ${quoted(option.about)}`;
    });
    return [...(own.length === 0 ? [] : [`${here}${words(own)}`]), ...named];
  });
  return `# botctl completion for fish. Load it with:  botctl completion fish | source
function __botctl_at
    set -l at botctl
    for word in (commandline -opc)[2..]
        if contains -- "$at $word" ${places
          .slice(1)
          .map(({ at }) => quoted(at))
          .join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
${lines.join('\n')}
`;
}

const scripts: Readonly<Record<(typeof shells)[number], (places: readonly Place[]) => string>> = {
  bash,
  zsh,
  fish,
};
