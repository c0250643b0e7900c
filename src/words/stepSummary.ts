import type { Exit } from '../errors.ts';
import { formatCount } from './list.ts';
import type { Problem } from './told.ts';

export function annotated(
  command: string,
  exit: Exit,
  { message, hint }: Pick<Problem, 'message' | 'hint'>,
): { title: string; text: string } {
  return {
    title: `botctl ${command}: exit ${exit}`,
    text: hint === undefined ? message : `${message} ${hint}`,
  };
}

export function moreNotSummed(count: number): string {
  return `and ${formatCount(count)} more`;
}
