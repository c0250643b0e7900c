import { nearest, type Run } from '../../parse/command.ts';
import { shells } from '../../parse/help.ts';
import { noCompletionFor } from '../../say/plans.ts';

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
