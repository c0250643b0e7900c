import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { drawingOf } from '../src/cli/commands/help/run.ts';
import { helpTopics } from '../src/cli/parse/help.ts';
import { commandTree } from '../src/tree.ts';
import { pages, pageText } from '../testing/pages.ts';
import { root } from '../testing/root.ts';

/** A text that people read. `prose` leaves out code, names of fields and whatever else is no English. */
export type Page = { readonly name: string; readonly text: string; readonly prose: string };

export type PartName = 'help' | 'README' | 'docs' | 'CHANGELOG' | 'messages';

export type Counts = {
  readonly pages: number;
  readonly words: number;
  readonly lines: number;
  readonly bytes: number;
  /** Lines of the longest page. */
  readonly longest: number;
  readonly forbidden: number;
};

type Word = { readonly pattern: RegExp; readonly instead: string };

/** Our own words. An operator has others for them. */
const ours: readonly Word[] = [
  { pattern: /\btaint(?:ed|s|ing)?\b/giu, instead: 'may have happened' },
  { pattern: /\btwins?\b/giu, instead: 'the same payment' },
  {
    pattern: /\b(?:canonical|another|other) bod(?:y|ies)\b/giu,
    instead: 'a different amount, recipient or text',
  },
  { pattern: /\bflights?\b/giu, instead: 'at a time, being sent' },
  { pattern: /\bfenced\b/giu, instead: 'counted as ended' },
  { pattern: /\b(?:left|leaves?|leaving) behind\b/giu, instead: 'given up' },
  { pattern: /(?<![\w-])intents?(?![\w-])/giu, instead: 'payment, message, entry' },
  { pattern: /\bheld (?:by|against)\b/giu, instead: 'applies to, taken by' },
  { pattern: /\bpropos(?:als?|ed|ers?)\b/giu, instead: 'what waits for approval, who asked for it' },
  // Not where the proof names a column.
  { pattern: /(?<!\breply to an )\battempts?\b/giu, instead: 'request' },
  { pattern: /\b(?:this|other|per|dead) runners?\b/giu, instead: 'process' },
  { pattern: /\bverdicts?\b/giu, instead: 'answer' },
];

/** English that makes a reader stop. */
const english: readonly Word[] = [
  { pattern: /\bexactly once\b/giu, instead: 'once' },
  { pattern: /\b(?:who|whom|whose)(?:so)?ever\b/giu, instead: 'anyone who, if you' },
  { pattern: /\b(?:is|are|was|were) to be\b/giu, instead: 'must, will' },
  { pattern: /\bwas given\b/giu, instead: 'got' },
  { pattern: /\banew\b/giu, instead: 'again' },
  { pattern: /\bfor ever\b/giu, instead: 'always' },
  { pattern: /\bthere (?:is|are) none\b/giu, instead: 'none exists' },
  { pattern: /\bmend(?:s|ed)?\b/giu, instead: 'fix' },
  { pattern: /\bOf\s/gu, instead: 'the subject first' },
];

/** For people who change botctl: its words are the program’s own. */
const ofTheProgram = new Set(['docs/architecture.md']);
/** Made from the fields of `--json`, which keep their names. */
const ofFields = new Set(['docs/json.md']);

function forbiddenOn(page: string): readonly Word[] {
  if (ofFields.has(page)) return [];
  return ofTheProgram.has(page) ? english : [...ours, ...english];
}

/** The forbidden words of a page, each with what is around it. */
export function hitsOn({ name, prose }: Page): string[] {
  return forbiddenOn(name).flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map(({ 0: word, index }) => {
      const around = prose.slice(Math.max(0, index - 30), index + word.length + 30).replace(/\s+/gu, ' ');
      return `${name}: “${word}” (${instead}) in “…${around}…”`;
    }),
  );
}

export function countsOf(part: readonly Page[]): Counts {
  const lines = part.map(({ text }) => text.trimEnd().split('\n').length);
  return {
    pages: part.length,
    words: sum(part.map(({ text }) => text.match(/\S+/gu)?.length ?? 0)),
    lines: sum(lines),
    bytes: sum(part.map(({ text }) => Buffer.byteLength(text))),
    longest: Math.max(...lines),
    forbidden: sum(part.map((page) => hitsOn(page).length)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0);
}

function markdown(path: string): Page {
  const text = pageText(path);
  const prose = text.replace(/^( *)```[\s\S]*?^\1```$/gmu, '').replace(/`[^`\n]+`/gu, '');
  return { name: path, text, prose };
}

/** Each page of the help, as a terminal of 80 columns shows it. */
function helpPages(): Page[] {
  const shown = commandTree.filter(({ hidden }) => hidden !== true);
  const commands = shown.flatMap((spec) => [
    [spec.name],
    ...('children' in spec ? spec.children.map(({ name }) => [spec.name, name]) : []),
  ]);
  return [[], ...helpTopics.map(({ name }) => [name]), ...commands].map((words) => {
    const text = drawingOf(words, commandTree)(80);
    return { name: ['help', ...words].join(' '), text, prose: text };
  });
}

type Node = { readonly type?: unknown; readonly value?: unknown; readonly quasis?: readonly Quasi[] };
type Quasi = { readonly value: { readonly cooked: string } };

/** Every text in a file of the program that has a blank in it. */
function sentencesIn(source: string): string[] {
  const found: string[] = [];
  JSON.stringify(parseAst(source, { lang: 'ts' }), (_key, node: Node | bigint | null) => {
    if (typeof node === 'bigint') return null;
    if (node?.type === 'Literal' && typeof node.value === 'string') found.push(node.value);
    if (node?.type === 'TemplateLiteral')
      found.push(withoutCommands((node.quasis ?? []).map(({ value }) => value.cooked).join('…')));
    return node;
  });
  return found.filter((text) => /\S\s+\S/u.test(text));
}

/** The commands below a failure are no English. */
function withoutCommands(text: string): string {
  return text.replace(/^ +\$ .*$/gmu, '');
}

/** What the command line says, but for its help, which is counted as people see it, and the scripts for shells. */
function messages(): Page[] {
  const folder = join(root, 'src/cli');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => name.endsWith('.ts') && !/\bspec\.ts$|^parse\/|^commands\/(?:completion|help)\//u.test(name),
    )
    .map((name) => {
      const text = `${sentencesIn(readFileSync(join(folder, name), 'utf8')).join('\n')}\n`;
      return { name: `cli/${name}`, text, prose: text };
    });
}

export function textOf(part: PartName): readonly Page[] {
  if (part === 'help') return helpPages();
  if (part === 'messages') return messages();
  const paths = part === 'docs' ? pages.filter((path) => path.startsWith('docs/')) : [`${part}.md`];
  return paths.map(markdown);
}

/** What no text may exceed. A number that a change brings down is written here, and stays. */
export const marks: Readonly<Record<PartName, Partial<Counts>>> = {
  help: { words: 7300, longest: 40, forbidden: 0 },
  README: { lines: 100, words: 700, forbidden: 0 },
  docs: { bytes: 95_000, forbidden: 0 },
  CHANGELOG: { forbidden: 0 },
  messages: { words: 16_986, forbidden: 0 },
};

export const partNames = Object.keys(marks) as PartName[];
