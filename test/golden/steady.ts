import { hostname, userInfo } from 'node:os';

type Pattern = readonly [name: string, pattern: RegExp];

/** What differs from run to run, by its shape: each gets a number, by the order in which it appears. */
const numbered: readonly Pattern[] = [
  ['key', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gu],
  ['message', /\bmsg(?:_|&#95;)[0-9a-f]{20}\b/gu],
  ['transfer', /\btr_[0-9a-f]{20}\b/gu],
  ['request', /\breq_[0-9a-f]{20}\b/gu],
  ['signature', /\b[1-9A-HJ-NP-Za-km-z]{86,88}\b/gu],
  ['id', /\b[0-9a-f]{32}\b/gu],
  // Not those that scenarios name.
  ['address', /\b(?!9WzD|7o36)[1-9A-HJ-NP-Za-km-z]{43,44}\b/gu],
  ['entry', /\b[0-9a-f]{12}\b/gu],
];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');

const plain: readonly Pattern[] = [
  ['user', new RegExp(`(?<!\\w)${escaped(userInfo().username)}(?=@)`, 'gu')],
  ['time', /\b20\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|(?= {2}[a-z]))/gu],
];

/** Puts a name in the place of whatever is never twice the same, and puts it back where a later line uses the name. */
export class Steady {
  readonly #names = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #fixed: readonly (readonly [RegExp, string])[];
  keepsKeys = false;

  constructor(fixed: Readonly<Record<string, string>>) {
    const known = { node: process.version.slice(1), host: hostname(), ...fixed };
    this.#fixed = Object.entries(known).map(([name, text]) => [
      new RegExp(`(?<![\\w])${escaped(text)}(?![\\w])`, 'gu'),
      `<${name}>`,
    ]);
  }

  text(text: string): string {
    let steady = text;
    for (const [pattern, name] of this.#fixed) steady = steady.replace(pattern, name);
    for (const [kind, pattern] of numbered) {
      if (kind === 'key' && this.keepsKeys) continue;
      steady = steady.replace(pattern, (found) => this.#nameOf(kind, found));
    }
    steady = steady.replace(/(?<="(slot|block_time)":)\d+/gu, '"<$1>"');
    for (const [kind, pattern] of plain) steady = steady.replace(pattern, `<${kind}>`);
    return steady;
  }

  /** `{entry 1}` is the entry that was shown as `<entry 1>`. */
  meant(text: string): string {
    return text.replace(/\{(\w+ \d+)\}/gu, (all, name) => {
      const [found = all] = [...this.#names].find(([, shown]) => shown === `<${name}>`) ?? [];
      return found;
    });
  }

  #nameOf(kind: string, found: string): string {
    const known = this.#names.get(found);
    if (known !== undefined) return known;
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    this.#names.set(found, `<${kind} ${count}>`);
    return `<${kind} ${count}>`;
  }
}
