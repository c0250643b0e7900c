import { waitingMarks } from './history.ts';
import { counted, formatCount } from './list.ts';
import type { Suggestion } from './suggestion.ts';

/** What a check that is not in order found, and what to do. */
export type Advice = {
  readonly says: string;
  readonly todo: string;
  /** Commands that do it, each to be pasted. */
  readonly next?: readonly Suggestion[];
};

const nameAnother = 'name another file with --journal';

export function noJournalYet(path: string): string {
  return `none yet; the first command makes ${path}`;
}

export function folderNotWritable(folder: string, trouble: string): Advice {
  return {
    says: `${folder} cannot be written (${trouble}), so nothing can be sent`,
    todo: `Fix its permissions, or ${nameAnother}.`,
  };
}

export function holdsAll({ intents, attempts }: { intents: number; attempts: number }): string {
  return `the journal holds all that it ever held (${counted(intents, 'intent')}, ${counted(attempts, 'attempt')})`;
}

export function noMarkYet(path: string): Advice {
  return {
    says: `${path} has none yet: its set-up was interrupted`,
    todo: 'The next send makes it.',
  };
}

export const disks: Readonly<Record<'tmpfs' | 'overlay' | 'network', Advice>> = {
  tmpfs: {
    says: 'the journal is kept in memory (tmpfs): it is gone when this machine stops',
    todo: 'Keep it on a disk: name another file with --journal or BOTCTL_JOURNAL.',
  },
  overlay: {
    says: 'the journal is in a container’s own layer (overlay): it goes when the container is removed',
    todo: 'Mount a folder that stays, and name a file in it with BOTCTL_JOURNAL. Until then, name what you send: --once NAME.',
  },
  network: {
    says: 'the journal is on a network disk, whose locks may not reach all machines',
    todo: 'Keep it on a local disk.',
  },
};

export function notAJournal(path: string): Advice {
  return { says: `${path} is not a journal`, todo: 'Name the right file with --journal or BOTCTL_JOURNAL.' };
}

export function isDamaged(path: string, check: readonly string[]): Advice {
  return {
    says: `${path} is damaged: ${check.join('; ')}`,
    todo: `Stop botctl, keep a copy of ${path}, and put a backup in its place.`,
  };
}

export function isNewer(path: string, version: number, known: number): Advice {
  return {
    says: `${path} was written by a newer botctl (version ${version}; this one knows ${known})`,
    todo: 'Use the newer botctl.',
  };
}

export function wasMoved(path: string, place: string): Advice {
  return {
    says: `${path} was copied into ${place}, and sends nothing more itself`,
    todo: 'Name that journal with BOTCTL_JOURNAL or --journal.',
  };
}

export const notDurable: Advice = {
  says: 'this build of SQLite does not commit durably',
  todo: 'Report it, with what this prints.',
  next: [['doctor', '--json']],
};

export function readOnlyJournal(path: string, trouble: string): Advice {
  return {
    says: `${path} can be read but not written (${trouble}), so nothing can be sent`,
    todo: `Fix the problem named here, or ${nameAnother}.`,
  };
}

export function notWal(path: string, mode: string): Advice {
  return {
    says: `${path} is in ${mode} mode, not wal`,
    todo: 'The next send sets it. If it stays so, the disk has no shared memory: use a local one.',
  };
}

export function soundJournal(path: string, version: number, known: number): string {
  const old = version < known ? ` (the next send brings it to ${known})` : '';
  return `${path}: version ${version}${old}, quick_check ok, WAL, synchronous FULL`;
}

/** How many intents there are of each state. */
export function statesInAList(
  counts: readonly (readonly [state: string, count: number])[],
  waiting: Readonly<Record<string, number>>,
): string {
  const said = ([state, count]: readonly [string, number]): string => `${formatCount(count)} ${state}`;
  const marked = Object.entries(waiting).map(([why, count]) => said([waitingMarks[why] ?? why, count]));
  const held = marked.length === 0 ? '' : ` (${marked.join(', ')})`;
  return counts.map((one) => said(one) + (one[0] === 'held' ? held : '')).join(', ') || 'none';
}

export function someUnknown(states: string, oldest: { id: string; since: string } | undefined): Advice {
  const since = oldest === undefined ? '' : `; the oldest unknown is ${oldest.id}, since ${oldest.since}`;
  return {
    says: `${states}${since}`,
    todo: 'Run the same command again, or resume all that is unknown.',
    next: [
      ['history', '--state', 'unknown'],
      ['resume', '--all'],
    ],
  };
}

export function someHeld(states: string): Advice {
  return {
    says: states,
    todo: 'A person must decide. The history shows them.',
    next: [['history', '--state', 'held']],
  };
}

export const onThisMachine = 'the journal’s server is on this machine';
export const verifiedTls = 'the journal’s server must prove its name (sslmode=verify-full)';
export const certifiedTls =
  'the journal’s server needs a certificate of your authority, under any name (sslmode=verify-ca)';

export const noTls: Advice = {
  says: 'the connection to the journal is not encrypted (sslmode=disable): who is in between can read and change it',
  todo: 'Use sslmode=verify-full, unless the whole network in between is yours.',
};

export const unverifiedTls: Advice = {
  says: 'the journal’s server proves nothing (sslmode=require): who is in between can answer in its place',
  todo: 'Use sslmode=verify-full, with sslrootcert where the authority is your own.',
};
