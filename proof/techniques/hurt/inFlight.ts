import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Home } from '../../../testing/home.ts';
import type { Dice } from '../../dice.ts';
import { type Lane, overLanes } from '../../lane.ts';
import { journalOf } from '../../look.ts';
import { command, type Operation, operations, Play, type Stage } from '../../play.ts';
import type { Ran } from '../../run.ts';
import type { Tally } from '../../tally.ts';
import { type Arena, shareOf } from '../technique.ts';
import { askAgain } from './aftermath.ts';
import type { Aged, Ages } from './ages.ts';
import { folderOf, partOf, parts } from './files.ts';
import { beforeCommit } from './stages.ts';

/** What is done to the files while a send is held. */
type Theft = {
  readonly name: string;
  readonly steal: (home: Home, before: Aged) => void;
  /** Nothing is left that could know of anything. */
  readonly isTotal?: true;
};

/** Replaces a file by another one with the same name and content. */
function replace(path: string, from = path): void {
  cpSync(from, `${path}.copy`);
  renameSync(`${path}.copy`, path);
}

// Without its note a journal has nothing to compare, and loses nothing.
const ofTheJournal = parts.filter((part) => part !== '.note');

const thefts: readonly Theft[] = [
  ...ofTheJournal.map((part): Theft => {
    const steal = (home: Home): void => rmSync(partOf(home, part));
    return { name: `journal.db${part} is removed`, steal };
  }),
  ...ofTheJournal.map((part): Theft => {
    const steal = (home: Home): void => replace(partOf(home, part));
    return { name: `journal.db${part} is replaced`, steal };
  }),
  {
    name: 'an older journal.db is put in its place',
    steal: (home, before) => replace(journalOf(home), journalOf(before.home)),
  },
  {
    name: 'all three are removed',
    steal: (home) => {
      for (const part of parts) rmSync(partOf(home, part));
    },
    isTotal: true,
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
  { name: 'after its bytes', step: 'undici:request:bodySent', hasLeft: true },
  { name: 'after its reply', step: 'undici:request:trailers', hasLeft: true },
];

type Case = { readonly theft: Theft; readonly point: Point | undefined; readonly operation: Operation };

function nameOf({ theft, point, operation }: Case): string {
  return `${operation}, ${theft.name} ${point?.name ?? 'while the service keeps its reply back'}`;
}

/** How long the service keeps its reply back; the next if a busy machine took as long before the theft. */
const stallsMs = [1_500, 6_000, 24_000];

/**
 * The hooked program is held at a step; the shipped one waits for a delayed reply. Undefined if that may have come
 * before the theft.
 */
async function sendAndSteal(
  one: Case,
  words: readonly string[],
  home: Home,
  before: Aged,
  play: Play,
  stage: Stage,
  stallMs: number,
): Promise<Ran | undefined> {
  const { theft, point } = one;
  const { lane, programs } = stage;
  const hold = join(home.path, 'hold');
  mkdirSync(hold);
  if (point === undefined) await lane.service.faults({ kind: 'stall', ms: stallMs, when: 'after' });
  const env = { BOTCTL_PROOF_DIE_AT: point?.step ?? '', BOTCTL_PROOF_HOLD: hold };
  const options = { isJournalHurt: true, ...(point === undefined ? {} : { program: programs.hooked, env }) };
  const startedMs = performance.now();
  const over = play.run(words, home, options);
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
    while (!isOver && !(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  if (point !== undefined) await until(() => existsSync(join(hold, 'held')));
  if (point?.hasLeft !== false) await until(async () => (await lane.service.effects()).length > 0);
  theft.steal(home, before);
  const isInTime = point !== undefined || performance.now() - startedMs < stallMs;
  writeFileSync(join(hold, 'go'), '');
  const ran = await over;
  return isInTime ? ran : undefined;
}

async function playTheft(one: Case, before: Aged, dice: Dice, stage: Stage): Promise<void> {
  for (const stallMs of stallsMs) {
    if (await isPlayedInTime(one, before, dice, stage, stallMs)) return;
    stage.tally.slowPlay();
  }
  stage.tally.slowCase(nameOf(one));
}

async function isPlayedInTime(
  one: Case,
  before: Aged,
  dice: Dice,
  stage: Stage,
  stallMs: number,
): Promise<boolean> {
  const { theft, point, operation } = one;
  const { lane } = stage;
  const play = new Play(nameOf(one), stage);
  const home = lane.home();
  cpSync(before.home.path, home.path, { recursive: true });
  await lane.service.fresh('remembered');
  const unused = dice.bytes(6).toString('hex');
  const sent = { argv: command(operation, '--once', unused) };
  const ran = await sendAndSteal(one, sent.argv, home, before, play, stage, stallMs);
  if (ran === undefined) {
    home.remove();
    return false;
  }
  const hasLeft = point?.hasLeft !== false;
  play.expectExit(ran, hasLeft ? 9 : 1);
  if (!hasLeft && (await play.effects()).length > 0) play.wrong('it was sent without its journal');
  if (theft.isTotal === true) await play.over(hasLeft ? 1 : 0);
  else {
    const aftermath = {
      sent,
      old: undefined,
      mayBeRefused: true,
      looksToo: false,
      newName: `after-${unused}`,
    };
    await askAgain(aftermath, { home }, play);
  }
  home.remove();
  return true;
}

/** Journals that are removed or replaced during a send. */
export async function playInFlight(arena: Arena, ages: ReadonlyMap<Lane, Ages>, tally: Tally): Promise<void> {
  const cases = operations.flatMap((operation) =>
    thefts.flatMap((theft) => [...points, undefined].map((point): Case => ({ theft, point, operation }))),
  );
  const chosen = shareOf(cases, arena, 'in flight', 2);
  await overLanes(arena, tally, chosen, async (one, lane, own) => {
    const stage: Stage = { lane, tally: own, programs: arena.programs, isDiskFailing: true };
    const before = await ages.get(lane)?.of('after 1 send', stage);
    if (before !== undefined) await playTheft(one, before, arena.dice.for(nameOf(one)), stage);
  });
}
