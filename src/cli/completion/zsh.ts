import type { Completes } from '../spec.ts';
import { argumentRows, type Choice, isWords, type Node, valueOptions } from './model.ts';

/** For a file called `_botctl` in fpath, or to be sourced after compinit. */
export function zshScript(nodes: readonly Node[]): string {
  return `#compdef botctl
# botctl completion for zsh. Load it with:  source <(botctl completion zsh)
# or write it to a file called _botctl in a folder of $fpath.
_botctl_known() {
  local line value about
  local -a known
  while IFS=$'\\t' read -r value about; do
    known+=("\${value//:/\\\\:}:$about")
  done < <(command botctl complete $1 $passed 2>/dev/null </dev/null)
  _describe -V "$1" known
}

_botctl() {
  local where='' pending='' word
  local -i arg=0 i
  local -a passed choices
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    if [[ -n $pending ]]; then
      if [[ $pending == --journal ]] passed+=(--journal "$word")
      pending=''
      continue
    fi
    case $word in
      ${valueOptions(nodes)
        .flatMap(({ names }) => names)
        .join('|')}) pending=$word ;;
      --sandbox) passed+=(--sandbox) ;;
      --journal=*) passed+=("$word") ;;
      -*) ;;
      *)
        case "$where $word" in
          ${nodes
            .filter(({ path }) => path !== '')
            .map(({ path }) => `'${path.includes(' ') ? path : ` ${path}`}'`)
            .join('|')}) where="\${where:+$where }$word" ;;
          *) (( arg += 1 )) ;;
        esac
        ;;
    esac
  done
  if [[ -z $pending && $words[CURRENT] == --*=* ]]; then
    pending=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  if [[ -n $pending ]]; then
    case $pending in
${valueOptions(nodes)
  .flatMap(({ names, completes }) =>
    completes === undefined ? [] : [`      ${names.join('|')}) ${offer(completes)} ;;`],
  )
  .join('\n')}
    esac
    return
  fi
  if [[ $words[CURRENT] == -* ]]; then
    case $where in
${nodes
  .map(
    ({ path, options }) =>
      `      '${path}') choices=(${described(
        options.flatMap(({ names, about }) => names.map((word) => ({ word, about }))),
      )}) ;;`,
  )
  .join('\n')}
    esac
    _describe -o option choices
    return
  fi
  case "$where $arg" in
${nodes
  .filter(({ commands }) => commands.length > 0)
  .map(
    ({ path, commands }) => `    '${path} 0') choices=(${described(commands)}); _describe command choices ;;`,
  )
  .join('\n')}
${argumentRows(nodes)
  .map(({ path, index, completes }) => `    '${path} '${index}) ${offer(completes)} ;;`)
  .join('\n')}
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _botctl "$@"
else
  compdef _botctl botctl
fi
`;
}

function described(choices: readonly Choice[]): string {
  return choices.map(({ word, about }) => `'${`${word}:${about}`.replaceAll("'", "'\\''")}'`).join(' ');
}

function offer(completes: Completes): string {
  if (isWords(completes)) return `choices=(${completes.join(' ')}); _describe value choices`;
  if (completes === 'file') return '_files';
  if (completes === 'folder') return '_files -/';
  return `_botctl_known ${completes}`;
}
