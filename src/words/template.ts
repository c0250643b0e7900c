import type { TemplatePlace } from '../batch/facts.ts';

export const templateRule = 'what --template makes of the row';
export const isGivenToo = 'is given by the row too';

export function withoutValue(column: string, source: string, { line, place }: TemplatePlace): string {
  return `has no value for {{${column}}} (${source}, line ${line}, column ${place}) in this row`;
}
