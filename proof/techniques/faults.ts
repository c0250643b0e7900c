import { recipient } from '../../testing/sandbox.ts';
import { startPrefixProxy } from '../../testing/spellings.ts';
import { overLanes } from '../lane.ts';
import { command, type Operation, operations, Play, type Stage } from '../play.ts';
import type { Ran } from '../run.ts';
import type { Tally } from '../tally.ts';
import { type FaultScript, faultScripts } from './faults/faultScripts.ts';
import { type Reading, readings } from './faults/readings.ts';
import { type Arena, shareOf, type Technique } from './technique.ts';

type Way = 'one process' | 'two at once' | 'another machine' | 'spelled otherwise' | 'other base URLs';
const ways: readonly Way[] = ['one process', 'two at once', 'another machine'];

type Case = {
  readonly operation: Operation;
  readonly reading: Reading;
  readonly script: FaultScript;
  readonly way: Way;
};

const hasty = ['--timeout', '700ms', '--max-wait', '4s'];

/** The same command, with one try. */
const once = (words: readonly string[]): string[] => words.map((word) => (word === '4s' ? '0s' : word));

function everyCase(): Case[] {
  return operations.flatMap((operation) => {
    const concerned = readings.filter(({ only }) => only === undefined || only === operation);
    const possible = faultScripts.filter(({ only }) => only === undefined || only === operation);
    return concerned.flatMap((reading, row) =>
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
  const [reading] = readings;
  if (reading === undefined) return [];
  return faultScripts
    .filter(({ isLost, endsHeld }) => isLost === true && endsHeld === undefined)
    .map((script): Case => ({ operation: 'transfer', reading, script, way: 'spelled otherwise' }));
}

/** The same payment at another path of the service, while the first is not settled. */
function otherUrls(): Case[] {
  return otherSpellings().map((one): Case => ({ ...one, way: 'other base URLs' }));
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
    return (
      (isLimited && script.isLost === true) || (way === 'another machine' && script.rejectsLater === true)
    );
  }
  if (reading.isConflicting !== true) return false;
  return way === 'another machine' || script.isLost === true || script.faults.length > 0;
}

async function playCase(one: Case, stage: Stage): Promise<void> {
  const { operation, reading, script, way } = one;
  const { service } = stage.lane;
  await service.fresh();
  if (Object.keys(reading.change).length > 0) await service.set(reading.change);
  if (script.faults.length > 0) await service.faults(...script.faults);
  const play = new Play(`${operation}, ${reading.name}, ${script.name}, ${way}`, stage);
  if (isBeyondAnyClient(one)) await sayWhatIsNotKnown(one, play, stage);
  else if (way === 'one process') await onOneMachine(one, play, stage);
  else if (way === 'two at once') await twoAtOnce(one, play, stage);
  else if (way === 'another machine') await onAnotherMachine(one, play, stage);
  else if (way === 'spelled otherwise') await spelledOtherwise(play, stage);
  else await atOtherUrls(play, stage);
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
async function expected({ reading }: Case, last: Ran, { service }: Stage['lane']): Promise<number> {
  if (reading.change.rate_limit === undefined || last.code !== 10) return 1;
  return Math.min(1, (await service.effects()).length);
}

async function onOneMachine(one: Case, play: Play, { lane }: Stage): Promise<void> {
  const home = lane.home();
  const words = command(one.operation, ...hasty);
  const first = await play.run(words, home);
  await play.journaled(home);
  const isDone = first.code === 0 && one.script.faults.length > 0;
  const last = isDone ? first : await play.run(words, home);
  expectEnd(one, play, last);
  await play.over(await expected(one, last, lane));
  home.remove();
}

async function twoAtOnce(one: Case, play: Play, { lane }: Stage): Promise<void> {
  const home = lane.home();
  const words = command(one.operation, ...hasty);
  // One may be refused, and the other not.
  const run = (): Promise<Ran> => play.run(words, home, { isElsewhere: true });
  const both = await Promise.all([run(), run()]);
  const areDone = both.every(({ code }) => code === 0);
  const last = areDone ? both[0] : await play.run(words, home);
  expectEnd(one, play, last);
  await play.journaled(home);
  await play.over(await expected(one, last, lane));
  home.remove();
}

async function onAnotherMachine(one: Case, play: Play, { lane }: Stage): Promise<void> {
  const [first, second] = [lane.home(), lane.home()];
  const words = command(one.operation, ...hasty, '--once', 'job-17');
  await play.run(once(words), first);
  first.remove();
  const again = await play.run(words, second, { isElsewhere: true });
  const last = again.code === 0 ? again : await play.run(words, second, { isElsewhere: true });
  expectEnd(one, play, last);
  await play.over(await expected(one, last, lane));
  second.remove();
}

async function spelledOtherwise(play: Play, { lane }: Stage): Promise<void> {
  const home = lane.home();
  const words = command('transfer', ...hasty);
  play.expectExit(await play.run(once(words), home), 9);
  play.expectExit(await play.run([...words, '--memo', 'rent'], home), 10);
  const own = await play.run(words, home);
  play.expectExit(own.code === 9 ? await play.run(words, home) : own, 0);
  await play.over(1);
  home.remove();
}

const otherPaths = ['/bots', '/team/a'];
const oddPaths = ['/%2f', '//bots', '/bots;x', '/bots/../bots', '/b%6fts'];

/** The server in front of the service treats all these URLs as one. */
async function atOtherUrls(play: Play, { lane }: Stage): Promise<void> {
  const home = lane.home();
  const front = await startPrefixProxy(lane.service.baseUrl);
  const words = command('transfer', ...hasty, '--once', 'one-name');
  const at = (path: string, line = words): Promise<Ran> =>
    play.run(line, home, { baseUrl: `${front.baseUrl}${path}`, isOneOfMany: path !== '' });
  try {
    play.expectExit(await at('', once(words)), 9);
    for (const path of otherPaths) play.expectExit(await at(path), 10);
    for (const path of oddPaths) play.expectExit(await at(path), 2);
    const own = await at('');
    play.expectExit(own.code === 9 ? await at('') : own, 0);
    for (const path of otherPaths) play.expectExit(await at(path), 10);
    await play.journaled(home);
    await play.over(1);
  } finally {
    await front.close();
    home.remove();
  }
}

/** What every screen says of a payment for which the service was asked twice. */
const mayBePaidAgain = 'The service was asked twice';

/**
 * With the retries that a command has by itself. The service does not keep its word, so it may do again what it did;
 * botctl must not claim to know, and must say of a payment that it may have been made twice.
 */
async function sayWhatIsNotKnown(one: Case, play: Play, { lane, tally }: Stage): Promise<void> {
  const home = lane.home();
  const ran = await play.run(command(one.operation, '--timeout', '700ms'), home);
  const effects = (await lane.service.effects()).length;
  if (one.operation === 'transfer' && effects > 1) {
    if (ran.code === 0 && !`${ran.stdout}${ran.stderr}`.includes(mayBePaidAgain))
      play.wrong(`it was paid ${effects} times, and nothing says that it may have been`);
    tally.payAgain(effects - 1);
  }
  await play.over(effects);
  home.remove();
}

/** A true rejection leaves no effect. After the fix, the same command succeeds. */
async function rejectedAndFixed(operation: Operation, reading: Reading, stage: Stage): Promise<void> {
  const { lane } = stage;
  await lane.service.fresh();
  await lane.service.set(reading.change);
  const play = new Play(`${operation}, ${reading.name}, rejected and fixed`, stage);
  const home = lane.home();
  const conversation = `conv_${reading.name.replaceAll(/\W/gu, '_')}_${lane.service.heard.length}`;
  const words =
    operation === 'message'
      ? ['send', '--conversation', conversation, '--content', 'Hello', '--json']
      : ['transfer', '--to', recipient, '--asset', 'USDC', '--amount', '1000000', '--json'];
  play.expectExit(await play.run(words, home), operation === 'message' ? 4 : 5);
  if (operation === 'message') await lane.service.conversation(conversation);
  else await lane.service.money({ asset: 'USDC', amount: '1000000' });
  play.expectExit(await play.run(words, home), ...(reading.isUnproven === true ? [0, 10] : [0]));
  await play.over(1);
  home.remove();
}

async function play(arena: Arena, tally: Tally): Promise<void> {
  const { programs } = arena;
  const cases = [
    ...shareOf(otherSpellings(), arena, 'spelled otherwise'),
    ...shareOf(otherUrls(), arena, 'other base URLs', 2),
    ...shareOf(everyCase(), arena, 'faults', 4),
  ];
  await overLanes(arena, tally, cases, (one, lane, own) => playCase(one, { lane, tally: own, programs }));
  const rejections = operations.flatMap((operation) =>
    readings
      .filter(({ only }) => only === undefined || only === operation)
      .map((reading) => ({ operation, reading })),
  );
  await overLanes(
    arena,
    tally,
    shareOf(rejections, arena, 'rejections'),
    ({ operation, reading }, lane, own) =>
      rejectedAndFixed(operation, reading, { lane, tally: own, programs }),
  );
}

export const faults: Technique = { name: 'faults', title: '4. Every reading × every fault', play };
