import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Attempt, Intent, Reads } from '../journal/journal.ts';
import type { Process } from '../journal/process.ts';
import type { Refusal } from '../policy/rules.ts';
import type { Trouble } from '../wire/trouble.ts';
import { engineFailure } from './facts.ts';
import type { NotSentKind, OtherUrlKind } from './planKinds.ts';

/** Why no further attempt was made. */
export type Stopped =
  | { readonly because: 'no-tries-left' }
  | { readonly because: 'certificate'; readonly trouble: Trouble }
  | { readonly because: 'would-wait-too-long'; readonly comeBackAtMs: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'nothing-to-gain' };

/** How a command's part in an intent ended. */
export type Outcome =
  | {
      readonly is: 'concluded';
      readonly intent: Intent;
      readonly attempt: Attempt | undefined;
      /** Nothing was sent now: the journal knew, or another process did it. */
      readonly replayed: false | 'from-journal' | 'by-another-process';
      /** This very run created the intent. */
      readonly createdNow: boolean;
      readonly stopped?: Stopped;
    }
  | { readonly is: 'still-sending'; readonly intent: Intent; readonly by?: Process | undefined }
  | {
      readonly is: 'not-sent';
      readonly because: Exclude<NotSentKind, OtherUrlKind> | 'twin-still-sending' | 'interrupted';
      /** The one that was found, or the twin that stands in the way. */
      readonly intent: Intent;
      /** Who is sending it. */
      readonly by?: Process | undefined;
    }
  /** The one that has the name, and where this one would have gone. */
  | {
      readonly is: 'not-sent';
      readonly because: OtherUrlKind;
      readonly intent: Intent;
      readonly url: BaseUrl;
    }
  | { readonly is: 'not-sent'; readonly because: 'declined' }
  | { readonly is: 'not-sent'; readonly because: 'policy'; readonly refusal: Refusal }
  /** A reply came, but the journal could not take it. */
  | {
      readonly is: 'not-recorded';
      readonly intent: Intent;
      readonly attempt: Attempt;
      readonly cause: unknown;
      /** The file in which it waits for the journal, where there is one. */
      readonly keptAt?: string | undefined;
    };

/** Where an intent stands by the journal, as this command's outcome. */
export async function concluded(
  intent: Intent,
  reads: Pick<Reads, 'decisiveAttempt'>,
  replayed: (Outcome & { is: 'concluded' })['replayed'],
): Promise<Outcome & { is: 'concluded' }> {
  return {
    is: 'concluded',
    intent,
    attempt: await reads.decisiveAttempt(intent.id),
    replayed,
    createdNow: false,
  };
}

/** Nothing is ever deleted from a journal: what it names and does not find is damage. */
export function mustFind(intent: Intent | undefined): Intent {
  if (intent !== undefined) return intent;
  throw engineFailure('intent-missing', {});
}
