import type { TextFault } from '../intent/facts.ts';
import { clipped } from './short.ts';

/** What is wrong with a text: its place is said beside it. */
export function textFaultWords(fault: TextFault): string {
  switch (fault.is) {
    case 'not-utf8':
      return 'the bytes are not valid UTF-8';
    case 'not-json':
      return 'not JSON';
    case 'syntax':
      return `not JSON (${fault.error.replace(/([a-z])([A-Z])/gu, '$1 $2').toLowerCase()})`;
    case 'inexact-number':
      return 'the number cannot be passed on exactly; write it as a string';
    case 'too-deep':
      return `it is nested deeper than ${fault.mostLevels} levels`;
    case 'key-twice':
      return `the key "${clipped(fault.key)}" is given twice in one object`;
  }
}
