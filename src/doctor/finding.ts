import { lookCloser } from '../words/doctor.ts';
import type { Advice } from '../words/doctorJournal.ts';
import type { Suggestion } from '../words/suggestion.ts';
import type { Told } from '../words/told.ts';

type Level = 'ok' | 'warn' | 'fail';

/** What one check found, and where it is not in order, what to do. */
export type Finding = {
  readonly check: string;
  readonly level: Level;
  readonly says: string;
  readonly todo?: string;
  /** Commands that do it, each to be pasted. */
  readonly next?: readonly Suggestion[];
};

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says };
}

export function warn(check: string, advice: Advice): Finding {
  return { check, level: 'warn', ...advice };
}

export function fail(check: string, advice: Advice): Finding {
  return { check, level: 'fail', ...advice };
}

/** A failure with a name, as a finding: nothing was going to be sent here, so its sentence need not say so. */
export function failed(check: string, failure: Told): Finding {
  const says = failure.message;
  const { hint, next = [] } = failure.details;
  if (hint === undefined) return fail(check, { says, ...lookCloser });
  return fail(check, { says, todo: hint, ...(next.length === 0 ? {} : { next }) });
}

export function inOrder(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== 'fail');
}
