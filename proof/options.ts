import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Refusal } from '../scripts/refusal.ts';
import { variants } from './sabotage/variants.ts';
import { techniques } from './techniques.ts';

const namesOf = (all: readonly { readonly name: string }[]): string => all.map(({ name }) => name).join(', ');

export const usage = `usage: npm run proof -- [--seed S] [--only TECHNIQUE]… [--share 0.1] [--markdown | --sabotage]

  --only       one technique (repeatable): ${namesOf(techniques)}
               with --sabotage: one of the broken variants
  --share      play so much of it, chosen by the seed (default 1: all)
  --markdown   put the table into docs/proof.md, between its marks
  --sabotage   build broken variants and see that each is caught`;

export type Options = ReturnType<typeof readOptions>;

export function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string', default: randomBytes(4).toString('hex') },
      only: { type: 'string', multiple: true, default: [] },
      share: { type: 'string', default: '1' },
      markdown: { type: 'boolean', default: false },
      sabotage: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const share = Number(values.share);
  if (!(share > 0 && share <= 1)) throw new Refusal('--share takes a number above 0, 1 at most');
  const known = values.sabotage ? variants : techniques;
  const unknown = values.only.find((name) => !known.some((one) => one.name === name));
  if (unknown !== undefined) throw new Refusal(`“${unknown}” is none of ${namesOf(known)}`);
  return { ...values, share };
}
