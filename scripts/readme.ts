import { rerunMeanings, rerunTable } from '../src/engine/rerun.ts';
import { type ExitRow, exitTable, type Retry } from '../src/errors.ts';

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const drawn = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  drawn.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return drawn.join('\n');
}

const nexts: Readonly<Record<Retry, string>> = {
  'same-command': 'run the same command again',
  'after-fix': 'mend what it names, run it again',
  never: 'nothing',
  decide: '`botctl resolve`, or `botctl resume`',
};

function exitCodes(): string {
  const rows = exitTable.map(({ exit, means, retry }: ExitRow) => [
    String(exit),
    means,
    retry ? nexts[retry] : '–',
  ]);
  return table([['exit', 'means', 'next'], ...rows]);
}

function reruns(): string {
  const rows = rerunTable.map(({ found, decision }) => {
    const { happens, exit } = rerunMeanings[decision];
    return [found, happens, exit === undefined ? 'as it ends' : String(exit)];
  });
  return table([['found', 'what happens', 'exit'], ...rows]);
}

const made: Readonly<Record<string, () => string>> = { 'exit-codes': exitCodes, reruns };

/** The README with its tables made anew from the program's own. */
export function withTables(readme: string): string {
  return Object.entries(made).reduce((text, [name, make]) => {
    const place = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`, 'u');
    if (!place.test(text)) throw new Error(`README.md has no place for ${name}`);
    return text.replace(place, (_whole, before: string, after: string) => `${before}\n${make()}\n\n${after}`);
  }, readme);
}

export type Step = { readonly command: string; readonly pictured: boolean };

/** The commands of the README's tour, in their order. */
export function tourSteps(readme: string): Step[] {
  return [...readme.matchAll(/<!-- tour( picture)? -->\n\n```console\n([\s\S]*?)```/gu)].flatMap(
    ([, pictured, block = '']) =>
      block
        .split(/^\$ /mu)
        .map((command) => command.trimEnd())
        .filter((command) => command !== '')
        .map((command) => ({ command, pictured: pictured !== undefined })),
  );
}

/** The first block of a language after a mark. */
export function blockAfter(readme: string, mark: string): string {
  const [, block] = new RegExp(`<!-- ${mark} -->\n\n\`\`\`\\w+\n([\\s\\S]*?)\`\`\``, 'u').exec(readme) ?? [];
  if (block === undefined) throw new Error(`README.md has no block marked ${mark}`);
  return block;
}
