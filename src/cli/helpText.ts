import { wrapWords } from '../wrap.ts';
import type { HelpGroup, HelpPage, HelpRow } from './helpPage.ts';
import { helpTopics } from './helpTopicList.ts';
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

export function drawGroups(groups: readonly HelpGroup[], columns: number): string[] {
  return groups.flatMap(({ title, rows }) => section(title, drawRows(rows, columns)));
}

// What a script or a person must act on. The rest is in the topic.
const decisive: Readonly<Record<number, string>> = {
  0: 'done',
  9: 'unknown: run again',
  10: 'you decide',
  11: 'not all done: run again',
};

const usageIndent = ' '.repeat('Usage: '.length);

function drawExits({ exits }: HelpPage, columns: number): string[] {
  const decisiveOnes = exits.filter(({ exit }) => exit in decisive);
  const parts = decisiveOnes.map(({ exit }) => `${exit} ${decisive[exit]}`);
  if (parts.length === 1) parts.push('2 wrong command or input');
  const line = `Exit codes: ${parts.join(', ')} (botctl help exit-codes)`;
  return exits.length === 0 ? [] : ['', ...wrapWords(line, columns)];
}

/** The help of one command, as wide as the terminal, within reason: what it takes comes first. */
export function drawHelp(page: HelpPage, terminalColumns: number): string {
  const columns = helpColumns(terminalColumns);
  const lines = [
    ...wrapWords(`Usage: ${page.usage}`, columns - usageIndent.length).map((line, index) =>
      index === 0 ? line : usageIndent + line,
    ),
    '',
    ...page.about.split('\n').flatMap((line) => wrapWords(line, columns)),
    ...drawGroups(page.groups, columns),
    '',
    ...wrapWords(page.shared, columns),
    ...(page.details === undefined ? [] : ['', ...wrapText(page.details, columns)]),
    ...section('Examples', drawExamples(page, columns)),
    ...drawExits(page, columns),
    ...(page.path === 'botctl' ? section('More', drawRows(more, columns)) : []),
  ];
  return `${lines.join('\n')}\n`;
}

const more: readonly HelpRow[] = [
  { term: 'botctl help <command>', about: 'its options, examples and exit codes' },
  ...helpTopics.map(({ name, about }) => ({ term: `botctl help ${name}`, about })),
];
