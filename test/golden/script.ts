/**
 * A golden file is its own script. `== TITLE` begins a scenario, on a machine and a service of its own; `% …` sets
 * something up (see stage.ts), `$ …` is a command line as typed (`> …` goes on with it). What comes of it is indented
 * by two spaces, and that alone is rewritten.
 */
export type Line = { readonly kind: '%' | '$'; readonly text: string };
export type Scenario = { readonly title: string; readonly lines: readonly Line[] };
export type Script = { readonly preface: string; readonly scenarios: readonly Scenario[] };

export type Result = {
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** With `% trace`: what was done, in order. */
  readonly trace?: string;
};

export const stores = ['file', 'server'] as const;
export type Store = (typeof stores)[number];

export function parseScript(text: string): Script {
  const [preface = '', ...parts] = text.split(/^== /mu);
  return { preface, scenarios: parts.map(parseScenario) };
}

function parseScenario(part: string): Scenario {
  const [title = '', ...rest] = part.split('\n');
  const lines: { kind: Line['kind']; text: string }[] = [];
  for (const text of rest.filter((line) => !line.startsWith('  ') && line !== '')) {
    const last = lines.at(-1);
    const [, kind] = /^([%$]) /u.exec(text) ?? [];
    if (text.startsWith('> ') && last !== undefined) last.text += `\n${text.slice(2)}`;
    else if (kind === '%' || kind === '$') lines.push({ kind, text: text.slice(2) });
    else throw new Error(`${title}: this line begins with no sign: ${text}`);
  }
  return { title, lines };
}

/** The journals on which a scenario is played: both, unless `% only` names one. */
export function storesOf({ lines }: Scenario): readonly Store[] {
  const only = lines.find(({ kind, text }) => kind === '%' && text.startsWith('only '))?.text.split(' ');
  return only === undefined ? stores : stores.filter((store) => only.includes(store));
}

/** With `% whole`, lines are run as they are typed, and all that they print is kept. */
export function isWhole({ lines }: Scenario): boolean {
  return lines.some(({ kind, text }) => kind === '%' && text === 'whole');
}

export type Played = { readonly store: Store; readonly results: readonly Result[] };

export function printScript({ preface, scenarios }: Script, played: readonly (readonly Played[])[]): string {
  return (
    preface + scenarios.map((scenario, index) => printScenario(scenario, played[index] ?? [])).join('\n')
  );
}

function printScenario(scenario: Scenario, played: readonly Played[]): string {
  const print = isWhole(scenario) ? printWhole : printShort;
  let nth = 0;
  const printed = scenario.lines.map(({ kind, text }) => {
    const typed = `${kind} ${text.replaceAll('\n', '\n> ')}\n`;
    if (kind === '%') return typed;
    nth += 1;
    return typed + printResults(played, nth - 1, print);
  });
  return `== ${scenario.title}\n${printed.join('')}`;
}

/** What came of one line, once where it is the same on both journals. */
function printResults(
  played: readonly Played[],
  nth: number,
  print: (result: Result) => readonly string[],
): string {
  const texts = played.map(({ store, results }) => {
    const result = results[nth];
    return { store, lines: result === undefined ? ['(was not reached)'] : print(result) };
  });
  const isSame = new Set(texts.map(({ lines }) => lines.join('\n'))).size === 1;
  const told = isSame ? texts.slice(0, 1) : texts;
  return told
    .flatMap(({ store, lines: [first, ...rest] }) => [isSame ? first : `[${store}] ${first}`, ...rest])
    .map((line) => `${`  ${line}`.trimEnd()}\n`)
    .join('');
}

/** All that was printed on that journal. */
export function printDump(
  scenarios: readonly Scenario[],
  played: readonly (readonly Played[])[],
  store: Store,
): string {
  const dumped = scenarios.map(({ title, lines }, nth) => {
    const results = played[nth]?.find((one) => one.store === store)?.results ?? [];
    const typed = lines.filter(({ kind }) => kind === '$');
    const told = results.flatMap(({ exit, stdout, stderr }, at) => [
      `$ ${typed[at]?.text}`,
      ...[`exit ${exit}`, ...marked('|', stdout), ...marked('!', stderr)],
    ]);
    return results.length === 0 ? '' : [`== ${title}`, ...told, ''].join('\n');
  });
  return dumped.join('');
}

function printWhole({ exit, stdout }: Result): string[] {
  return [`exit ${exit}`, ...marked('|', prettyJson(stdout))];
}

/** Of several objects, each as often as it says the same. */
function printShort({ exit, stdout, trace = '' }: Result): string[] {
  const said = stdout
    .split('\n')
    .flatMap(fields)
    .map(factsOf)
    .filter((facts) => facts !== '');
  const told = [...new Set(said)].map((facts) => {
    const times = said.filter((other) => other === facts).length;
    return times === 1 ? facts : `${times} × ${facts}`;
  });
  return [[`exit ${exit}`, ...told].join('; '), ...marked('.', trace)];
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A line of stdout, where it is a JSON object. */
function fields(line: string): readonly Fields[] {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** What breaks where the product breaks, and no sentence. A state is left out where it is the outcome. */
function factsOf(said: Fields): string {
  const error = isObject(said.error) ? said.error : {};
  const inside = Object.values(said).flatMap((value) => (isObject(value) ? [value] : []));
  const listed = Object.values(said).flatMap((value) => (Array.isArray(value) ? value.filter(isObject) : []));
  const states = statesOf(inside).filter((state) => state !== said.outcome);
  const warnings = Array.isArray(said.warnings) ? said.warnings.length : 0;
  const facts = [
    ...(said.outcome === undefined
      ? []
      : [`outcome ${said.outcome}${said.replayed === true ? ' (replayed)' : ''}`]),
    ...states.map((state) => `state ${state}`),
    ...counted(statesOf(listed)),
    ...(error.code === undefined ? [] : [`code ${error.code}`]),
    ...(Array.isArray(error.next) ? error.next.map((command) => `next ${command}`) : []),
    ...(warnings === 0 ? [] : [warnings === 1 ? '1 warning' : `${warnings} warnings`]),
  ];
  return facts.join(', ');
}

const statesOf = (objects: readonly Fields[]): string[] =>
  objects.flatMap(({ state }) => (typeof state === 'string' ? [state] : []));

function counted(states: readonly string[]): string[] {
  return [...new Set(states)].map((one) => `${states.filter((state) => state === one).length} ${one}`);
}

function marked(mark: string, text: string): string[] {
  return text === ''
    ? []
    : text
        .replace(/\n$/u, '')
        .split('\n')
        .map((line) => `${mark} ${line}`);
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
