import type { Kind } from '../../once/intent/wanted.ts';
import type { Decision, DecisionKind, Resolution } from '../../once/journal/journal.ts';
import { fewOf } from './intent.ts';
import {
  counted,
  formatAgo,
  formatAmountOf,
  formatCount,
  isoIn,
  listed,
  momentRule,
  type Suggestion,
  type Zone,
} from './phrases.ts';
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

export function severalRecipients(value: string, addresses: readonly string[]): Told {
  const some = fewOf(addresses, ', ', (count) => `and ${formatCount(count)} more`);
  return told('usage')`--to "${value}" matches several addresses: ${some}.
    Give more of its characters.`;
}

/** What a sum is over. Without --since it begins with the oldest entry that it counts. */
export function periodWords(
  { sinceMs, untilMs }: { readonly sinceMs: number | undefined; readonly untilMs: number | undefined },
  nowMs: number,
  zone: Zone,
): string {
  const at = (ms: number): string => isoIn(zone, ms);
  if (sinceMs === undefined) return untilMs === undefined ? 'So far' : `To ${at(untilMs)}`;
  if (untilMs !== undefined) return `From ${at(sinceMs)} to ${at(untilMs)}`;
  return `Since ${at(sinceMs)}, ${formatAgo(nowMs - sinceMs)}`;
}

export const nothingSummed = ': nothing';

type SumFacts = {
  readonly state: string;
  readonly resolvedAs: Resolution | undefined;
  readonly kind: Kind;
  readonly asset: string | undefined;
  readonly amount: string;
  readonly intents: number;
};

/** The state, the amount, and how many there are. */
export function sumWords({ state, resolvedAs, kind, asset, amount, intents }: SumFacts): readonly string[] {
  const decided = resolvedAs === undefined ? '' : ` (${resolvedWay(resolvedAs)})`;
  return [
    `${state}${decided}`,
    asset === undefined ? '' : formatAmountOf(amount, asset),
    counted(intents, kind),
  ];
}

/** `problem` says what is wrong with the name. */
export function notARecipient(value: string, problem: string): Told {
  return told('usage')`--to "${value}" ${problem}.
    Give the recipient’s whole address, or a name under recipients in the policy:
    $ policy show`;
}

export function notALimit(value: string): Told {
  return notOne('limit', value, 'a count', 'Give a whole number from 1, or all.');
}

export function notAMoment(option: 'since' | 'until', value: string): Told {
  return notOne(option, value, 'a time', `Write ${momentRule}.`);
}

/** A profile chooses who sends, but a history covers all bots. */
export function ofAllBots(profile: string): [string, Suggestion[]] {
  return [
    'This shows all bots: --profile does not narrow it. To see this one alone:',
    [['history', '--bot', profile]],
  ];
}

export function listIsCut(shown: number): string {
  const newest = shown === 1 ? 'the newest is' : `the newest ${formatCount(shown)} are`;
  return `There are more: only ${newest} shown. --limit all shows all.`;
}

/** `trouble` says why the journal could not be written. */
export function deathsNotNoted(trouble: string): string {
  return `${trouble} An entry shown as sending may have happened: its process has ended.`;
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

/** Who did something to an intent. */
export function decisionWords({ kind, who, role, reason }: Decision): string {
  const did = `${handWords({ who, role })} ${didWords[kind]}`;
  return kind === 'proposed' || kind === 'approved' ? did : `${did}: ${reason}`;
}

/** A person on a machine; the database role is what a server knows of them. */
export function handWords({ who, role }: Pick<Decision, 'who' | 'role'>): string {
  return role === undefined ? who : `${who} (database role ${role})`;
}
