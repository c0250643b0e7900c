import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { Outcome } from '../engine/outcome.ts';
import { planKinds } from '../engine/planKinds.ts';
import { again } from '../words/again.ts';
import type { Suggestion } from '../words/suggestion.ts';

/** The command that does once more what was not done now because it was done before: pasted twice it happens once. */
export function suggestAnother(
  outcome: Outcome,
  given: Given,
  { interactive }: Pick<Context['display'], 'interactive'>,
): Suggestion[] {
  if (given.command === 'resume') return [];
  if (outcome.is === 'not-sent') return insteadOfNothing(outcome, given);
  const other = underAnotherName(outcome, given);
  if (other !== undefined) return [other];
  // Whoever was asked has said No.
  if (outcome.is !== 'concluded' || (interactive && !given.flag('yes'))) return [];
  const { intent, replayed } = outcome;
  const isDone = intent.state === 'accepted' || intent.resolvedAs === 'happened';
  // Whoever gave a name knows how to give another.
  const isNamed = intent.namedBy !== undefined && intent.namedBy !== 'run';
  return replayed === 'from-journal' && isDone && !isNamed ? [underOwnName(given, intent.id)] : [];
}

function insteadOfNothing(outcome: Outcome & { is: 'not-sent' }, given: Given): Suggestion[] {
  switch (outcome.because) {
    case 'declined':
    case 'interrupted':
    case 'twin-still-sending':
    case 'policy':
      return [];
    default:
      return planKinds[outcome.because].suggestsName ? [underOwnName(given, outcome.intent.id)] : [];
  }
}

function underOwnName(given: Given, id: string): Suggestion {
  return again(given, ['run'], { name: 'once', value: `again-${id}` });
}

/** Under a name that another payment has, this one can never be made. */
function underAnotherName(outcome: Outcome, given: Given): Suggestion | undefined {
  if (outcome.is !== 'concluded' || outcome.intent.why !== 'other-payment') return undefined;
  const taken = given.text('once') ?? given.text('idempotency-key');
  if (taken === undefined) return undefined;
  return again(given, ['once', 'idempotency-key'], { name: 'once', value: `${taken}-${outcome.intent.id}` });
}
