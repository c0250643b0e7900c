import type { Progress, Waiting, WhatCame } from '../engine/ports.ts';
import type { Kind } from '../intent/wanted.ts';
import { nouns } from './phrases.ts';
import { formatPause } from './time.ts';
import { troubleWords } from './trouble.ts';

function whatCame(what: WhatCame | undefined): string {
  return typeof what === 'object' ? troubleWords(what) : `status ${what}`;
}

/** Why there is a wait, beside a spinner. */
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

/** What the first interrupt still waits for, and how to leave. */
export function landingWords(kind: Kind): string {
  return `Interrupted while the ${nouns[kind]} is on its way: waiting up to 5 s for its reply. Interrupt again to leave at once; then its outcome is unknown.`;
}

export const rowsLandingWords =
  'Interrupted: no new row is begun, and the replies of those on their way are waited for, up to 5 s. Interrupt again to leave at once; then their outcome is unknown.';

/** A line of --verbose. */
export function progressWords(progress: Progress): string {
  switch (progress.is) {
    case 'sending':
      return `attempt ${progress.number}: POST ${progress.url} (key ${progress.key})`;
    case 'came-back':
      return `attempt ${progress.number}: ${whatCame(progress.what)}, ${progress.tookMs} ms`;
    case 'waiting':
      return `${progress.verdict}: waiting ${progress.waitMs} ms`;
  }
}
