import { type Bench, benches, commonOptions, sentenceOf } from './benches.ts';

const usage = `usage: npm run bench -- [NAME] [OPTION]…

NAME is ${benches.map(({ name }) => name).join(', ')}; without one it is ${benches[0]?.name}. Times are for two processors at rest.
BOTCTL_BIN=/path/to/botctl measures that program instead of this checkout’s.`;

type Options = Bench['options'];

function optionLines(options: Options): string[] {
  return Object.entries(options).map(
    ([name, { usual, means }]) =>
      `  --${name}${usual === undefined ? '' : ' N'}`.padEnd(18) +
      `${means}${usual === undefined ? '' : ` (${usual.toLocaleString('en')})`}`,
  );
}

function about({ name, compares, takes, needs, options, marks }: Bench): string {
  return [
    `${name} (${takes})`,
    `  compares ${compares}`,
    ...(needs === undefined ? [] : [`  needs ${needs}`]),
    ...optionLines(options),
    ...marks.map((mark) => `  mark: ${mark.of}: ${sentenceOf(mark)}`),
  ].join('\n');
}

export function help(shown: readonly Bench[]): string {
  const common = ['every bench', ...optionLines(commonOptions)].join('\n');
  return [usage, ...shown.map(about), common].join('\n\n');
}

/** The tables of README.md. */
export function benchTable(): string {
  const rows = benches.map(
    ({ name, compares, takes, needs }) =>
      `| \`${name}\` | ${compares} | ${takes} | ${needs ?? 'nothing more'} |`,
  );
  return ['| bench | what it compares | takes | needs |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

export function markTable(): string {
  const rows = benches.flatMap(({ name, marks }) =>
    marks.map((mark) => `| \`${name}\` | ${mark.of} | ${sentenceOf(mark)} | ${mark.why} |`),
  );
  return ['| bench | line | mark | what it is for |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
