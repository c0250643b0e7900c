import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { plainCanvas, remark } from '../../display/drawing.ts';
import type { Failure } from '../../errors.ts';
import { notAccepted } from '../../words/acceptedLoss.ts';

type Question = {
  /** What comes of it, to be read before the question. */
  readonly warning: string;
  readonly question: string;
  /** Where there is nobody to ask. */
  readonly nobody: () => Failure;
};

/** Goes on only with --yes, or where a person says so. */
export async function confirmed(
  { warning, question, nobody }: Question,
  given: Given,
  { display }: Pick<Context, 'display'>,
): Promise<void> {
  if (given.flag('yes')) return;
  if (!display.interactive) throw nobody();
  const shown = remark(warning, plainCanvas(display.columns));
  if (!(await display.confirm(`${shown}${question}`))) throw notAccepted();
}
