import { parseArgs } from 'node:util';
import { Refusal } from '../scripts/refusal.ts';
import { type Bench, benches, commonOptions, type Given } from './benches.ts';

type Asked =
  | { readonly is: 'help'; readonly benches: readonly Bench[] }
  | {
      readonly is: 'run';
      readonly bench: Bench;
      readonly given: Given;
      readonly isChecked: boolean;
      /** Where its table goes in docs/performance.md. */
      readonly page: string | undefined;
    };

export function readWords(argv: readonly string[]): Asked {
  const [first = '-'] = argv;
  const isNamed = !first.startsWith('-');
  const bench = isNamed ? benches.find(({ name }) => name === first) : benches[0];
  if (bench === undefined) throw new Refusal(`No bench is called “${first}”`);
  const options = { ...bench.options, ...commonOptions };
  const { values } = parseArgs({
    args: argv.slice(isNamed ? 1 : 0),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { usual }]) => [
        name,
        { type: usual === undefined ? 'boolean' : 'string' } as const,
      ]),
    ),
  });
  if (values.help === true) return { is: 'help', benches: isNamed ? [bench] : benches };
  const isForPage = values.markdown === true;
  if (isForPage && bench.table === undefined)
    throw new Refusal(`docs/performance.md has no table for the bench ${bench.name}`);
  const numbers = new Map<string, number>();
  for (const [name, { usual }] of Object.entries(bench.options)) {
    if (usual !== undefined) numbers.set(name, numberOf(name, values[name], usual));
  }
  const given: Given = {
    has: (flag) => values[flag] === true,
    number: (name) => numbers.get(name) ?? Number.NaN,
  };
  const page = isForPage ? bench.table : undefined;
  return { is: 'run', bench, given, isChecked: values.check === true, page };
}

function numberOf(name: string, text: string | boolean | undefined, usual: number): number {
  if (text === undefined) return usual;
  if (!/^[1-9]\d*$/u.test(`${text}`))
    throw new Refusal(`--${name} takes a whole number above 0, not “${text}”`);
  return Number(text);
}
