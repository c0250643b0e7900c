import { counted, formatCount } from './list.ts';
import { Told } from './told.ts';

export function targetIsFile(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, and a file is copied into a shared journal`, {
    hint: 'Name the shared one, with BOTCTL_JOURNAL or --journal and a postgres:// URL. To copy a file into another file, use journal backup.',
  });
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
