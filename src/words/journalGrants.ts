import { Told } from './told.ts';

/** The comment above the SQL, line by line. */
export function grantsHead(use: 'run' | 'look'): string[] {
  return [
    use === 'run'
      ? 'For a role that runs botctl: it adds to the journal, changes what stands, and deletes nothing.'
      : 'For a role that only looks: it reads everything but the salt, and changes nothing.',
    'Run it as whoever owns the tables, and again after each journal migrate. The role must be there already.',
  ];
}

export function fileNeedsNoGrants(path: string): Told {
  return new Told('usage', `The journal ${path} is a file, which belongs to you alone`, {
    hint: 'Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL: its schema stands in the SQL.',
  });
}
