import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Refusal } from '../scripts/refusal.ts';

export type Options = {
  readonly seed: string;
  readonly only: readonly string[];
  /** 1 is the full run. */
  readonly share: number;
  readonly isMarkdown: boolean;
  readonly isSabotage: boolean;
  readonly isHelp: boolean;
};

export const usage = `usage: npm run proof -- [--seed S] [--only TECHNIQUE]… [--share 0.1] [--markdown | --sabotage]

  --only       one technique (repeatable): NAMES
               with --sabotage: one of the broken variants
  --share      play so much of it, chosen by the seed (default 1: all)
  --markdown   put the table into docs/proof.md, between its marks
  --sabotage   build broken variants and see that each is caught`;

/** What can be named, by what is played. */
type Names = { readonly techniques: readonly string[]; readonly variants: readonly string[] };

export function readOptions(argv: readonly string[], names: Names): Options {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seed: { type: 'string' },
      only: { type: 'string', multiple: true },
      share: { type: 'string', default: '1' },
      markdown: { type: 'boolean', default: false },
      sabotage: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const share = Number(values.share);
  if (!(share > 0 && share <= 1)) throw new Refusal('--share takes a number above 0, 1 at most');
  const [what, known] = values.sabotage
    ? ['broken variant', names.variants]
    : ['technique', names.techniques];
  const unknown = values.only?.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Refusal(`No ${what} is called “${unknown}”: there are ${known.join(', ')}`);
  return {
    seed: values.seed ?? randomBytes(4).toString('hex'),
    only: values.only ?? [],
    share,
    isMarkdown: values.markdown,
    isSabotage: values.sabotage,
    isHelp: values.help,
  };
}
