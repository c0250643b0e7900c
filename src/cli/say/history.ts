import type { Decision, DecisionKind, Resolution } from '../../once/journal/journal.ts';
import { momentRule } from './phrases.ts';
import { type Told, told } from './told.ts';

export function notAMoment(option: 'since' | 'until', value: string): Told {
  return told('usage')`--${option} "${value}" is not a time.
    Write ${momentRule}.`;
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
