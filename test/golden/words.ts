/** A command line that needs no shell: words, variables, and what is given on stdin. */
export type Simple = {
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly stdin?: { readonly text: string } | { readonly file: string };
};

const token = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|\$(\w+)|([^\s'"\\$|&;()<>`]+)|(<<<|<)|(\s+)|(.)/gsu;

/** Undefined where a shell is needed for it. */
export function simpleLine(line: string, env: Readonly<Record<string, string>>): Simple | undefined {
  const words: string[] = [];
  const marks = new Map<number, string>();
  let isOpen = false;
  for (const [, single, double, escaped, variable, bare, mark, blank] of line.matchAll(token)) {
    if (mark !== undefined) marks.set(words.length, mark);
    if (mark !== undefined || blank !== undefined) {
      isOpen = false;
      continue;
    }
    if (/\$[({]|`/u.test(double ?? '')) return undefined;
    const inside = double?.replace(/\\(.)|\$(\w+)/gsu, (_, kept, name) => kept ?? env[name] ?? '');
    const part = single ?? inside ?? escaped ?? (variable === undefined ? bare : (env[variable] ?? ''));
    if (part === undefined) return undefined;
    if (isOpen) words[words.length - 1] += part;
    else words.push(part);
    isOpen = true;
  }
  const [at, mark] = [...marks][0] ?? [];
  const own: Record<string, string> = {};
  const given = at === undefined ? words : words.filter((_, index) => index !== at);
  while (/^[A-Z_a-z]+=/u.test(given[0] ?? '')) {
    const [name = '', ...value] = (given.shift() ?? '').split('=');
    own[name] = value.join('=');
  }
  if (given.shift() !== 'botctl' || marks.size > 1) return undefined;
  const text = at === undefined ? undefined : (words[at] ?? '');
  return {
    env: own,
    argv: given,
    ...(text === undefined ? {} : { stdin: mark === '<' ? { file: text } : { text: `${text}\n` } }),
  };
}
