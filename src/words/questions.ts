import type { Plan } from '../engine/plan.ts';
import type { PlanMeaning } from '../engine/planKinds.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Intent } from '../journal/journal.ts';
import { byAnother, done, nouns } from './phrases.ts';
import { iso } from './time.ts';

/** What a person is asked before anything is sent; the default is No. */
export const questionTexts = {
  send: 'Send it?',
  'do-again': 'Do it again?',
  'send-anyway': 'Send the new one anyway?',
} as const;

/** What is known of it before, to be said with the question. */
export function reminderOf(
  { found, twin }: Plan,
  { reminds }: Pick<PlanMeaning, 'reminds'>,
  kind: Kind,
): string | undefined {
  const noun = nouns[kind];
  const decided = `It was decided ${lastDone(found)} that the same ${noun} happened`;
  const isDecided = found?.resolvedAs === 'happened';
  switch (reminds) {
    case 'of-nothing':
      return undefined;
    case 'it-was-done':
      return isDecided ? `${decided}.` : `The same ${noun} was ${done[kind]} ${lastDone(found)}.`;
    case 'when-last-done': {
      const last = isDecided ? decided : `The same ${noun} was last ${done[kind]} ${lastDone(found)}`;
      return `${last}; this would be a new one.`;
    }
    case 'of-the-twin':
      return `The same amount was sent to the same address ${lastDone(twin)}, ${whyAsked(twin)}; this may be that payment:`;
    case 'of-doubt':
      return found?.tainted
        ? `It may already have happened (intent ${found.id}). It will be sent with the same key, so it happens only once.`
        : undefined;
  }
}

function lastDone(found: Intent | undefined): string {
  return found === undefined ? '' : `at ${iso(found.updatedAtMs)} (intent ${found.id})`;
}

function whyAsked(twin: Intent | undefined): string {
  return twin?.reportedAtMs === undefined ? 'and no command has reported it yet' : byAnother(twin);
}
