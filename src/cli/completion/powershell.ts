import type { Completes } from '../spec.ts';
import { argumentRows, type Choice, isWords, type Node, valueOptions } from './model.ts';

export function powershellScript(nodes: readonly Node[]): string {
  const paths = nodes.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# botctl completion for PowerShell. Load it with:
#   botctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName botctl -ScriptBlock {
  param($current, $ast, $cursor)
  function Known($what) {
    & botctl complete $what @passed 2>$null | ForEach-Object { , ($_ -split "\`t", 2) }
  }
  $path = ''; $arg = 0; $pending = ''; $passed = @()
  $words = @($ast.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  foreach ($word in @($words | Select-Object -Skip 1)) {
    if ($pending) {
      if ($pending -eq '--journal') { $passed += '--journal', $word }
      $pending = ''
    } elseif ($word -in ${valueOptions(nodes)
      .flatMap(({ names }) => names)
      .map((name) => `'${name}'`)
      .join(', ')}) { $pending = $word
    } elseif ($word -eq '--sandbox') { $passed += $word
    } elseif ($word -notlike '-*') {
      $next = "$path $word".Trim()
      if ($next -in ${paths.join(', ')}) { $path = $next } else { $arg += 1 }
    }
  }
  $choices = if ($pending) {
    switch ($pending) {
${valueOptions(nodes)
  .flatMap(({ names, completes }) => {
    const offered = completes === undefined ? undefined : offer(completes);
    return offered === undefined ? [] : names.map((name) => `      '${name}' { ${offered} }`);
  })
  .join('\n')}
    }
  } elseif ($current -like '-*') {
    switch ($path) {
${nodes
  .map(
    ({ path, options }) =>
      `      '${path}' { ${described(
        options.flatMap(({ names, about }) => names.map((word) => ({ word, about }))),
      )} }`,
  )
  .join('\n')}
    }
  } else {
    switch -Wildcard ("$path $arg") {
${nodes
  .filter(({ commands }) => commands.length > 0)
  .map(({ path, commands }) => `      '${path} 0' { ${described(commands)} }`)
  .join('\n')}
${argumentRows(nodes)
  .flatMap(({ path, index, completes }) => {
    const offered = offer(completes);
    return offered === undefined ? [] : [`      '${path} ${index}' { ${offered} }`];
  })
  .join('\n')}
    }
  }
  foreach ($choice in $choices) {
    if ($choice[0] -like "$([WildcardPattern]::Escape($current))*") {
      $about = if ($choice[1]) { $choice[1] } else { $choice[0] }
      [System.Management.Automation.CompletionResult]::new($choice[0], $choice[0], 'ParameterValue', $about)
    }
  }
}
`;
}

function described(choices: readonly Choice[]): string {
  return choices.map(({ word, about }) => `, ('${word}', '${about.replaceAll(/['‘’]/gu, "''")}')`).join('; ');
}

function offer(completes: Completes): string | undefined {
  if (isWords(completes)) return described(completes.map((word) => ({ word, about: '' })));
  if (completes === 'file' || completes === 'folder') return undefined;
  return `Known ${completes}`;
}
