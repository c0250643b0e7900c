import { clipped } from './short.ts';

/** Said where a message cannot be sent as it was asked for: rules and problems of its fields. */
export const theMessage = 'The message';

export function contentRule(most: number): string {
  return `1 to ${most} characters, counted as Unicode code points`;
}
export const contentFarTooLong = 'is far too long';
export function contentLength(count: number): string {
  return `has ${count} characters`;
}

export const conversationRule = 'the identifier of a conversation';
export const labelRule = 'text on the button';
export const styleRule = 'a style, or absent';
export const customIdRule = 'an identifier of your choice';
export const rowRule = 'one button or more';
export const typeRule = 'the type of a component';

export const buttonRule = 'label=TEXT,id=ID with an optional style=STYLE (write a comma in a text as \\,)';
export const buttonProblems = {
  noLabel: 'has no label',
  noId: 'has no id',
  emptyStyle: 'has an empty style',
} as const;
export function unknownButtonPart(part: string): string {
  return `has a part that is not label=, id= or style=: "${clipped(part)}"`;
}
export function buttonPartTwice(name: string): string {
  return `gives ${name} twice`;
}

export const rowMarkRule = 'followed by a --button';
export const rowWithoutButtons = 'begins a row without buttons';

export const distinctIdsRule = 'a list in which every custom_id is different';
export function repeatedId(id: string): string {
  return `use the custom_id "${clipped(id)}" twice`;
}

export function unknownStyle(style: string, known: readonly string[]): string {
  return `The button style "${clipped(style)}" is not one of ${known.join(', ')}. The service’s full list is not published, so the style is sent as it is.`;
}
export function moreUnknownStyles(count: number): string {
  return `${count} more button styles are unknown.`;
}
