import type { Progress, Waiting, WhatCame } from '../../once/engine/context.ts';
import type { Plan } from '../../once/engine/plan.ts';
import type { PlanMeaning } from '../../once/engine/planKinds.ts';
import type { Kind } from '../../once/intent/wanted.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { byAnother, nouns } from './outcomes.ts';
import { formatPause, iso } from './phrases.ts';
import { type Told, told } from './told.ts';
import { troubleWords } from './trouble.ts';

const option = (name: string): string => `--${name}`;

export function bothGiven(one: string, other: string): Told {
  return told('usage')`${option(one)} and ${option(other)} are both given
    Give one of them.`;
}

export const stdinOf = (name: string): string => `${option(name)} (stdin)`;

/** The questions before something is sent. The default is No. */
export const questionTexts = {
  send: 'Send it?',
  'do-again': 'Do it again?',
  'send-anyway': 'Send the new one anyway?',
} as const;

/** Above what a policy lets go alone. */
export const askToPropose = 'Propose it? It waits for approval then.';

/** What is already known about it, said with the question. */
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
      return isDecided ? `${decided}.` : `The same ${noun} was accepted ${lastDone(found)}.`;
    case 'when-last-done': {
      const last = isDecided ? decided : `The same ${noun} was last accepted ${lastDone(found)}`;
      return `${last}; this would be a new one.`;
    }
    case 'of-the-twin':
      return `The same amount was sent to the same address ${lastDone(twin)}, ${whyAsked(twin)}. This may be the same payment:`;
    case 'of-doubt':
      return found?.tainted
        ? `It may already have happened (ID ${found.id}). The same request will be sent again, so it happens once.`
        : undefined;
  }
}

function lastDone(found: Intent | undefined): string {
  return found === undefined ? '' : `at ${iso(found.updatedAtMs)} (ID ${found.id})`;
}

function whyAsked(twin: Intent | undefined): string {
  return twin?.reportedAtMs === undefined ? 'and no command has reported it yet' : byAnother(twin);
}

function whatCame(what: WhatCame | undefined): string {
  return typeof what === 'object' ? troubleWords(what) : `status ${what}`;
}

/** The reason for a wait, shown beside a spinner. */
export function waitingWords(waiting: Waiting): string {
  switch (waiting.for) {
    case 'reply':
      return `Sending the ${nouns[waiting.kind]}`;
    case 'other-process':
      return `Another botctl is sending ${waiting.id}; waiting for its outcome`;
    case 'next-try':
      return `Trying again in ${formatPause(waiting.waitMs)} (${whatCame(waiting.why)})`;
  }
}

/** What the first interrupt still waits for, and how to stop at once. */
export function landingWords(kind: Kind): string {
  return `Interrupted while the ${nouns[kind]} is being sent: waiting up to 5 s for its reply. Interrupt again to leave at once; then its outcome is unknown.`;
}

/** A line of --verbose. */
export function progressWords(progress: Progress): string {
  switch (progress.is) {
    case 'sending':
      return `request ${progress.number}: POST ${progress.url}`;
    case 'came-back':
      return `request ${progress.number}: ${whatCame(progress.what)}, ${progress.tookMs} ms`;
    case 'waiting':
      return `${progress.verdict}: waiting ${progress.waitMs} ms`;
  }
}
