import { existsSync } from 'node:fs';
import { isProposal } from '../../../once/engine/approval.ts';
import type { Intent } from '../../../once/journal/journal.ts';
import { settingsOfChoice } from '../../bot/chooseBot.ts';
import { profilesPaths, readProfiles } from '../../bot/profiles.ts';
import {
  type ArgumentSpec,
  type CommandSpec,
  type Completes,
  type Context,
  globalNames,
  globalOptions,
  type LeafSpec,
  nearest,
  type OptionOccurrence,
  type OptionSpec,
  options,
  ParsedArgs,
  type Run,
} from '../../parse/command.ts';
import { shells } from '../../parse/help.ts';
import { noCompletionFor } from '../../say/plans.ts';
import { cutTo, widthsFor } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';
import { whoGetsWhat } from '../history/view.ts';
import { botOptions } from '../openBot.ts';
import { journalLocation } from '../openJournal.ts';
import { policiesOf } from '../policies.ts';

export const run: Run = async ({ command, args }, { display }) => {
  const [wanted = ''] = args;
  const shell = shells.find((known) => known === wanted);
  if (shell === undefined) throw noCompletionFor(wanted, nearest(wanted, shells), shells);
  const script = scripts[shell];
  await display.show({ json: { schema: 'botctl/1', command, shell, script }, human: () => script });
  return 0;
};

/** bash 3.2 (macOS) and newer. Unlike `compgen -W`, it never expands the listed words. */
const bash = `# botctl completion for bash. Load it with:  source <(botctl completion bash)
_botctl() {
  local i word value about cut='' glue=''
  local current=\${COMP_WORDS[COMP_CWORD]}
  local -a words=()
  COMPREPLY=()
  # Readline splits --to=@ada at = and @.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ \${#words[@]} -gt 0 && ( -n $glue || $word == =* ) ]]; then
      cut=\${words[\${#words[@]} - 1]}
      words[\${#words[@]} - 1]+=$word
    else
      cut=''
      words+=("$word")
    fi
    glue=''
    if [[ $word =~ ^[=@]+$ ]]; then
      glue=yes
      if ((i == COMP_CWORD)); then cut+=$word current=''; fi
    fi
  done
  # It splits before an @, but then replaces the @ too.
  cut=\${cut%@}
  while IFS=$'\\t' read -r value about; do
    if [[ $value == :file || $value == :folder ]]; then
      compopt -o filenames 2>/dev/null
      word=-f
      if [[ $value == :folder ]]; then word=-d; fi
      while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$word" -- "$current")
    else
      printf -v value %q "\${value#"$cut"}"
      COMPREPLY+=("$value")
    fi
  done < <(command botctl complete -- "\${words[@]}" 2>/dev/null </dev/null)
}

complete -F _botctl botctl
`;

/** Works as a file called `_botctl` in fpath, or sourced after compinit. */
const zsh = `#compdef botctl
# botctl completion for zsh. Load it with:  source <(botctl completion zsh)
# or write it to a file called _botctl in a folder of $fpath.
_botctl() {
  local value about
  local -a known
  while IFS=$'\\t' read -r value about; do
    case $value in
      :file) compset -P '--*='; _files; return ;;
      :folder) compset -P '--*='; _files -/; return ;;
      *) known+=("\${value//:/\\\\:}:$about") ;;
    esac
  done < <(command botctl complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)
  _describe -V botctl known
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _botctl "$@"
else
  compdef _botctl botctl
fi
`;

const fish = `# botctl completion for fish. Load it with:  botctl completion fish | source
function __botctl_choices
    set -l current (commandline -ct)
    set -l words (commandline -opc)
    set -l choices (command botctl complete -- $words[2..] "$current" 2>/dev/null </dev/null)
    switch "$choices[1]"
        case :file :folder
            set -l path (string replace -r -- '^--[^=]*=' '' "$current")
            set -l before (string replace -- "$path" '' "$current")
            __fish_complete_path $path | string replace -r '^' -- "$before"
        case '*'
            printf '%s\\n' $choices
    end
end

complete -c botctl -f -k -a '(__botctl_choices)'
`;

/** PowerShell completes files itself. Older versions drop an empty argument, but not a blank one. */
const powershell = `# botctl completion for PowerShell. Load it with:
#   botctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName botctl -ScriptBlock {
  param($current, $ast, $cursor)
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  $words = @($words | Select-Object -Skip 1) + $(if ($current) { "$current" } else { ' ' })
  foreach ($line in @(& botctl complete -- @words 2>$null)) {
    $value, $about = $line -split "\`t", 2
    if ($value -notlike ':*') {
      $about = if ($about) { $about } else { $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
    }
  }
}
`;

/** The scripts know nothing about the commands: they ask `botctl complete` at each Tab. */
const scripts: Readonly<Record<(typeof shells)[number], string>> = { bash, zsh, fish, powershell };

const mostLookedUp = 30;
const aboutWidth = 60;

/** Answers a shell at a Tab. It only reads and never asks; if it cannot read, it offers nothing. */
export function runFor(tree: readonly CommandSpec[]): Run {
  return async ({ command, args }, context) => {
    const { begun, before, among, occurrences } = nextWord(tree, args);
    const line = new ParsedArgs(command, [], occurrences, globalNames);
    const known = typeof among === 'string' ? await lookedUp(among, line, context) : among;
    const fitting = known.filter(({ value }) => value.startsWith(begun) || value.startsWith(':'));
    for (const { value, about } of fitting) {
      const whole = value.startsWith(':') ? value : `${before}${value}`;
      await context.display.show({
        json: { schema: 'botctl/1', command, value: whole, about },
        human: () => `${safeLine(whole)}\t${safeLine(about)}\n`,
        quiet: whole,
      });
    }
    return 0;
  };
}

type Look = (line: ParsedArgs, context: Context) => Promise<readonly Completion[]>;

const looks: Readonly<Record<Exclude<Completes, readonly string[]>, Look>> = {
  // Shells list files better than we would.
  file: async () => [{ value: ':file', about: '' }],
  folder: async () => [{ value: ':folder', about: '' }],
  profiles,
  intents: intentsAmong(({ recentIntents }, path) => recentIntents(path, mostLookedUp)),
  proposals: intentsAmong(({ unfinishedIntents }, path) => unfinishedIntents(path).filter(isProposal)),
  unfinished: intentsAmong(({ unfinishedIntents }, path) =>
    unfinishedIntents(path).filter((intent) => !isProposal(intent)),
  ),
  batches,
  recipients,
  assets,
};

async function lookedUp(
  what: keyof typeof looks,
  line: ParsedArgs,
  context: Context,
): Promise<readonly Completion[]> {
  try {
    return await looks[what](line, context);
  } catch {
    return [];
  }
}

async function profiles(_line: ParsedArgs, { env }: Context): Promise<Completion[]> {
  const file = readProfiles(profilesPaths(env));
  return Object.entries(file.profiles).map(([value, profile]) => ({ value, about: profile['base-url'] }));
}

type LookOnly = typeof import('../../../once/journal/file/lookOnly.ts');

function intentsAmong(read: (lookOnly: LookOnly, path: string) => readonly Intent[]): Look {
  return async (line, context) => {
    const path = await journalFile(line, context);
    if (path === undefined) return [];
    const { own } = context.display;
    const among = read(await import('../../../once/journal/file/lookOnly.ts'), path);
    const found = among.slice(0, mostLookedUp).map((intent) => ({
      value: intent.id,
      about: `${intent.state}: ${intent.name === undefined ? '' : `[${intent.name}] `}${whoGetsWhat(intent, own)}`,
    }));
    const cutting = { widthOf: await widthsFor(found.map(({ about }) => about)), cut: own('…') };
    return found.map(({ value, about }) => ({ value, about: cutTo(about, aboutWidth, cutting) }));
  };
}

async function batches(line: ParsedArgs, context: Context): Promise<Completion[]> {
  const path = await journalFile(line, context);
  if (path === undefined) return [];
  const { latestBatches } = await import('../../../once/journal/file/lookOnly.ts');
  return latestBatches(path, mostLookedUp).map((value) => ({ value, about: '' }));
}

async function recipients(line: ParsedArgs, context: Context): Promise<Completion[]> {
  if (line.flag('sandbox')) return [];
  const { settings } = await settingsOfChoice(botOptions(line), context);
  const policies = (await policiesOf({ name: '', settings }, context)) ?? [];
  return policies
    .flatMap((policy) => [...policy.recipients])
    .map(([name, address]) => ({ value: `@${name}`, about: address }));
}

async function assets(line: ParsedArgs, context: Context): Promise<Completion[]> {
  const sol = { value: 'SOL', about: '' };
  if (line.flag('sandbox')) return [sol];
  const { own } = await settingsOfChoice(botOptions(line), context);
  return [sol, ...Object.entries(own?.assets ?? {}).map(([value, about]) => ({ value, about }))];
}

/** Skips a shared journal: a Tab must not wait for a server. */
async function journalFile(line: ParsedArgs, context: Context): Promise<string | undefined> {
  const location = await journalLocation(line, context);
  return location.is === 'file' && existsSync(location.path) ? location.path : undefined;
}

type Completion = { readonly value: string; readonly about: string };

/** What the word at the cursor can be. */
type NextWord = {
  readonly begun: string;
  /** The part of the word before the value, as `--state=`. */
  readonly before: string;
  readonly among: readonly Completion[] | Exclude<Completes, readonly string[]>;
  /** The options and flags before the cursor. */
  readonly occurrences: readonly OptionOccurrence[];
};

const noChoices: readonly Completion[] = [];
const everywhere: readonly OptionSpec[] = [...globalOptions, ...options(['--help  show help'])];
const version = options(['--version  print the version']);

/** `words` are those after `botctl`. The last one is at the cursor and may be empty. */
function nextWord(tree: readonly CommandSpec[], words: readonly string[]): NextWord {
  const begun = words.at(-1)?.trimStart() ?? '';
  const spot = new Spot(tree);
  for (const word of words.slice(0, -1)) spot.pass(word);
  const { occurrences } = spot;
  const [, option, value] = /^(--[a-z-]+)=(.*)$/su.exec(begun) ?? [];
  if (option !== undefined && spot.awaited === undefined) {
    const among = choicesOf(spot.option(option));
    return { begun: value ?? '', before: `${option}=`, among, occurrences };
  }
  return { begun, before: '', among: spot.choices(begun), occurrences };
}

/** Where the words so far have led: the command, and how many arguments it has. */
class Spot {
  readonly occurrences: OptionOccurrence[] = [];
  /** The option whose value comes next. */
  awaited: OptionSpec | undefined;
  readonly #tree: readonly CommandSpec[];
  #commands: readonly CommandSpec[];
  #leaf: LeafSpec | undefined;
  #arguments = 0;

  constructor(tree: readonly CommandSpec[]) {
    this.#tree = tree;
    this.#commands = tree;
  }

  pass(word: string): void {
    if (this.awaited !== undefined) {
      this.occurrences.push({ name: this.awaited.name, value: word });
      this.awaited = undefined;
    } else if (word.startsWith('-')) this.#passOption(word);
    else this.#passArgument(word);
  }

  #passOption(word: string): void {
    const [name = '', ...value] = word.split('=');
    const option = this.option(name);
    if (option === undefined) return;
    if (!takesValue(option)) this.occurrences.push({ name: option.name, value: true });
    else if (value.length === 0) this.awaited = option;
    else this.occurrences.push({ name: option.name, value: value.join('=') });
  }

  #passArgument(word: string): void {
    const command = this.#commands.find(({ name, alias }) => name === word || alias === word);
    if (command === undefined) {
      this.#arguments += 1;
      return;
    }
    this.#commands = 'children' in command ? command.children : [];
    this.#leaf = 'children' in command ? undefined : command;
  }

  option(name: string): OptionSpec | undefined {
    return this.#options().find((option) => namesOf(option).includes(name));
  }

  choices(begun: string): NextWord['among'] {
    if (this.awaited !== undefined) return choicesOf(this.awaited);
    if (begun.startsWith('-')) {
      return this.#options().flatMap((option) =>
        namesOf(option).map((value) => ({ value, about: option.about })),
      );
    }
    if (this.#leaf !== undefined) return choicesOf(this.#argument(this.#leaf));
    return this.#commands
      .filter(({ hidden }) => hidden !== true)
      .map(({ name, about }) => ({ value: name, about }));
  }

  #options(): readonly OptionSpec[] {
    const own = this.#commands === this.#tree ? version : (this.#leaf?.options ?? []);
    return [...own, ...everywhere];
  }

  #argument({ arguments: takes = [] }: LeafSpec): ArgumentSpec | undefined {
    const last = takes.at(-1);
    return takes[this.#arguments] ?? (last?.usage.includes('...') ? last : undefined);
  }
}

const placeholders: Readonly<Record<string, Completes>> = { '<file>': 'file', '<dir>': 'folder' };

function choicesOf(spec: OptionSpec | ArgumentSpec | undefined): NextWord['among'] {
  if (spec === undefined) return noChoices;
  const [placeholder = ''] = /<.*>$/u.exec('flags' in spec ? spec.flags : spec.usage) ?? [];
  const completes = spec.completes ?? placeholders[placeholder] ?? [];
  return typeof completes === 'string' ? completes : completes.map((value) => ({ value, about: '' }));
}

function namesOf({ flags }: OptionSpec): string[] {
  return flags.match(/(?<=^|\s)--?[a-z][a-z-]*/gu) ?? [];
}

function takesValue({ flags }: OptionSpec): boolean {
  return / <.*>$/u.test(flags);
}
