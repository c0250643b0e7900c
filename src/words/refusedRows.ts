import type { FailureCode } from '../errors.ts';
import type { Refusal } from '../policy/rules.ts';
import { counted } from './list.ts';
import { policyWords } from './policy.ts';
import { Told } from './told.ts';

/** A batch of which a policy refuses rows: none of it is sent, so that it is known before how far it would come. */
export function refusedRows(
  { refused, rows, source }: { readonly refused: number; readonly rows: number; readonly source: string },
  refusal: Refusal,
  code: FailureCode,
): Told {
  const { message, hint, allowance, next = [] } = policyWords(refusal);
  return new Told(
    code,
    `A policy refuses ${refused} of the ${counted(rows, 'row')} of ${source}. The first: ${message}`,
    { hint, next, ...(allowance === undefined ? {} : { allowance }) },
  );
}
