import type { Intent } from '../journal/journal.ts';
import { interrupted } from './interrupted.ts';
import { counted, formatCount, listed } from './list.ts';
import { Told } from './told.ts';

export function targetIsFile(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, and a file is copied into a shared journal`, {
    hint: 'Name the shared one, with BOTCTL_JOURNAL or --journal and a postgres:// URL. To copy a file into another file, use journal backup.',
  });
}

export function nothingToCopy(path: string): Told {
  return new Told('no-such-journal', `There is no journal in the file ${path}`, {
    hint: 'Name the file that is to be copied. Where it goes is what BOTCTL_JOURNAL or --journal names.',
  });
}

export function ownersAlive(path: string, count: number): Told {
  return new Told(
    'not-allowed-now',
    `${counted(count, 'process', 'processes')} may be sending through the journal ${path} now`,
    { hint: 'Let them end, or end them. Then run the same command again.' },
  );
}

export function mayNotAdopt(place: string): Told {
  return new Told(
    'journal-schema',
    `The journal ${place} is empty, and this role may not give it the salt of the one that is copied`,
    { hint: 'Connect as whoever owns the tables.' },
  );
}

export function movedElsewhere(path: string, place: string): Told {
  return new Told('usage', `The journal ${path} was copied into ${place} before`, {
    hint: 'Name that journal with BOTCTL_JOURNAL or --journal: what was sent since then is there.',
  });
}

type Conflict = {
  readonly here: string;
  readonly there: Pick<Intent, 'id' | 'key' | 'name'>;
  readonly isSending: boolean;
};

/** `shown` are the first of them. */
export function bodiesDiffer(
  path: string,
  place: string,
  shown: readonly [Conflict, ...Conflict[]],
  count: number,
): Told {
  const [first] = shown;
  const which = shown.map(({ here, there }) => `${there.name ?? there.key} (${there.id} and ${here})`);
  const more = count > shown.length ? [`${formatCount(count - shown.length)} more`] : [];
  const what = shown.every(({ isSending }) => isSending)
    ? `${counted(count, 'intent')} of ${path} ${count === 1 ? 'is' : 'are'} being sent by ${place} now`
    : `${counted(count, 'intent')} of ${path} cannot be one with what ${place} has under the same key: another body, or it is being sent now`;
  return new Told('other-body', `${what}: ${listed([...which, ...more])}`, {
    hint: 'One journal cannot hold two bodies under the same key. Keep using the file for those, or leave it as it is. This shows both, each in its own journal:',
    next: [
      ['history', first.there.id, '--journal', path],
      ['history', first.here],
    ],
  });
}

/** `closed` is where it is copied from. */
export function copyInterrupted(closed: string, done: number): Told {
  const when = `after ${counted(done, 'intent')}`;
  return interrupted(`${when}. The copy is not finished, and ${closed} sends nothing any more`);
}

export function wouldClose(path: string, count: number, place: string): string {
  return `${counted(count, 'intent')} of ${path} will be copied into ${place}. From then on ${path} sends nothing more: it can only be read.`;
}

export const askToCopy = 'Copy it?';

export function nobodyConfirmsCopy(would: string, path: string): Told {
  return new Told('usage', `${would} There is no terminal to ask on`, {
    hint: 'To do that, run:',
    next: [['journal', 'copy', path, '--yes']],
  });
}

export function copyingNow(done: number, all: number): string {
  return `${formatCount(done)} of ${counted(all, 'intent')} copied`;
}

export function copied(
  path: string,
  place: string,
  { added, known, merged }: Readonly<Record<'added' | 'known' | 'merged', number>>,
): string[] {
  return [
    `${path} was copied into ${place}, and sends nothing more itself.`,
    `  ${counted(added, 'intent')} added`,
    ...(known === 0 ? [] : [`  ${counted(known, 'intent')} there before`]),
    ...(merged === 0 ? [] : [`  ${counted(merged, 'intent')} taken into the same one there`]),
  ];
}

export function tokensLost(count: number): string {
  return `Of the tokens of another machine’s journal nothing can be compared here: ${counted(count, 'transfer')} in doubt ${count === 1 ? 'is' : 'are'} held for a person.`;
}
