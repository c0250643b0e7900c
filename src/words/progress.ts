import type { Progress, Waiting } from '../engine/ports.ts';
import { nouns } from './phrases.ts';
import { formatPause } from './time.ts';

/** Why there is a wait, beside a spinner. */
export function waitingWords(waiting: Waiting): string {
  switch (waiting.for) {
    case 'reply':
      return `Sending the ${nouns[waiting.kind]}`;
    case 'other-process':
      return `Another botctl is sending ${waiting.id}; waiting for its outcome`;
    case 'next-try':
      return `Trying again in ${formatPause(waiting.waitMs)} (${waiting.why})`;
  }
}

/** A line of --verbose. */
export function progressWords(progress: Progress): string {
  switch (progress.is) {
    case 'sending':
      return `attempt ${progress.number}: POST ${progress.url} (key ${progress.key})`;
    case 'came-back':
      return `attempt ${progress.number}: ${progress.what}, ${progress.tookMs} ms`;
    case 'waiting':
      return `${progress.verdict}: waiting ${progress.waitMs} ms`;
  }
}
