import { wrapWords } from '../wrap.ts';
import type { HelpPage, HelpRow } from './helpPage.ts';
import { foldCommand, wrapText } from './wrap.ts';

const widestHelp = 96;
const widestTerm = 28;
const narrowHelp = 60;

/** Terms beside their texts; in a narrow terminal, or where a term is long, above them. */
export function drawRows(rows: readonly HelpRow[], columns: number): string[] {
  const fitting = rows.map(({ term }) => term.length).filter((length) => length <= widestTerm);
  const termWidth = Math.max(0, ...fitting);
  const stacked = columns < narrowHelp && termWidth > columns / 6;
  const indent = stacked ? 6 : termWidth + 4;
  return rows.flatMap(({ term, about }) => {
    const lines = wrapWords(about, Math.max(16, columns - indent));
    const beside = !stacked && term.length <= termWidth;
    const first = beside ? [`  ${term.padEnd(termWidth)}  ${lines.shift() ?? ''}`.trimEnd()] : [`  ${term}`];
    return [...first, ...lines.map((line) => ' '.repeat(indent) + line)];
  });
}

/** Long terms, each with its text beneath. */
export function drawStacked(rows: readonly HelpRow[], columns: number): string[] {
  return rows.flatMap(({ term, about }) => [
    ...wrapWords(term, columns - 4).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`),
    ...wrapWords(about, columns - 8).map((line, index) => `${index === 0 ? '      → ' : '        '}${line}`),
  ]);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines];
}

function drawExamples({ examples }: HelpPage, columns: number): string[] {
  return examples.flatMap(({ line, about }, index) => [
    ...(index === 0 ? [] : ['']),
    ...wrapWords(about, columns - 4).map((text) => `  # ${text}`),
    ...foldCommand(line, columns - 4).map((text, part) => (part === 0 ? `  $ ${text}` : `    ${text}`)),
  ]);
}

export function helpColumns(columns: number): number {
  return Math.min(widestHelp, Math.max(32, columns));
}

/** The help of one command, as wide as the terminal, within reason. */
export function drawHelp(page: HelpPage, terminalColumns: number): string {
  const columns = helpColumns(terminalColumns);
  const isRoot = page.path === 'botctl';
  const lines = [
    `Usage: ${page.usage}`,
    '',
    ...page.about.split('\n').flatMap((line) => wrapWords(line, columns)),
    ...(page.details === undefined ? [] : ['', ...wrapText(page.details, columns)]),
    ...page.groups.flatMap(({ title, rows }) => section(title, drawRows(rows, columns))),
    ...section('Examples', drawExamples(page, columns)),
    ...section(
      'Exit codes',
      drawRows(
        page.exits.map(({ exit, means }) => ({ term: String(exit).padStart(3), about: means })),
        columns,
      ),
    ),
    ...(isRoot ? section('More', drawRows(more, columns)) : []),
  ];
  return `${lines.join('\n')}\n`;
}

const more: readonly HelpRow[] = [
  { term: 'botctl help <command>', about: 'its options, examples and exit codes' },
  { term: 'botctl help exit-codes', about: 'what every exit code means, and what to do' },
  { term: 'botctl help reruns', about: 'what running the same command again does' },
  { term: 'botctl help environment', about: 'every variable that is read' },
];
