import { counted } from './list.ts';
import { Told } from './told.ts';

export function serverBacksUp(place: string): Told {
  return new Told('usage', `The journal ${place} is on a server, and is backed up with it`, {
    hint: 'Use the server’s own backups (pg_basebackup, or pg_dump of its schema).',
  });
}

export function backedUp(path: string, intents: number, attempts: number): string {
  return `${path} holds the journal as it is now (${counted(intents, 'intent')}, ${counted(attempts, 'attempt')}), with its mark beside it.`;
}

export const backingUp = 'Copying the journal';
