import { Failure } from '../errors.ts';
import { listed } from './list.ts';

function notOne(option: string, value: string, what: string, hint: string): Failure {
  return new Failure('usage', `--${option} "${value}" is not ${what}.`, { hint });
}

export function notAState(value: string, states: readonly string[]): Failure {
  return notOne('state', value, 'a state', `Give one of ${listed(states, 'or')}.`);
}

export function notAKind(value: string): Failure {
  return notOne('kind', value, 'a kind', 'Give message or transfer.');
}

export function notALimit(value: string): Failure {
  return notOne('limit', value, 'a count', 'Give a whole number from 1.');
}

export function notASince(value: string, rule: string): Failure {
  return notOne('since', value, 'a duration', `Write ${rule}.`);
}

export const emptySandbox = 'Nothing is recorded in the sandbox yet.';

export function noJournalYet(path: string): string {
  return `Nothing is recorded yet: there is no journal ${path}.`;
}

export const noIntentMatches = 'No intent matches.';
