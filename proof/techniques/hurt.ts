import { cpSync } from 'node:fs';
import type { Home } from '../../testing/home.ts';
import type { Dice } from '../dice.ts';
import { type Lane, overLanes } from '../lane.ts';
import { command, type Operation, operations, Play, type Stage } from '../play.ts';
import { Tally } from '../tally.ts';
import { askAgain } from './hurt/aftermath.ts';
import { type Aged, Ages, ages, type Deed } from './hurt/ages.ts';
import { backups } from './hurt/backups.ts';
import { canMount, copiesAndLinks, mounts } from './hurt/copiesAndLinks.ts';
import type { Hurt, Injury } from './hurt/hurt.ts';
import { playInFlight } from './hurt/inFlight.ts';
import { knownFlaw } from './hurt/knownFlaws.ts';
import { playNoAlarm } from './hurt/noAlarm.ts';
import { hitRows } from './hurt/rows.ts';
import { type Moment, moments } from './hurt/stages.ts';
import { wounds } from './hurt/wounds.ts';
import { type Arena, isSlice, shareOf, type Technique } from './technique.ts';

type Send = { readonly name: string; readonly operation: Operation; readonly isNamed: boolean };

const sends: readonly Send[] = [
  { name: 'an unnamed transfer', operation: 'transfer', isNamed: false },
  ...operations.map((operation): Send => ({ name: `a named ${operation}`, operation, isNamed: true })),
];

type Case = {
  readonly injury: Injury;
  readonly age: string;
  readonly moment: Moment;
  readonly send: Send;
  readonly nth: number;
};

/**
 * Common injuries are played for every age at every stage; the others meet every age and every stage, but not every
 * pair.
 */
function everyCase(injuries: readonly Injury[], arena: Arena): Case[] {
  // Thirty sends take long; a slice does without.
  const possible = isSlice(arena) ? ages.filter(({ isLong }) => isLong !== true) : ages;
  return injuries.flatMap((injury, turn) =>
    possible.flatMap(({ name: age }, row) =>
      moments.flatMap((moment, column): Case[] => {
        if (injury.isCommon !== true && (row + column + turn) % 3 !== 0) return [];
        const send = sends[(turn + row + column) % sends.length];
        if (send === undefined) return [];
        return Array.from({ length: injury.times ?? 1 }, (_, nth) => ({ injury, age, moment, send, nth }));
      }),
    ),
  );
}

type Ward = { readonly arena: Arena; readonly ages: ReadonlyMap<Lane, Ages> };

function nameOf({ injury, age, moment, send, nth }: Case): string {
  return `${age}, ${send.name} ${moment.name}: ${injury.name}${nth === 0 ? '' : `, ${nth + 1}`}`;
}

async function playCase(one: Case, lane: Lane, tally: Tally, { arena, ages }: Ward): Promise<void> {
  const { injury, age, moment, send } = one;
  const where = nameOf(one);
  const stage: Stage = { lane, tally, programs: arena.programs, isDiskFailing: true };
  const before = await ages.get(lane)?.of(age, stage);
  if (before === undefined) throw new Error('no ages');
  const dice = arena.dice.for(where);
  const play = new Play(where, stage);
  const homes: Home[] = [];
  const another = (): Home => {
    const home = lane.home();
    homes.push(home);
    return home;
  };
  const home = another();
  // The service remembers its keys: what a key is good for must be there, and names must be new.
  const unused = dice.for('names').bytes(6).toString('hex');
  const sent = { argv: command(send.operation, ...(send.isNamed ? ['--once', unused] : [])) };
  await begin(home, before, sent, moment, play, stage);
  const hurt = await injury.hurt({ home, before, dice, another });
  if (hurt !== undefined) await follow(hurt, { one, before, dice, sent, unused }, play);
  for (const used of homes) used.remove();
}

/** The send that is under way, or over, when its journal is hurt. */
async function begin(
  home: Home,
  before: Aged,
  { argv }: Deed,
  { step }: Moment,
  play: Play,
  { lane, programs }: Stage,
): Promise<void> {
  cpSync(before.home.path, home.path, { recursive: true });
  await lane.service.fresh('remembered');
  if (step === undefined) play.expectExit(await play.run(argv, home), 0);
  else await play.run(argv, home, { program: programs.hooked, env: { BOTCTL_PROOF_DIE_AT: step } });
}

type Scene = {
  readonly one: Case;
  readonly before: Aged;
  readonly dice: Dice;
  readonly sent: Deed;
  readonly unused: string;
};

function follow(hurt: Hurt, { one, before, dice, sent, unused }: Scene, play: Play): Promise<void> {
  const { deeds } = before;
  const aftermath = {
    sent,
    newName: `after-${unused}`,
    old: hurt.old ?? (deeds.length === 0 ? undefined : dice.pick(deeds)),
    mayBeRefused: one.injury.isHarmless !== true,
    looksToo: dice.below(4) === 0,
  };
  return askAgain(aftermath, hurt, play);
}

/** Counts the findings of a known undetected injury apart, in a line below the table. */
async function playKnownFlaw(one: Case, lane: Lane, tally: Tally, ward: Ward, seen: Seen): Promise<void> {
  const own = new Tally(tally.technique);
  await playCase(one, lane, own, ward);
  seen.cases += 1;
  if (own.findings.length === 0) {
    const { expected, found, cases } = own.row();
    tally.count(expected, found, cases);
    return;
  }
  for (const { wrong } of own.findings) seen.wrongs.set(wrong, (seen.wrongs.get(wrong) ?? 0) + 1);
  tally.count(0, 0);
}

type Seen = { cases: number; readonly wrongs: Map<string, number> };

async function play(whole: Arena, tally: Tally): Promise<void> {
  // A slice is played in one lane: there each age has to be made but once.
  const arena = isSlice(whole) ? { ...whole, lanes: whole.lanes.slice(0, 1) } : whole;
  const injuries = [...wounds, ...hitRows, ...backups, ...copiesAndLinks, ...(canMount() ? mounts : [])];
  if (!canMount()) tally.note('bind mounts', 'left out, because this user may not mount any');
  const ward: Ward = { arena, ages: new Map(arena.lanes.map((lane) => [lane, new Ages(lane)])) };
  const seen = new Map<string, Seen>();
  const cases = shareOf(everyCase(injuries, arena), arena, 'hurt', 2);
  await overLanes(arena, tally, cases, async (one, lane, own) => {
    const known = knownFlaw(one.injury.name);
    if (known === undefined) return playCase(one, lane, own, ward);
    const counts = seen.get(known) ?? { cases: 0, wrongs: new Map() };
    seen.set(known, counts);
    return playKnownFlaw(one, lane, own, ward, counts);
  });
  for (const [known, { cases, wrongs }] of seen) {
    const counted = [...wrongs].map(([wrong, count]) => `${count} ${wrong}`).join(', ');
    tally.note(known, `of ${cases} cases ${counted === '' ? 'none was' : counted}`);
  }
  await playInFlight(arena, ward.ages, tally);
  await playNoAlarm(whole, tally);
}

export const hurt: Technique = { name: 'hurt', title: '8. The journal is hurt', play };
