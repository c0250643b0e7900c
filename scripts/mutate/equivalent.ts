// Changes of the sources that no test can notice, as people judged them: `equivalent.txt` lists each with a reason.
import { readFileSync } from 'node:fs';

/** One change: where it is, and what becomes of what. */
export type Change = {
  readonly path: string;
  /** The line of code on which it begins: moving it changes nothing. */
  readonly code: string;
  readonly was: string;
  readonly by: string;
};

export type Equivalent = Change & { readonly reason: string };

const mostSigns = 120;
const inOneLine = (code: string): string => code.replaceAll(/\s+/gu, ' ').trim();

/** Of a long text, the part around its first change. */
function shorten(was: string, by: string): Pick<Change, 'was' | 'by'> {
  const changesAt = [...was].findIndex((sign, at) => sign !== by[at]);
  const from = was.length > mostSigns && changesAt > mostSigns / 2 ? changesAt - mostSigns / 2 : 0;
  const cut = (code: string): string => (from > 0 ? '…' : '') + code.slice(from, from + mostSigns);
  return { was: cut(was), by: cut(by) };
}

export function changeOf(
  path: string,
  text: string,
  { start, end, by }: { start: number; end: number; by: string },
): Change {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', start);
  const code = text.slice(from, to < 0 ? undefined : to);
  return {
    path,
    code: inOneLine(code).slice(0, mostSigns),
    ...shorten(inOneLine(text.slice(start, end)), inOneLine(by)),
  };
}

/** Lines as they stand in `equivalent.txt`: the path, below it a line of code, below that its changes. */
export function listed(changes: readonly (Change & { readonly label: string })[]): string {
  let [path, code] = ['', ''];
  let lines = '';
  for (const one of changes) {
    if (one.path !== path) lines += `${one.path}\n`;
    if (one.path !== path || one.code !== code) lines += `  ${one.code}\n`;
    lines += `    ${one.label}: ${one.was} → ${one.by}\n`;
    ({ path, code } = one);
  }
  return lines;
}

export function readEquivalent(text: string): {
  reasons: ReadonlyMap<string, string>;
  changes: readonly Equivalent[];
} {
  const reasons = new Map<string, string>();
  const changes: Equivalent[] = [];
  let [path, code] = ['', ''];
  for (const line of text.split('\n').filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const reason = /^(?<name>[a-z-]+): (?<means>.+)$/u.exec(line)?.groups;
    const change = /^ {4}(?<reason>[a-z-]+): (?<was>.*) → (?<by>.*)$/u.exec(line)?.groups;
    if (reason !== undefined) reasons.set(reason.name ?? '', reason.means ?? '');
    else if (change !== undefined) {
      if (!reasons.has(change.reason ?? ''))
        throw new Error(`equivalent.txt does not say what “${change.reason}” means`);
      changes.push({ path, code, was: change.was ?? '', by: change.by ?? '', reason: change.reason ?? '' });
    } else if (line.startsWith('  ')) code = line.trim();
    else path = line;
  }
  return { reasons, changes };
}

export const readList = (): string => readFileSync('scripts/mutate/equivalent.txt', 'utf8');

/** What makes a change that change, wherever its line moves. */
export const keyOf = ({ path, code, was, by }: Change): string => JSON.stringify([path, code, was, by]);

function countByKey(changes: readonly Change[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of changes) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/**
 * Who of the survivors is judged, and which judgements are idle. One judgement covers one change: if two changes are
 * spelled alike and both survive, two are needed.
 */
export function judge<T extends Change>(
  survivors: readonly T[],
  equivalent: readonly Equivalent[],
): { excused: readonly T[]; idle: readonly Equivalent[] } {
  const [alive, judged] = [countByKey(survivors), countByKey(equivalent)];
  const of = (counts: Map<string, number>, one: Change): number => counts.get(keyOf(one)) ?? 0;
  return {
    excused: survivors.filter((one) => of(judged, one) >= of(alive, one)),
    idle: equivalent.filter((one) => of(judged, one) > of(alive, one)),
  };
}
