import { groupedExits } from '../src/cli/wording/problem.ts';
import { withMarked } from './marked.ts';

/** A row for each group, with its codes below each other. */
function exitCodes(): string {
  const rows = groupedExits.map(({ title, rows: codes }) => {
    const shown = codes.map(({ exit, means }) => `**${exit}** ${means}`);
    return `| ${title} | ${shown.join('<br>')} |`;
  });
  return ['| what to do | exit codes |', '| --- | --- |', ...rows].join('\n');
}

/** Each partly generated page, and what is generated between its marks. */
const made: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'README.md': { 'exit-codes': exitCodes },
};

export const pagesWithTables: readonly string[] = Object.keys(made);

/** Renews the tables of a page from the program's own. */
export function withTables(path: string, page: string): string {
  return Object.entries(made[path] ?? {}).reduce(
    (text, [name, make]) => withMarked(text, name, make()),
    page,
  );
}

/** The commands of a page's tour, in order. */
export function tourSteps(page: string): string[] {
  return [...page.matchAll(/<!-- tour -->\n+```console\n([\s\S]*?)```/gu)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /mu)
      .map((command) => command.trimEnd())
      .filter((command) => command !== ''),
  );
}

/** The first block of a language after a mark. */
export function blockAfter(page: string, mark: string): string {
  const [, block] = new RegExp(`<!-- ${mark} -->\n+\`\`\`\\w+\n([\\s\\S]*?)\`\`\``, 'u').exec(page) ?? [];
  if (block === undefined) throw new Error(`the page has no block marked ${mark}`);
  return block;
}

/** What a page links to within the project: `FILE`, `FILE#HEADING` or `#HEADING`. */
export function linkTargets(page: string): string[] {
  const found = page.matchAll(/\]\(([^)\s]+)\)/gu);
  return [...found].map(([, link = '']) => link).filter((target) => !/^\w+:/u.test(target));
}
