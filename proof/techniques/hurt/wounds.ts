import { rmSync, truncateSync } from 'node:fs';
import type { Dice } from '../../dice.ts';
import { change, flipBit, type Part, partOf, sizeOf } from './files.ts';
import { type Injury, inPlace, type Patient } from './hurt.ts';

const logHeader = 32;
const frameHeader = 24;
const pageBytes = 4096;
const frameBytes = frameHeader + pageBytes;

type Log = { readonly path: string; readonly frames: number; readonly dice: Dice };

/** Damages a log that is not empty. */
function toTheLog(name: string, work: (log: Log) => void, isCommon?: true): Injury {
  return inPlace(
    name,
    ({ home, dice }) => {
      const path = partOf(home, '-wal');
      const frames = Math.floor((sizeOf(path) - logHeader) / frameBytes);
      if (frames < 1) return false;
      work({ path, frames, dice });
      return true;
    },
    isCommon === undefined ? {} : { isCommon },
  );
}

const frameAt = (frame: number): number => logHeader + frame * frameBytes;

const toLogs: readonly Injury[] = [
  toTheLog('a bit flipped in the log’s header', ({ path, dice }) => flipBit(path, 0, logHeader, dice), true),
  toTheLog(
    'a bit flipped in a frame’s header',
    ({ path, frames, dice }) => flipBit(path, frameAt(dice.below(frames)), frameHeader, dice),
    true,
  ),
  toTheLog(
    'a bit flipped in a frame',
    ({ path, frames, dice }) => flipBit(path, frameAt(dice.below(frames)) + frameHeader, pageBytes, dice),
    true,
  ),
  toTheLog('a bit flipped in the first frame', ({ path, dice }) =>
    flipBit(path, frameAt(0), frameBytes, dice),
  ),
  toTheLog('a bit flipped in the last frame', ({ path, frames, dice }) =>
    flipBit(path, frameAt(frames - 1), frameBytes, dice),
  ),
  toTheLog('three bits flipped in the log', ({ path, frames, dice }) => {
    for (let flips = 0; flips < 3; flips += 1) flipBit(path, 0, frameAt(frames), dice);
  }),
  toTheLog(
    'the log cut between two frames',
    ({ path, frames, dice }) => truncateSync(path, frameAt(dice.below(frames))),
    true,
  ),
  toTheLog(
    'the log cut within a frame',
    ({ path, frames, dice }) =>
      truncateSync(path, frameAt(dice.below(frames)) + 1 + dice.below(frameBytes - 1)),
    true,
  ),
  toTheLog('the last frame cut off', ({ path, frames }) => truncateSync(path, frameAt(frames - 1))),
  toTheLog('the log cut within its header', ({ path, dice }) => truncateSync(path, 1 + dice.below(31))),
  toTheLog('the log emptied', ({ path }) => truncateSync(path, 0)),
  toTheLog('the log’s header overwritten', ({ path }) => change(path, (bytes) => void bytes.fill(0, 0, 32))),
  toTheLog('a frame overwritten', ({ path, frames, dice }) => {
    const at = frameAt(dice.below(frames));
    change(path, (bytes) => void bytes.fill(0, at, at + frameBytes));
  }),
  toTheLog('the log removed', ({ path }) => rmSync(path), true),
  {
    ...toTheLog('a torn frame behind the log', ({ path, dice }) =>
      change(path, (bytes) => Buffer.concat([bytes, dice.bytes(600)])),
    ),
    isHarmless: true,
  },
];

const databaseHeader = 100;

/** Pages of the database have no checksum, so damage to a row or an index there can go unnoticed. */
export const flippedPage = 'a bit flipped in a page of journal.db';
const emptied = 'journal.db emptied';
export const overwrittenPage = 'a page of journal.db overwritten';

function to(part: Part, name: string, work: (path: string, patient: Patient) => void): Injury {
  return inPlace(name, (patient) => {
    const path = partOf(patient.home, part);
    return sizeOf(path) === 0 ? false : void work(path, patient);
  });
}

const toDatabases: readonly Injury[] = [
  to('', 'a bit flipped in journal.db’s header', (path, { dice }) => flipBit(path, 0, databaseHeader, dice)),
  to('', 'a bit flipped in journal.db’s first page', (path, { dice }) =>
    flipBit(path, databaseHeader, pageBytes - databaseHeader, dice),
  ),
  {
    ...to('', flippedPage, (path, { dice }) =>
      flipBit(path, pageBytes, Math.max(1, sizeOf(path) - pageBytes), dice),
    ),
    times: 4,
  },
  to('', overwrittenPage, (path, { dice }) => {
    const page = dice.below(sizeOf(path) / pageBytes);
    change(path, (bytes) => void bytes.fill(0, page * pageBytes, (page + 1) * pageBytes));
  }),
  to('', 'journal.db cut by a page', (path) => truncateSync(path, sizeOf(path) - pageBytes)),
  to('', 'journal.db cut in half', (path) => truncateSync(path, Math.floor(sizeOf(path) / 2))),
  to('', emptied, (path) => truncateSync(path, 0)),
  to('', 'journal.db removed', (path) => rmSync(path)),
  to('', 'journal.db overwritten with text', (path) =>
    change(path, () => Buffer.from('not a journal\n'.repeat(300))),
  ),
];

/** A note that cannot be read says nothing: the journal is whole all the same. */
const toNotes: readonly Injury[] = [
  to('.note', 'a bit flipped in the note', (path, { dice }) => flipBit(path, 0, sizeOf(path), dice)),
  to('.note', 'the note cut in half', (path) => truncateSync(path, Math.floor(sizeOf(path) / 2))),
  to('.note', 'the note emptied', (path) => truncateSync(path, 0)),
  to('.note', 'the note removed', (path) => rmSync(path)),
  to('.note', 'the note overwritten', (path) => change(path, (bytes) => void bytes.fill(0))),
  to('.note', 'another journal’s note put in its place', (path, { dice }) =>
    change(path, (bytes) => dice.bytes(bytes.length)),
  ),
];

export const wounds: readonly Injury[] = [...toLogs, ...toDatabases, ...toNotes];
