import { nothingChanged } from './nothing.ts';
import { Told } from './told.ts';

export function fileMigratesItself(path: string): Told {
  return new Told(
    'usage',
    `The journal ${path} is a file, which every command that sends brings up to date by itself`,
    { hint: 'Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.' },
  );
}

export function migrated(place: string, from: number, to: number): string {
  if (from === 0) return `The journal ${place} was made (version ${to}).`;
  if (from < to) return `The journal ${place} was brought from version ${from} to ${to}.`;
  return `The journal ${place} is up to date (version ${to}). ${nothingChanged}`;
}
