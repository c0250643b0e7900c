import { Failure } from '../errors.ts';
import { counted } from './list.ts';
import { unchanged, unsentNow } from './nothing.ts';

export function runnersAlive(place: string, count: number): Failure {
  return new Failure(
    'not-allowed-now',
    unchanged(`${counted(count, 'process', 'processes')} may be sending through the journal ${place} now`),
    {
      hint: 'Let them end. One that was killed is known to be dead after half a minute. Then run the same command again.',
    },
  );
}

export function mayNotCopy(place: string, cause: unknown): Failure {
  return new Failure('journal-schema', unchanged(`This role may not close the journal ${place}`), {
    hint: 'Connect as whoever owns the tables.',
    cause,
  });
}

/** To whatever would go on with it. `late` is where replies are kept that it was never told of. */
export function sharedWasMoved(place: string, to: string, late?: string): Failure {
  const replies =
    late === undefined
      ? ''
      : ` Replies that came while its server was away are kept in ${late}: resolve those intents by what they say.`;
  return new Failure(
    'journal-moved',
    unsentNow(`The journal ${place} was copied into ${to}, and sends nothing more itself`),
    {
      hint: `Name that journal with BOTCTL_JOURNAL or --journal. If the copy was interrupted, run journal copy --to again there.${replies}`,
    },
  );
}

/** To whoever would copy into it again. */
export function movedTakesNothing(place: string, to: string): Failure {
  return new Failure(
    'journal-moved',
    unchanged(`The journal ${place} was copied into ${to}, and takes nothing any more`),
    {
      hint: 'Copy into another schema of the same database: add ?schema=NAME to the URL, and make the journal there first, with journal migrate.',
    },
  );
}

export const fileOnMachine = (path: string, machine: string): string => `${path} on ${machine}`;

export function wouldCloseShared(place: string, count: number, path: string): string {
  return `${counted(count, 'intent')} of ${place} will be copied into ${path}. From then on no machine sends through ${place} any more: it can only be read.`;
}

export function nobodyConfirmsCopyOut(would: string, path: string): Failure {
  return new Failure('usage', unchanged(`${would} There is no terminal to ask on`), {
    hint: 'To do that, run:',
    next: [['journal', 'copy', '--to', path, '--yes']],
  });
}

export function copiedOut(place: string, path: string, added: number, known: number): string[] {
  return [
    `${place} was copied into ${path}, and sends nothing more itself.`,
    `  ${counted(added, 'intent')} added`,
    ...(known === 0 ? [] : [`  ${counted(known, 'intent')} there before`]),
  ];
}

export function oneFile(): Failure {
  return new Failure('usage', unchanged('A copy goes from a file or, with --to, into one'), {
    hint: 'Give the file that is copied into the shared journal, or --to with a new file.',
  });
}
