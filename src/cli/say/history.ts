import type { Decision, DecisionKind, Resolution } from '../../once/journal/journal.ts';
import { listed, momentRule } from './phrases.ts';
import { type Told, told } from './told.ts';

function notOne(option: string, value: string, what: string, hint: string): Told {
  return told('usage', { hint })`--${option} "${value}" is not ${what}.`;
}

export function notAState(value: string, states: readonly string[]): Told {
  return notOne('state', value, 'a state', `Give one of ${listed(states, 'or')}.`);
}

export function notAKind(value: string): Told {
  return notOne('kind', value, 'a kind', 'Give message or transfer.');
}

export function notAnAddress(value: string): Told {
  return notOne(
    'to',
    value,
    'an address or the beginning of one',
    'Give the recipient’s address, its first 4 characters or more, or @ and a name under recipients in the policy.',
  );
}

export function notALimit(value: string): Told {
  return notOne('limit', value, 'a count', 'Give a whole number from 1, or all.');
}

export function notAMoment(option: 'since' | 'until', value: string): Told {
  return notOne(option, value, 'a time', `Write ${momentRule}.`);
}

/** How a person decided. */
export function resolvedWay(resolvedAs: Resolution): string {
  return resolvedAs === 'did-not-happen' ? 'did not happen' : resolvedAs;
}

/** What a person did to an intent. */
export const didWords: Readonly<Record<DecisionKind, string>> = {
  happened: 'decided that it happened',
  'did-not-happen': 'decided that it did not happen',
  declined: 'declined it',
  'send-again': 'had it sent again',
  proposed: 'asked for approval',
  approved: 'approved it',
};

/** A person on a machine; the database role is what a server knows of them. */
export function handWords({ who, role }: Pick<Decision, 'who' | 'role'>): string {
  return role === undefined ? who : `${who} (database role ${role})`;
}
