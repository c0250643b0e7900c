import type { Completes } from '../spec.ts';
import { argumentRows, isWords, type Node, valueOptions } from './model.ts';

/** bash 3.2 (macOS) and newer. Words are compared and listed, never expanded: `compgen -W` would run them. */
export function bashScript(nodes: readonly Node[]): string {
  return `# botctl completion for bash. Load it with:  source <(botctl completion bash)
_botctl_offer() {
  local word
  while IFS=$'\\t' read -r word _; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}

_botctl_paths() {
  compopt -o filenames 2>/dev/null
  local path
  while IFS= read -r path; do COMPREPLY+=("$path"); done < <(compgen "$1" -- "$current")
}

_botctl_known() {
  _botctl_offer < <(command botctl complete "$1" "\${passed[@]}" 2>/dev/null </dev/null)
}

_botctl() {
  local current=\${COMP_WORDS[COMP_CWORD]} path='' pending='' arg=0 i word
  local -a passed=(--quiet)
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $pending ]]; then
      if [[ $word == '=' ]]; then continue; fi
      if [[ $pending == --journal ]]; then passed+=(--journal "$word"); fi
      pending=''
      continue
    fi
    case $word in
      ${valueOptions(nodes)
        .flatMap(({ names }) => names)
        .join(' | ')}) pending=$word ;;
      --sandbox) passed+=(--sandbox) ;;
      -*) ;;
      *)
        case "$path $word" in
          ${nodes
            .filter(({ path }) => path !== '')
            .map(({ path }) => `'${path.includes(' ') ? path : ` ${path}`}'`)
            .join(' | ')}) path="\${path:+$path }$word" ;;
          *) arg=$((arg + 1)) ;;
        esac
        ;;
    esac
  done
  if [[ -n $pending ]]; then
    if [[ $current == '=' ]]; then current=''; fi
    case $pending in
${valueOptions(nodes)
  .flatMap(({ names, completes }) =>
    completes === undefined ? [] : [`      ${names.join(' | ')}) ${offer(completes)} ;;`],
  )
  .join('\n')}
    esac
    return
  fi
  if [[ $current == -* ]]; then
    case $path in
${nodes.map(({ path, options }) => `      '${path}') ${list(options.flatMap(({ names }) => names))} ;;`).join('\n')}
    esac
    return
  fi
  case "$path $arg" in
${nodes
  .filter(({ commands }) => commands.length > 0)
  .map(({ path, commands }) => `    '${path} 0') ${list(commands.map(({ word }) => word))} ;;`)
  .join('\n')}
${argumentRows(nodes)
  .map(({ path, index, completes }) => `    '${path} '${index}) ${offer(completes)} ;;`)
  .join('\n')}
  esac
}

complete -F _botctl botctl
`;
}

function list(words: readonly string[]): string {
  return `_botctl_offer < <(printf '%s\\n' ${words.join(' ')})`;
}

function offer(completes: Completes): string {
  if (isWords(completes)) return list(completes);
  if (completes === 'file') return '_botctl_paths -f';
  if (completes === 'folder') return '_botctl_paths -d';
  return `_botctl_known ${completes}`;
}
