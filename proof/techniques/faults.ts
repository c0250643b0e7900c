import { recipient } from '../../test/support/sandbox.ts';
import { playEach, type Stage, shareOf, type Technique } from '../arena.ts';
import { command, type Operation, onceOnly, operations } from '../jobs.ts';
import { begin, type Play } from '../play.ts';
import type { Ran } from '../run.ts';
import { type FaultScript, faultScripts } from './faults/faultScripts.ts';
import { type Reading, readingsOf } from './faults/readings.ts';

const ways = ['one process', 'two at once', 'another machine'] as const;
type Way = (typeof ways)[number] | 'spelled otherwise';

type Case = {
  readonly operation: Operation;
  readonly reading: Reading;
  readonly script: FaultScript;
  readonly way: Way;
};

const hasty = ['--timeout', '700ms', '--max-wait', '4s'];

function everyCase(): Case[] {
  return operations.flatMap((operation) => {
    const possible = faultScripts.filter(({ only }) => only === undefined || only === operation);
    return readingsOf(operation).flatMap((reading, row) =>
      possible.flatMap((script, column) =>
        waysOf(reading, row + column).map((way): Case => ({ operation, reading, script, way })),
      ),
    );
  });
}

function waysOf({ inEveryWay, isForgetful }: Reading, turn: number): readonly Way[] {
  // On another machine, where the service forgets as well, nothing is left that could know.
  const possible = isForgetful === true ? ways.filter((way) => way !== 'another machine') : ways;
  return inEveryWay === true ? possible : possible.slice(turn % possible.length).slice(0, 1);
}

/** The same payment in another spelling, while the first is not settled. */
function otherSpellings(): Case[] {
  const [reading] = readingsOf('transfer');
  if (reading === undefined) return [];
  return faultScripts
    .filter(({ isLost, endsHeld }) => isLost === true && endsHeld === undefined)
    .map((script): Case => ({ operation: 'transfer', reading, script, way: 'spelled otherwise' }));
}

/** No client can prevent it: the service forgets the key, which alone identifies the request. */
function isBeyondAnyClient({ reading, script }: Case): boolean {
  return reading.isForgetful === true && script.faults.length > 0;
}

/** What may be left to a person. Nothing else may. */
function mayBeHeld({ operation, reading, script, way }: Case): boolean {
  if (reading.isUnproven === true || script.endsHeld === true) return true;
  // Where it was refused or limited, a later "duplicate" cannot be told from another's.
  if (operation === 'message') {
    const isLimited = reading.change.rate_limit !== undefined || script.limitsLater === true;
    const isRefusedElsewhere = isLimited || script.rejectsLater === true;
    return (isLimited && script.isLost === true) || (way === 'another machine' && isRefusedElsewhere);
  }
  if (reading.isConflicting !== true) return false;
  return way === 'another machine' || script.isLost === true || script.faults.length > 0;
}

async function playCase(one: Case, stage: Stage): Promise<void> {
  const { operation, reading, script, way } = one;
  const { service } = stage.lane;
  const play = await begin(`${operation}, ${reading.name}, ${script.name}, ${way}`, stage);
  if (Object.keys(reading.change).length > 0) await service.set(reading.change);
  if (script.faults.length > 0) await service.faults(...script.faults);
  if (isBeyondAnyClient(one)) await sayWhatIsNotKnown(one, play);
  else if (way === 'one process') await onOneMachine(one, play);
  else if (way === 'two at once') await twoAtOnce(one, play);
  else if (way === 'another machine') await onAnotherMachine(one, play);
  else await spelledOtherwise(play);
}

function expectEnd(one: Case, play: Play, ran: Ran): void {
  const { script, reading, way } = one;
  const isHeldForSure = script.endsHeld === true && reading.isUnproven !== true && way !== 'another machine';
  if (isHeldForSure) {
    play.expectExit(ran, 10);
    return;
  }
  if (mayBeHeld(one)) play.expectExit(ran, 0, 9, 10);
  else play.expectExit(ran, 0);
}

/** One effect. If the lost reply was a rate limit's, a held request did not happen. */
async function endOnce(one: Case, last: Ran, play: Play): Promise<void> {
  expectEnd(one, play, last);
  const mayBeMissing =
    one.reading.change.rate_limit !== undefined && one.script.faults.length > 0 && last.code === 10;
  await play.over(mayBeMissing ? Math.min(1, (await play.effects()).length) : 1);
}

async function onOneMachine(one: Case, play: Play): Promise<void> {
  const words = command(one.operation, ...hasty);
  const first = await play.run(words);
  await play.journaled();
  const isDone = first.code === 0 && one.script.faults.length > 0;
  await endOnce(one, isDone ? first : await play.run(words), play);
}

async function twoAtOnce(one: Case, play: Play): Promise<void> {
  const words = command(one.operation, ...hasty);
  // One may be refused, and the other not.
  const run = (): Promise<Ran> => play.run(words, { isElsewhere: true });
  const both = await Promise.all([run(), run()]);
  const areDone = both.every(({ code }) => code === 0);
  const last = areDone ? both[0] : await play.run(words);
  await play.journaled();
  await endOnce(one, last, play);
}

async function onAnotherMachine(one: Case, play: Play): Promise<void> {
  const words = command(one.operation, ...hasty, '--once', 'job-17');
  await play.run(onceOnly(words));
  const other = { home: play.stage.machine(), isElsewhere: true };
  const again = await play.run(words, other);
  await endOnce(one, again.code === 0 ? again : await play.run(words, other), play);
}

/** With a memo; and at another path of the same service. Neither leaves while the first is in doubt. */
async function spelledOtherwise(play: Play): Promise<void> {
  const words = command('transfer', ...hasty);
  const { baseUrl } = play.stage.lane.service;
  play.expectExit(await play.run(onceOnly(words)), 9);
  play.expectExit(await play.run([...words, '--memo', 'rent']), 10);
  play.expectExit(await play.run(words, { baseUrl: `${baseUrl}/team/a`, isOneOfMany: true }), 10);
  const own = await play.run(words);
  play.expectExit(own.code === 9 ? await play.run(words) : own, 0);
  await play.over(1);
}

/** What every screen says of a payment for which the service was asked twice. */
const mayBePaidAgain = 'The service was asked more than once';

/**
 * With the retries that a command has by itself. The service does not keep its word, so it may do again what it did;
 * botctl must not claim to know, and must say of a payment that it may have been made twice.
 */
async function sayWhatIsNotKnown({ operation }: Case, play: Play): Promise<void> {
  const ran = await play.run(command(operation, '--timeout', '700ms'));
  const effects = (await play.effects()).length;
  if (operation === 'transfer' && effects > 1) {
    if (ran.code === 0 && !`${ran.stdout}${ran.stderr}`.includes(mayBePaidAgain))
      play.wrong(`it was paid ${effects} times, and nothing says that it may have been`);
    play.stage.tally.paidAgain += effects - 1;
  }
  await play.over(effects);
}

type Rejection = { readonly operation: Operation; readonly reading: Reading };

/** A true rejection leaves no effect. After the fix, the same command succeeds. */
async function rejectedAndFixed({ operation, reading }: Rejection, stage: Stage): Promise<void> {
  const { service } = stage.lane;
  const play = await begin(`${operation}, ${reading.name}, rejected and fixed`, stage);
  await service.set(reading.change);
  const conversation = `conv_${reading.name.replaceAll(/\W/gu, '_')}_${service.heard.length}`;
  const words =
    operation === 'message'
      ? ['send', '--conversation', conversation, '--content', 'Hello', '--json']
      : ['transfer', '--to', recipient, '--asset', 'USDC', '--amount', '1000000', '--json'];
  play.expectExit(await play.run(words), operation === 'message' ? 4 : 5);
  if (operation === 'message') await service.conversation(conversation);
  else await service.money({ asset: 'USDC', amount: '1000000' });
  play.expectExit(await play.run(words), ...(reading.isUnproven === true ? [0, 10] : [0]));
  await play.over(1);
}

export const faults: Technique = {
  name: 'faults',
  title: '4. Every reading × every fault',
  play: async (arena) => {
    const cases = [
      ...shareOf(otherSpellings(), arena, 'spelled otherwise'),
      ...shareOf(everyCase(), arena, 'faults', 4),
    ];
    await playEach(arena, cases, playCase);
    const rejections = operations.flatMap((operation) =>
      readingsOf(operation).map((reading) => ({ operation, reading })),
    );
    await playEach(arena, shareOf(rejections, arena, 'rejections'), rejectedAndFixed);
  },
};
