/**
 * A golden file is its own script. `== TITLE` begins a scenario, on a machine and a service of its own; `% …` sets
 * something up (see stage.ts), `$ …` is a command line as typed (`> …` goes on with it). What comes of it is indented
 * by two spaces, and that alone is rewritten.
 */
export type Line = { readonly kind: '%' | '$' | ' '; readonly text: string };
export type Scenario = { readonly title: string; readonly lines: readonly Line[] };
export type Script = { readonly preface: string; readonly scenarios: readonly Scenario[] };

export type Result = {
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** With `% answer`: what the terminal showed. */
  readonly screen?: string;
  /** With `% trace`: what was done, in order. */
  readonly trace?: string;
};

export const stores = ['file', 'server'] as const;
export const faces = ['human', 'json'] as const;
export type Variant = { readonly store: (typeof stores)[number]; readonly face: (typeof faces)[number] };

export function parseScript(text: string): Script {
  const [preface = '', ...parts] = text.split(/^== /mu);
  return { preface, scenarios: parts.map(parseScenario) };
}

function parseScenario(part: string): Scenario {
  const [title = '', ...rest] = part.split('\n');
  const lines: { kind: Line['kind']; text: string }[] = [];
  for (const text of rest.filter((line) => !line.startsWith('  ') && line !== '')) {
    const last = lines.at(-1);
    if (text.startsWith('> ') && last !== undefined) last.text += `\n${text.slice(2)}`;
    else if (/^[%$] /u.test(text))
      lines.push({ kind: text.startsWith('%') ? '%' : '$', text: text.slice(2) });
    else lines.push({ kind: ' ', text });
  }
  return { title, lines };
}

/** The variants that a scenario is played in: both stores and both faces, unless `% only` names some of them. */
export function variantsOf({ lines }: Scenario): Variant[] {
  const only = lines.flatMap(({ kind, text }) =>
    kind === '%' && text.startsWith('only ') ? text.split(' ') : [],
  );
  const chosen = <Name extends string>(names: readonly Name[]): readonly Name[] =>
    names.some((name) => only.includes(name)) ? names.filter((name) => only.includes(name)) : names;
  return chosen(stores).flatMap((store) => chosen(faces).map((face) => ({ store, face })));
}

export type Played = { readonly variant: Variant; readonly results: readonly Result[] };

export function printScript({ preface, scenarios }: Script, played: readonly (readonly Played[])[]): string {
  return (
    preface + scenarios.map((scenario, index) => printScenario(scenario, played[index] ?? [])).join('\n')
  );
}

function printScenario({ title, lines }: Scenario, played: readonly Played[]): string {
  let nth = 0;
  const printed = lines.map(({ kind, text }) => {
    if (kind === ' ') return `${text}\n`;
    const typed = `${kind} ${text.replaceAll('\n', '\n> ')}\n`;
    if (kind === '%') return typed;
    nth += 1;
    return typed + printResults(played, nth - 1);
  });
  return `== ${title}\n${printed.join('')}`;
}

/** What came of one line, once for all the variants in which it is the same. */
function printResults(played: readonly Played[], nth: number): string {
  const groups = new Map<string, Variant[]>();
  for (const { variant, results } of played) {
    const result = results[nth];
    const text = result === undefined ? '  (was not reached)\n' : printResult(result);
    groups.set(text, [...(groups.get(text) ?? []), variant]);
  }
  const all = played.map(({ variant }) => variant);
  return [...groups].map(([text, variants]) => `  ${labelOf(variants, all)}${text.trimStart()}`).join('');
}

function labelOf(variants: readonly Variant[], all: readonly Variant[]): string {
  if (variants.length === all.length) return '';
  const { store, face } = variants[0] ?? { store: 'file', face: 'human' };
  const isAll = (fits: (one: Variant) => boolean): boolean =>
    variants.every(fits) && all.filter(fits).length === variants.length;
  if (isAll((one) => one.face === face)) return `[${face}] `;
  if (isAll((one) => one.store === store)) return `[${store}] `;
  return `[${variants.map((one) => `${one.store} ${one.face}`).join(', ')}] `;
}

function printResult({ exit, stdout, stderr, screen = '', trace = '' }: Result): string {
  const [out, err] = [stream('|', prettyJson(stdout)), stream('!', prettyJson(stderr))];
  const streams = [stream('?', screen), out, err, stream('.', trace)];
  return `  exit ${exit}\n${streams.join('')}`;
}

function stream(mark: string, text: string): string {
  if (text === '') return '';
  const lines = text.replace(/\n$/u, '').split('\n');
  const end = text.endsWith('\n') ? '' : '  (no newline at its end)\n';
  return lines.map((line) => `${`  ${mark} ${line}`.trimEnd()}\n`).join('') + end;
}

const widest = 110;

/** Lines that are JSON objects, broken where they are too wide: short fields share a line. */
function prettyJson(text: string): string {
  if (!text.startsWith('{"')) return text;
  try {
    return text.replace(/^\{.*\}$/gmu, (line) => pretty(JSON.parse(line), ''));
  } catch {
    return text;
  }
}

function pretty(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || flat.length + indent.length <= widest) return flat;
  const deeper = `${indent}  `;
  const items = Array.isArray(value)
    ? value.map((item) => pretty(item, deeper))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${pretty(item, deeper)}`);
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const joined = `${last},${item}`;
    const fits = last !== undefined && !joined.includes('\n') && joined.length + deeper.length <= widest;
    if (fits) lines[lines.length - 1] = joined;
    else lines.push(item);
  }
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.map((line) => deeper + line).join(',\n')}\n${indent}${close}`;
}
