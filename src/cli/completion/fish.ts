import type { Completes } from '../spec.ts';
import { argumentRows, type Choice, isWords, type Node, valueOptions } from './model.ts';

export function fishScript(nodes: readonly Node[]): string {
  const files = valueOptions(nodes).filter(({ completes }) => completes === 'file' || completes === 'folder');
  return `# botctl completion for fish. Load it with:  botctl completion fish | source
function __botctl_look --description 'where the cursor stands: path, argument number, option awaiting its value'
    set -l path ''
    set -l arg 0
    set -l pending ''
    set -l passed
    set -l words (commandline -opc)
    for word in $words[2..]
        if test -n "$pending"
            test $pending = --journal; and set -a passed --journal $word
            set pending ''
            continue
        end
        switch $word
            case ${valueOptions(nodes)
              .flatMap(({ names }) => names)
              .join(' ')}
                set pending $word
            case --sandbox '--journal=*'
                set -a passed $word
            case '-*'
            case '*'
                switch "$path $word"
                    case ${nodes
                      .filter(({ path }) => path !== '')
                      .map(({ path }) => `'${path.includes(' ') ? path : ` ${path}`}'`)
                      .join(' ')}
                        set path (string trim "$path $word")
                    case '*'
                        set arg (math $arg + 1)
                end
        end
    end
    set -l token (commandline -ct)
    set -l before ''
    if test -z "$pending"; and string match -q -- '--*=*' $token
        set pending (string replace -r '=.*' '' -- $token)
        set before $pending=
    end
    printf '%s\\n' "$path" $arg "$pending" "$before" $passed
end

function __botctl_wants_files
    set -l look (__botctl_look)
    contains -- "$look[3]" ${files.flatMap(({ names }) => names).join(' ')}
end

function __botctl_choices
    set -l look (__botctl_look)
    set -l path $look[1]
    set -l passed $look[5..]
    if test -n "$look[3]"
        switch $look[3]
${valueOptions(nodes)
  .flatMap(({ names, completes }) => {
    const offered = completes === undefined ? undefined : offer(completes);
    return offered === undefined
      ? []
      : [
          `            case ${names.join(' ')}\n                ${offered} | string replace -r '^' -- "$look[4]"`,
        ];
  })
  .join('\n')}
        end
        return
    end
    if string match -q -- '-*' (commandline -ct)
        switch $path
${nodes
  .map(
    ({ path, options }) =>
      `            case '${path}'\n                ${described(
        options.flatMap(({ names, about }) => names.map((word) => ({ word, about }))),
      )}`,
  )
  .join('\n')}
        end
        return
    end
    switch "$path $look[2]"
${nodes
  .filter(({ commands }) => commands.length > 0)
  .map(({ path, commands }) => `        case '${path} 0'\n            ${described(commands)}`)
  .join('\n')}
${argumentRows(nodes)
  .map(
    ({ path, index, completes }) =>
      `        case '${path} ${index}'\n            ${offer(completes) ?? 'true'}`,
  )
  .join('\n')}
    end
end

complete -c botctl -f -n 'not __botctl_wants_files' -k -a '(__botctl_choices)'
complete -c botctl -F -n __botctl_wants_files
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function described(choices: readonly Choice[]): string {
  return `printf '%s\\t%s\\n' ${choices.map(({ word, about }) => `${word} ${quoted(about)}`).join(' ')}`;
}

function offer(completes: Completes): string | undefined {
  if (isWords(completes)) return `printf '%s\\n' ${completes.join(' ')}`;
  if (completes === 'file' || completes === 'folder') return undefined;
  return `command botctl complete ${completes} $passed 2>/dev/null </dev/null`;
}
