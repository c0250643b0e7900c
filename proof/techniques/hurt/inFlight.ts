import { cpSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import type { Home } from '../../../test/support/home.ts';
import { type Arena, playEach, type Stage, shareOf } from '../../arena.ts';
import { command, type Operation, operations } from '../../jobs.ts';
import { begin } from '../../play.ts';
import { askAgain } from './aftermath.ts';
import { aged, beforeCommit } from './ages.ts';
import { folderOf, partOf, parts } from './files.ts';

/** What is done to the files while a send stands still. */
type Theft = {
  readonly name: string;
  readonly steal: (home: Home, before: Home) => void;
  /** Nothing is left that could know of anything. */
  readonly isTotal?: true;
};

/** Replaces a file by another one with the same name. */
function replace(path: string, from = path): void {
  cpSync(from, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

// Without its note a journal has nothing to compare, and loses nothing.
const ofTheJournal = parts.filter((part) => part !== '.note');

const thefts: readonly Theft[] = [
  ...ofTheJournal.flatMap((part): Theft[] => [
    { name: `journal.db${part} is removed`, steal: (home) => rmSync(partOf(home, part)) },
    { name: `journal.db${part} is replaced`, steal: (home) => replace(partOf(home, part)) },
  ]),
  {
    name: 'an older journal.db is put in its place',
    steal: (home, before) => replace(partOf(home, ''), partOf(before, '')),
  },
  {
    name: 'the folder is moved away',
    steal: (home) => renameSync(folderOf(home), `${folderOf(home)}.moved`),
    isTotal: true,
  },
];

type Point = { readonly name: string; readonly step: string; readonly hasLeft: boolean };

const points: readonly Point[] = [
  { name: 'before its commit', step: beforeCommit, hasLeft: false },
  { name: 'after its commit', step: 'undici:client:beforeConnect', hasLeft: false },
  { name: 'as its connection stands', step: 'undici:client:connected', hasLeft: false },
  { name: 'while its reply is awaited', step: 'undici:request:bodySent', hasLeft: true },
  { name: 'after its reply', step: 'undici:request:trailers', hasLeft: true },
];

type Case = { readonly theft: Theft; readonly point: Point; readonly operation: Operation };

async function playTheft({ theft, point, operation }: Case, stage: Stage): Promise<void> {
  const { home: before } = await aged('after 5 sends', stage);
  const where = `${operation}, ${theft.name} ${point.name}`;
  const play = await begin(where, stage, 'remembered');
  const { home } = play;
  cpSync(before.path, home.path, { recursive: true });
  const unused = stage.dice.for(where).bytes(6).toString('hex');
  const sent = { argv: command(operation, '--once', unused), effects: 1 };
  const held = await play.held(point.step, sent.argv, { isJournalHurt: true });
  while (point.hasLeft && !held.isOver() && (await play.effects()).length === 0) await after(10);
  theft.steal(home, before);
  play.expectExit(await held.goOn(), point.hasLeft ? 9 : 1);
  if (!point.hasLeft && (await play.effects()).length > 0) play.wrong('it was sent without its journal');
  if (theft.isTotal === true) return play.over(point.hasLeft ? 1 : 0);
  const newName = `after-${unused}`;
  return askAgain({ home, sent, old: undefined, mayBeRefused: true, newName }, play);
}

/** Journals that are removed or replaced during a send. */
export async function playInFlight(arena: Arena): Promise<void> {
  const cases = operations.flatMap((operation) =>
    thefts.flatMap((theft) => points.map((point): Case => ({ theft, point, operation }))),
  );
  await playEach(arena, shareOf(cases, arena, 'in flight', 2), playTheft);
}
