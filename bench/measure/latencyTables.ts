import { ratioOf, type Timing } from './timing.ts';

export type LatencyFigures = {
  readonly roundTripMs: number;
  readonly rounds: number;
  readonly timings: readonly Timing[];
  readonly absent: readonly string[];
};

/** How many times what `gh` takes a send may take: Node 20 starts more slowly, and reads all authorities at once. */
function markOn(name: string): number | undefined {
  const major = /^botctl send, Node (\d+)/u.exec(name)?.[1];
  return major === undefined ? undefined : major === '20' ? 1.15 : 1;
}

type Line = { readonly what: string; readonly ms: string; readonly mark: string };

function linesOf({ timings, absent }: LatencyFigures): Line[] {
  const gh = timings.find(({ name }) => name === 'gh');
  return [
    ...timings.map((timing) => ({
      what: timing.name,
      ms: `${timing.medianMs.toFixed(0)} ms`,
      mark: markOf(timing, gh),
    })),
    ...absent.map((what) => ({ what, ms: 'absent', mark: '' })),
  ];
}

function markOf(timing: Timing, gh: Timing | undefined): string {
  const mark = markOn(timing.name);
  if (mark === undefined) return '';
  if (gh === undefined) return `≤ ${mark} × gh, which is absent`;
  const ratio = ratioOf(timing, gh);
  return `${ratio.toFixed(2)} × gh, at most ${mark}${ratio > mark ? ': missed' : ''}`;
}

export function missedLatencyMarks({ timings }: LatencyFigures): string[] {
  const gh = timings.find(({ name }) => name === 'gh');
  if (gh === undefined) return [];
  return timings.flatMap((timing) => {
    const mark = markOn(timing.name);
    const ratio = ratioOf(timing, gh);
    return mark === undefined || ratio <= mark
      ? []
      : [`missed: ${timing.name} takes ${ratio.toFixed(2)} × gh, at most ${mark}`];
  });
}

function heading({ roundTripMs, rounds }: LatencyFigures): string {
  return `https, ${roundTripMs} ms there and back, medians of ${rounds} rounds in turn`;
}

export function drawLatency(figures: LatencyFigures): string {
  const rows = linesOf(figures).map(({ what, ms, mark }) =>
    `${what.padEnd(40)}${ms.padStart(9)}   ${mark}`.trimEnd(),
  );
  return [heading(figures), ...rows, ''].join('\n');
}

/** For a page: what is absent here is left out, and what missed its mark says so. */
export function latencyMarkdown(figures: LatencyFigures): string {
  return [
    `${heading(figures)}.`,
    '',
    '| what | time | mark |',
    '| ---- | ---: | ---- |',
    ...linesOf({ ...figures, absent: [] }).map(
      ({ what, ms, mark }) => `| ${what} | ${ms} | ${mark.replace(/: missed$/u, ': **missed**') || ' '} |`,
    ),
  ].join('\n');
}
