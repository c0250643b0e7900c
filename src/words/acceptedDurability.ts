import { listed } from './list.ts';
import { nothingChanged } from './nothing.ts';
import { Told } from './told.ts';

export function fileIsDurable(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, which botctl itself keeps durable`, {
    hint: 'Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.',
  });
}

export function nothingToAccept(place: string): string {
  return `The server of the journal ${place} keeps what it acknowledges: there is nothing to accept. ${nothingChanged}`;
}

export function acceptedBefore(place: string): string {
  return `This is accepted already for the journal ${place}. ${nothingChanged}`;
}

/** What could be lost, as a sentence without its full stop. */
export function mayLose(place: string, off: readonly string[]): string {
  return `The server of the journal ${place} has ${listed(off)} off: when its machine stops, it may lose what it has acknowledged`;
}

export function wouldForget(lost: string): string {
  return `${lost}. What is lost may have been sent, and the same command would send it again.`;
}

export const askToAcceptDurability = 'Is that meant, and does its disk make up for it?';

export function nobodyAcceptsDurability(lost: string): Told {
  return new Told('usage', `${lost}. There is no terminal to ask on`, {
    hint: 'Ask whoever runs the server whether that is meant, and whether its disk makes up for it. Then run:',
    next: [['journal', 'accept-durability', '--yes']],
  });
}

export function durabilityAccepted(place: string, off: readonly string[]): string {
  return `It is on record in ${place} that ${listed(off)} may be off. The journal is used all the same.`;
}
