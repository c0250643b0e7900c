import { benchTable, markTable } from '../bench/help.ts';
import { groupedExits } from '../src/cli/say/told.ts';
import { exitOfPlan, meaningOf, type PlanKind, planKinds, rerunTable } from '../src/once/engine/planKinds.ts';
import { withMarked } from './marked.ts';
import { planWords, rerunFindings } from './reruns.ts';

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const drawn = rows.map(
    (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  drawn.splice(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`);
  return drawn.join('\n');
}

/** A row for each group, with its codes below each other. */
function exitCodes(): string {
  const rows = groupedExits.map(({ title, rows: codes }) => {
    const shown = codes.map(({ exit, means }) => `**${exit}** ${means}`);
    return `| ${title} | ${shown.join('<br>')} |`;
  });
  return ['| what to do | exit codes |', '| --- | --- |', ...rows].join('\n');
}

function exitInWords(plan: PlanKind): string {
  return String(exitOfPlan(meaningOf({ is: plan })) ?? 'as it ends');
}

function reruns(): string {
  const rows = rerunTable.map(({ found, plan }) => [
    rerunFindings[found],
    planWords[plan],
    exitInWords(plan),
  ]);
  return table([['found', 'what happens', 'exit'], ...rows]);
}

/** What is decided without a row of the table: before it, or because nothing was found. */
function otherPlans(): string {
  const decided = new Set<string>(rerunTable.map(({ plan }) => plan));
  const others = (Object.keys(planKinds) as PlanKind[]).filter((plan) => !decided.has(plan));
  return table([
    ['plan', 'what happens', 'exit'],
    ...others.map((plan) => [plan, planWords[plan], exitInWords(plan)]),
  ]);
}

/** Each partly generated page, and what is generated between its marks. */
const made: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'README.md': { 'exit-codes': exitCodes },
  'src/once/README.md': { reruns, plans: otherPlans },
  'bench/README.md': { benches: benchTable, marks: markTable },
};

export const pagesWithTables: readonly string[] = Object.keys(made);

/** Renews the tables of a page from the program's own. */
export function withTables(path: string, page: string): string {
  return Object.entries(made[path] ?? {}).reduce(
    (text, [name, make]) => withMarked(text, name, make()),
    page,
  );
}

type Step = { readonly command: string; readonly pictured: boolean };

/** The commands of a page's tour, in order. */
export function tourSteps(page: string): Step[] {
  return [...page.matchAll(/<!-- tour( picture)? -->\n+```console\n([\s\S]*?)```/gu)].flatMap(
    ([, pictured, block = '']) =>
      block
        .split(pictured === undefined ? /^\$ /mu : /^/mu)
        .map((command) => command.trimEnd())
        .filter((command) => command !== '')
        .map((command) => ({ command, pictured: pictured !== undefined })),
  );
}

/** The first block of a language after a mark. */
export function blockAfter(page: string, mark: string): string {
  const [, block] = new RegExp(`<!-- ${mark} -->\n+\`\`\`\\w+\n([\\s\\S]*?)\`\`\``, 'u').exec(page) ?? [];
  if (block === undefined) throw new Error(`the page has no block marked ${mark}`);
  return block;
}

/** The files that a page links to or shows, as written there. */
export function linkedFiles(page: string): string[] {
  return linkTargets(page)
    .flatMap((target) => target.split('#', 1))
    .filter((file) => file !== '');
}

/** What a page links to within the project: `FILE`, `FILE#HEADING` or `#HEADING`. */
export function linkTargets(page: string): string[] {
  const found = page.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/gu);
  return [...found].map(([, link, shown]) => link ?? shown ?? '').filter((target) => !/^\w+:/u.test(target));
}
