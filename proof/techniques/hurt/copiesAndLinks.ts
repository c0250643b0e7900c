import { execFileSync } from 'node:child_process';
import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { journalOf } from '../../look.ts';
import { folderOf, type Part, prepared, putBack } from './files.ts';
import type { Hurt, Injury } from './hurt.ts';

function elsewhere(name: string, chosen: readonly Part[], isHarmless?: true): Injury {
  return {
    name,
    hurt: ({ home, another }) => {
      const other = prepared(another());
      putBack(home, other, chosen);
      return { home: other, others: [home] };
    },
    ...(isHarmless === undefined ? {} : { isHarmless }),
  };
}

const copies: readonly Injury[] = [
  elsewhere('journal.db and its log copied to another machine', ['', '-wal'], true),
  { ...elsewhere('journal.db and its note copied to another machine', ['', '.note']), isCommon: true },
  elsewhere('all three copied to another machine', ['', '-wal', '.note'], true),
];

const links: readonly Injury[] = [
  {
    name: 'a hard link beside it',
    hurt: ({ home }) => {
      linkSync(journalOf(home), join(folderOf(home), 'other.db'));
      return { home };
    },
  },
  {
    name: 'asked by a hard link beside it',
    hurt: ({ home }) => {
      const other = join(folderOf(home), 'other.db');
      linkSync(journalOf(home), other);
      return { home, words: ['--journal', other] };
    },
  },
  {
    name: 'asked by a hard link on another machine',
    hurt: ({ home, another }) => {
      const other = prepared(another());
      linkSync(journalOf(home), journalOf(other));
      return { home: other, others: [home] };
    },
  },
  {
    name: 'asked by a symbolic link',
    hurt: ({ home, another }) => {
      const other = prepared(another());
      symlinkSync(journalOf(home), journalOf(other));
      return { home: other, others: [home] };
    },
    isHarmless: true,
  },
];

/** Whether this machine allows private mounts. */
export function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Runs a program in its own mount namespace, in which one path shows another. Nothing of it remains. */
function showing(what: string, at: string, more: Omit<Hurt, 'under'>): Hurt {
  const script = 'mount --bind "$1" "$2" && shift 2 && exec "$@"';
  return { ...more, under: ['unshare', '-m', 'sh', '-c', script, 'mounted', what, at] };
}

const emptyMounted = 'an empty file mounted in the place of journal.db';

export const mounts: readonly Injury[] = [
  {
    name: emptyMounted,
    hurt: ({ home, another }) => {
      const empty = join(prepared(another()).path, 'empty');
      writeFileSync(empty, '');
      return showing(empty, journalOf(home), { home });
    },
  },
  {
    name: 'its folder mounted on another machine',
    hurt: ({ home, another }) => {
      const other = prepared(another());
      return showing(folderOf(home), folderOf(other), { home: other, others: [home] });
    },
    isHarmless: true,
  },
];

export const copiesAndLinks: readonly Injury[] = [...copies, ...links];
