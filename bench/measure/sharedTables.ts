import type { Placing } from './contest.ts';
import type { MillionFigures } from './sharedMillion.ts';

export type StartFigures = {
  /** Of a send with a journal in a file, and with a shared one. */
  readonly fileMs: number;
  readonly sharedMs: number;
  /** Median of the differences, pair by pair. */
  readonly moreMs: number;
};

export type SharedFigures = {
  readonly about: string;
  readonly placings: readonly Placing[];
  readonly start: StartFigures;
  readonly million: MillionFigures | undefined;
};

const marks = { one: 5000, two: 6000, startMs: 35, statementMs: 2, memory: 1.3 } as const;
/** Whom a batch is to be ahead of. */
const slower = ['pg-boss', 'graphile-worker, at its defaults'];

type Line = {
  readonly what: string;
  readonly figure: string;
  readonly mark: string;
  readonly missed: boolean;
};

function linesOf({ placings, start, million }: SharedFigures): Line[] {
  return [
    ...placings.map((placing) => placingLine(placing, placings)),
    line(
      'a send: more than with a journal in a file',
      `${start.moreMs.toFixed(0)} ms`,
      start.moreMs,
      marks.startMs,
      'ms',
    ),
    ...(million === undefined ? [] : millionLines(million)),
  ];
}

function placingLine({ name, isOurs, one, two }: Placing, placings: readonly Placing[]): Line {
  const figure = `${inThousands(one)} / ${inThousands(two)} rows/s`;
  if (!isOurs) return { what: name, figure, mark: '', missed: false };
  const best = Math.max(one, two);
  const ahead = placings
    .filter((other) => slower.includes(other.name))
    .map((other) => ({ name: other.name, isAhead: best > Math.max(other.one, other.two) }));
  const missed = one < marks.one || two < marks.two || ahead.some(({ isAhead }) => !isAhead);
  return {
    what: name,
    figure,
    mark: `≥ ${inThousands(marks.one)} / ${inThousands(marks.two)}, ahead of ${slower.join(' and ')}`,
    missed,
  };
}

/** The only one that looks at all intents; nothing that sends asks it. */
const countsAll = 'overview';

function millionLines({ slowest, firstPage, few, all, intents }: MillionFigures): Line[] {
  const [first = { name: 'none', ms: 0 }] = slowest.filter(({ name }) => name !== countsAll);
  const whole = slowest.find(({ name }) => name === countsAll);
  const memory = all.peakMb / few.peakMb;
  return [
    line(
      `the slowest statement (\`${first.name}\`), of ${inThousands(intents)} entries`,
      `${first.ms.toFixed(2)} ms`,
      first.ms,
      marks.statementMs,
      'ms',
    ),
    {
      what: 'the count of all of them, which the doctor makes for a monitor',
      figure: `${whole?.ms.toFixed(0)} ms`,
      mark: '',
      missed: false,
    },
    {
      what: `botctl history, of ${inThousands(intents)}`,
      figure: `${(firstPage.seconds * 1000).toFixed(0)} ms`,
      mark: '',
      missed: false,
    },
    line(
      `peak memory of history --json, of ${inThousands(intents)} (${all.seconds.toFixed(0)} s)`,
      `${all.peakMb.toFixed(0)} MB, ${memory.toFixed(2)} of that of 10,000`,
      memory,
      marks.memory,
      '',
    ),
  ];
}

function line(what: string, figure: string, value: number, most: number, unit: string): Line {
  return { what, figure, mark: `at most ${most}${unit && ` ${unit}`}`, missed: value > most };
}

function inThousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function missedSharedMarks(figures: SharedFigures): string[] {
  return linesOf(figures)
    .filter(({ missed }) => missed)
    .map(({ what, figure, mark }) => `missed: ${what}: ${figure} (${mark})`);
}

export function drawSharedTable(figures: SharedFigures): string {
  const rows = linesOf(figures).map(({ what, figure, mark, missed }) =>
    `${what.padEnd(62)}${figure.padStart(24)}   ${mark}${missed ? ': missed' : ''}`.trimEnd(),
  );
  return [figures.about, ...rows].join('\n');
}

export function sharedMarkdown(figures: SharedFigures): string {
  const rows = linesOf(figures).map(
    ({ what, figure, mark, missed }) =>
      `| ${what} | ${figure} | ${mark || ' '}${missed ? ': **missed**' : ''} |`,
  );
  return [figures.about, '', '| what | figure | mark |', '| ---- | -----: | ---- |', ...rows].join('\n');
}
