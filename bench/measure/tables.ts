import type { Figures } from './figures.ts';
import { ratioOf, type Timing } from './timing.ts';

const history = 'botctl history --limit 20';

const marks: Readonly<Record<string, number>> = {
  'botctl --version': 1.1,
  'botctl --help': 1.3,
  'botctl send': 2.75,
  'botctl send, replayed': 2.15,
  [history]: 2.0,
};
const memoryMark = 1.6;

/** A send is to be faster than each of these, absent ones excepted; of the others its share is told. */
const slower = ['node script, fetch', 'http (HTTPie)'];
const beside = [...slower, 'gh', '/usr/bin/python3, urllib', 'curl'];

/** How many times `node -e 0` this may take. Later Nodes start faster: there only a script's own fetch counts. */
function markFor(name: string, nodeVersion: string): number {
  const isLater = !/^v20\b/u.test(nodeVersion);
  const isStart = name === 'botctl --version' || name === 'botctl --help';
  return (isLater && !isStart ? undefined : marks[name]) ?? Number.POSITIVE_INFINITY;
}

type Line = { what: string; ms: string; ratio: string; cpu: string; mark: string };

function linesOf(figures: Figures): Line[] {
  const { timings, intents, absent, firstSandboxMs, memory } = figures;
  const memoryRatio = memory.sendMiB / memory.nodeMiB;
  return [
    ...timings.map((timing) => ({
      what: timing.name === history ? `${history}, of ${intents.toLocaleString('en')}` : timing.name,
      ms: `${timing.medianMs.toFixed(0)} ms`,
      ratio: `${timing.ratio.toFixed(2)} ×`,
      cpu: timing.cpuRatio === undefined ? '' : `${timing.cpuRatio.toFixed(2)} ×`,
      mark: markOf(timing, figures),
    })),
    ...absent.map((what) => ({ what, ms: 'absent', ratio: '', cpu: '', mark: '' })),
    line('botctl --sandbox transfer, the first ever', `${firstSandboxMs.toFixed(0)} ms`),
    {
      ...line('peak memory of a send', `${memory.sendMiB.toFixed(0)} MiB`),
      ratio: `${memoryRatio.toFixed(2)} ×`,
      mark: limit(memoryRatio, memoryMark),
    },
  ];
}

function line(what: string, ms: string): Line {
  return { what, ms, ratio: '', cpu: '', mark: '' };
}

function markOf(timing: Timing, { timings, nodeVersion }: Figures): string {
  const mark = markFor(timing.name, nodeVersion);
  if (Number.isFinite(mark)) return limit(timing.ratio, mark);
  const send = sendIn(timings);
  if (send === undefined || !beside.includes(timing.name)) return '';
  const share = ratioOf(send, timing);
  const isMissed = slower.includes(timing.name) && share > 1;
  return `send takes ${share.toFixed(2)} of it${isMissed ? ': missed' : ''}`;
}

function limit(ratio: number, mark: number): string {
  return `≤ ${mark} ×${ratio > mark ? ': missed' : ''}`;
}

function sendIn(timings: readonly Timing[]): Timing | undefined {
  return timings.find(({ name }) => name === 'botctl send');
}

/** What missed its mark, in a sentence each. */
export function missedMarks({ nodeVersion, timings, memory }: Figures): string[] {
  const send = sendIn(timings);
  const memoryRatio = memory.sendMiB / memory.nodeMiB;
  return [
    ...timings
      .filter(({ name, ratio }) => ratio > markFor(name, nodeVersion))
      .map(({ name, ratio }) => `${name}: ${ratio.toFixed(2)} ×, over its mark of ${marks[name]} ×`),
    ...timings
      .filter((timing) => slower.includes(timing.name) && send !== undefined && ratioOf(send, timing) > 1)
      .map(({ name }) => `botctl send: slower than ${name}`),
    ...(memoryRatio > memoryMark ? [`peak memory: ${memoryRatio.toFixed(2)} ×, over ${memoryMark} ×`] : []),
  ].map((sentence) => `missed on Node ${nodeVersion}: ${sentence}`);
}

export function drawTable(figures: Figures): string {
  const rows = linesOf(figures).map(({ what, ms, ratio, cpu, mark }) =>
    `${what.padEnd(46)}${ms.padStart(9)}${ratio.padStart(9)}${cpu.padStart(11)}   ${mark}`.trimEnd(),
  );
  const heading = `Node ${figures.nodeVersion}, medians of ${figures.rounds} rounds`.padEnd(46);
  return [
    `${heading}${'time'.padStart(9)}${'ratio'.padStart(9)}${'processor'.padStart(11)}`,
    ...rows,
    '',
  ].join('\n');
}

const slowerInWords = 'a send is no slower';

function markInWords(lines: readonly (Line | undefined)[]): string {
  const own = lines.flatMap((line) =>
    line?.mark.startsWith('≤') ? [line.mark.replace(/: missed$/u, '')] : [],
  );
  if (own[0] !== undefined) return own.length === lines.length ? own[0] : `${own[0]} on Node 20`;
  return lines.some((line) => line !== undefined && slower.includes(line.what)) ? slowerInWords : ' ';
}

function cellOf(line: Line | undefined): string {
  if (line === undefined) return ' ';
  const figures = [line.ms, line.ratio].filter((figure) => figure !== '').join(', ');
  return line.mark.endsWith(': missed') ? `${figures} **missed**` : figures;
}

/** For a page, with a column for each Node: what is absent is left out, and what missed its mark says so. */
export function markdownTable(all: readonly Figures[]): string {
  const columns = all.map((figures) => linesOf({ ...figures, absent: [] }));
  const names = [...new Set(columns.flatMap((lines) => lines.map(({ what }) => what)))];
  const rows = names.map((name) => {
    const lines = columns.map((own) => own.find(({ what }) => what === name));
    return `| ${[name, ...lines.map(cellOf), markInWords(lines)].join(' | ')} |`;
  });
  const nodes = all.map(({ nodeVersion }) => `Node ${nodeVersion.slice(1)}`);
  return [
    `Whole processes, medians of ${all[0]?.rounds} paired runs; the ratio is to \`node -e 0\` on the same Node.`,
    '',
    `| what | ${nodes.join(' | ')} | mark |`,
    `| --- |${' ---: |'.repeat(nodes.length)} --- |`,
    ...rows,
  ].join('\n');
}
