import type { Decision, Intent } from '../journal/journal.ts';
import { optionWords } from './suggestion.ts';
import { iso } from './time.ts';
import { Told } from './told.ts';

/** Why an operator cannot decide of an intent now. */
export function stillBeingSent({ id }: Intent): Told {
  return new Told('not-allowed-now', `A running process is sending intent ${id}`, {
    hint: 'Wait until it has ended, or end it; then decide.',
  });
}

export function alreadyProven({ id, state }: Intent): Told {
  const proof = state === 'accepted' ? 'it happened' : 'it did not happen';
  return new Told(
    'not-allowed-now',
    `Intent ${id} is ${state}: the service’s own reply shows that ${proof}`,
    { hint: 'The history shows its attempts.', next: [['history', id]] },
  );
}

export function decidedOtherwise(
  { id }: Intent,
  { kind, reason, signature }: Decision,
  earlier: Decision | undefined,
): Told {
  const { who = 'An operator', reason: why = '' } = earlier ?? {};
  const when = earlier === undefined ? '' : ` at ${iso(earlier.atMs)}`;
  const said = kind === 'happened' ? 'did not happen' : 'happened';
  const options = [
    ...(signature === undefined ? [] : optionWords({ name: 'signature', value: signature })),
    ...optionWords({ name: 'reason', value: reason }),
  ];
  return new Told('not-allowed-now', `${who} decided${when} that intent ${id} ${said} ("${why}")`, {
    hint: 'If that was wrong, overrule it; both decisions are kept:',
    next: [['resolve', id, `--${kind}`, ...options, '--overrule']],
  });
}
