import { Failure } from '../errors.ts';
import { counted } from './list.ts';

export function serverBacksUp(place: string): Failure {
  return new Failure('usage', `The journal ${place} is on a server, and is backed up with it`, {
    hint: 'Use the server’s own backups (pg_basebackup, or pg_dump of its schema).',
  });
}

export function backupThere(path: string): Failure {
  return new Failure('usage', `${path} is there already`, { hint: 'Name a new file.' });
}

export function backupNotMade(path: string, trouble: string, cause: unknown): Failure {
  return new Failure('machine-fault', `The backup ${path} cannot be written: ${trouble}`, {
    hint: 'Make room, or name a file in a folder that you may write to.',
    cause,
  });
}

export function backedUp(path: string, intents: number, attempts: number): string {
  return `${path} holds the journal as it is now (${counted(intents, 'intent')}, ${counted(attempts, 'attempt')}), with its mark beside it.`;
}

export const backingUp = 'Copying the journal';
