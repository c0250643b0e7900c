import { cpSync, linkSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import type { Home } from '../../../test/support/home.ts';
import type { Dice } from '../../dice.ts';
import { journalOf } from '../../look.ts';
import type { Aged } from './ages.ts';
import { change, flipBit, folderOf, type Part, partOf, parts, prepared, putBack, sizeOf } from './files.ts';

/** A machine whose journal will be hurt. */
type Patient = {
  readonly home: Home;
  /** The machine before its last send. */
  readonly before: Aged;
  readonly dice: Dice;
  /** A machine that has never seen a command. */
  another(): Home;
};

/** The machine on which the same command runs afterwards. */
type Hurt = {
  readonly home: Home;
  /** Other machines whose files a refusal must leave alone. */
  readonly others?: readonly Home[];
};

export type Injury = {
  readonly name: string;
  /** Nothing where there is nothing of the kind to be hurt. */
  readonly hurt: (patient: Patient) => Hurt | undefined;
  /** Nothing was lost by it: it must not be refused. */
  readonly isHarmless?: true;
  /** Done to every age at every stage; the others take turns. */
  readonly isCommon?: true;
  /** So often in each place, by other dice. */
  readonly times?: number;
  /** It hits a page of journal.db, for which SQLite has no checksum: it is not always noticed. */
  readonly isFlaw?: true;
};

type More = Omit<Injury, 'name' | 'hurt'>;

const names: Readonly<Record<Part, string>> = { '': 'journal.db', '-wal': 'the log', '.note': 'the note' };
/** A journal’s first page; a log’s header with that of its first frame; the first place of a note. */
const starts: Readonly<Record<Part, number>> = { '': 4096, '-wal': 56, '.note': 96 };
const logHeader = 32;
const frameBytes = 24 + 4096;

/** Damage to one of the files, if it is there. */
function inFile(part: Part, what: string, work: (path: string, dice: Dice) => void, more: More = {}): Injury {
  return {
    name: `${names[part]} ${what}`,
    hurt: ({ home, dice }) => {
      const path = partOf(home, part);
      if (sizeOf(path) === 0) return undefined;
      work(path, dice);
      return { home };
    },
    ...more,
  };
}

function woundsOf(part: Part): Injury[] {
  const flaw: More = part === '' ? { isFlaw: true } : {};
  const common: More = part === '-wal' ? { isCommon: true } : {};
  return [
    inFile(
      part,
      'with a bit flipped at its start',
      (path, dice) => flipBit(path, 0, Math.min(starts[part], sizeOf(path)), dice),
      common,
    ),
    inFile(part, 'with a bit flipped', (path, dice) => flipBit(path, 0, sizeOf(path), dice), {
      ...common,
      ...flaw,
      times: 4,
    }),
    inFile(part, 'cut', (path, dice) => truncateSync(path, dice.below(sizeOf(path))), {
      ...common,
      times: 2,
    }),
    inFile(part, 'emptied', (path) => truncateSync(path, 0)),
    inFile(part, 'removed', (path) => rmSync(path), common),
    inFile(part, 'overwritten with text', (path) => change(path, () => Buffer.from('no\n'.repeat(2000)))),
    inFile(
      part,
      'with a page overwritten',
      (path, dice) => {
        const at = 4096 * dice.below(Math.ceil(sizeOf(path) / 4096));
        change(path, (bytes) => bytes.fill(0, at, Math.min(bytes.length, at + 4096)));
      },
      flaw,
    ),
  ];
}

const wounds: readonly Injury[] = [
  ...parts.flatMap(woundsOf),
  inFile(
    '-wal',
    'cut between two frames',
    (path, dice) => {
      const frames = Math.floor((sizeOf(path) - logHeader) / frameBytes);
      truncateSync(path, logHeader + frameBytes * dice.below(frames));
    },
    { isCommon: true },
  ),
  inFile(
    '-wal',
    'with a torn frame behind it',
    (path, dice) => change(path, (bytes) => Buffer.concat([bytes, dice.bytes(600)])),
    { isHarmless: true },
  ),
];

/** An older part put back in its place. */
function older(name: string, chosen: readonly Part[], more: More = {}): Injury {
  const hurt = ({ home, before }: Patient): Hurt => {
    putBack(before.home, home, chosen);
    return { home };
  };
  return { name: `an older ${name} put back`, hurt, ...more };
}

/** Some parts on another machine, which has nothing else. */
function elsewhere(name: string, carry: (from: Home, to: Home) => void, isHarmless?: true): Injury {
  return {
    name: `${name} another machine`,
    hurt: ({ home, another }) => {
      const other = prepared(another());
      carry(home, other);
      return { home: other, others: [home] };
    },
    ...(isHarmless === undefined ? {} : { isHarmless }),
  };
}

/** A whole copy, made by SQLite itself. */
function copyOf(home: Home, to: string): void {
  const database = new DatabaseSync(journalOf(home), { readOnly: true });
  database.exec(`VACUUM INTO '${to}'`);
  database.close();
}

/** A copy in the place of all that the journal has, but for its note. */
function restore(from: Home, home: Home): void {
  const copy = `${journalOf(home)}.copy`;
  copyOf(from, copy);
  for (const gone of ['', '-wal', '-shm']) rmSync(`${journalOf(home)}${gone}`, { force: true });
  cpSync(copy, journalOf(home));
  rmSync(copy);
}

const copies: readonly Injury[] = [
  older('journal.db and its log', ['', '-wal'], { isCommon: true }),
  older('journal.db under the newer log', [''], { isCommon: true }),
  older('log', ['-wal']),
  older('note', ['.note'], { isHarmless: true }),
  {
    name: 'an older copy put back',
    hurt: ({ home, before }) => {
      restore(before.home, home);
      return { home };
    },
  },
  {
    name: 'a copy of now put back',
    hurt: ({ home }) => {
      restore(home, home);
      return { home };
    },
    isHarmless: true,
  },
  elsewhere('a copy of now, alone on', (from, to) => copyOf(from, journalOf(to))),
  elsewhere('journal.db and its note on', (from, to) => putBack(from, to, ['', '.note'])),
  elsewhere('all three files on', (from, to) => putBack(from, to, parts), true),
  elsewhere('a hard link on', (from, to) => linkSync(journalOf(from), journalOf(to))),
  elsewhere('a symbolic link on', (from, to) => symlinkSync(journalOf(from), journalOf(to)), true),
  {
    name: 'a hard link beside it',
    hurt: ({ home }) => {
      linkSync(journalOf(home), join(folderOf(home), 'other.db'));
      return { home };
    },
  },
];

export const injuries: readonly Injury[] = [...wounds, ...copies];
