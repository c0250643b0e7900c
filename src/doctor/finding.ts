import type { Failure } from '../errors.ts';

export type Level = 'ok' | 'warn' | 'fail';

/** What one check found, and where it is not in order, what to do. */
export type Finding = {
  readonly check: string;
  readonly level: Level;
  readonly says: string;
  readonly todo?: string;
};

export function ok(check: string, says: string): Finding {
  return { check, level: 'ok', says };
}

export function warn(check: string, says: string, todo: string): Finding {
  return { check, level: 'warn', says, todo };
}

export function fail(check: string, says: string, todo: string): Finding {
  return { check, level: 'fail', says, todo };
}

/** A failure with a name, as a finding: nothing was going to be sent here, so its sentence need not say so. */
export function failed(check: string, failure: Failure): Finding {
  const says = failure.message.replace(/; nothing was (?:\w+(?:, \w+)* or )?\w+(?=[.:])/u, '');
  return fail(check, says, failure.details.hint ?? 'Run botctl doctor --verbose.');
}

export function inOrder(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== 'fail');
}
