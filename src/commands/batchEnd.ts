import type { BatchPace } from '../batch/pace.ts';
import type { Counts, RunEnd } from '../batch/run.ts';
import type { Stop } from '../batch/stopRules.ts';
import type { Survey } from '../batch/survey.ts';
import { type BatchEnd, batchEndJson, batchEndView, counted, severalRows } from '../display/batchView.ts';
import type { Gauge } from '../display/meter.ts';
import { lasting } from '../engine/phrases.ts';
import type { Clock } from '../engine/ports.ts';
import { type Exit, exitOf, Failure, type Problem, problemOf } from '../errors.ts';
import { batchPlan } from './batchSurvey.ts';
import { countUnvisited, rowsAre, tellResults } from './batchTelling.ts';
import type { BatchWorld } from './batchWorld.ts';

/** How far a batch is: done, failed, unknown, rows a second, time left, and a rate limit that is waited out. */
export function gaugeOf({ rows, tally }: Survey, counts: Counts, pace: BatchPace, clock: Clock): () => Gauge {
  const beganAtMs = clock.now();
  const todo = rows - tally.standings.done - tally.standings.invalid;
  return () => {
    const ended = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const done = counts.accepted + counts.resolved;
    const perS = (1000 * ended) / Math.max(1, clock.now() - beganAtMs);
    const parts = [
      `${counted(done)}/${counted(todo)} done`,
      `${counted(ended - done - counts.unknown)} failed`,
      `${counted(counts.unknown)} unknown`,
      `${perS < 10 ? perS.toFixed(1) : counted(Math.round(perS))} rows/s`,
      ended === 0 ? '' : `${lasting((1000 * (todo - ended)) / perS)} left`,
      pace.quietMs() === 0 ? '' : `rate limited: waiting ${lasting(pace.quietMs())}`,
    ];
    return { share: todo === 0 ? 1 : ended / todo, text: parts.filter((part) => part !== '').join(', ') };
  };
}

/** Said first to last: what may have happened comes before what did not. */
const order = ['unknown', 'sending', 'held', 'refused', 'rejected', 'open', 'invalid', 'not-begun'];

/** Says how the batch ended, and how to go on. */
export async function tellEnd(
  surveyed: Survey,
  { counts, stop }: RunEnd,
  report: string | undefined,
  world: BatchWorld,
): Promise<Exit> {
  const { display } = world.context;
  await tellResults(world);
  const outcomes = new Map<string, number>(Object.entries(counts));
  outcomes.set('invalid', surveyed.tally.standings.invalid);
  if (stop !== undefined) countUnvisited(world, outcomes);
  const undone = order.flatMap((outcome) => {
    const rows = outcomes.get(outcome) ?? 0;
    return rows === 0 ? [] : [{ outcome, rows }];
  });
  const end: BatchEnd = {
    plan: batchPlan(surveyed, world),
    doneNow: counts.accepted + counts.resolved,
    doneBefore: surveyed.tally.standings.done,
    undone,
    stopped: stop?.because,
    report,
  };
  if (undone.length === 0) {
    await display.show(batchEndView(end));
    return 0;
  }
  const problem = problemOfEnd(end, stop, world);
  if (display.face === 'human') await display.show(batchEndView(end));
  await display.fail(problem, { ...batchEndJson(end), error: problem });
  return exitOf('not-all-done');
}

function problemOfEnd({ undone }: BatchEnd, stop: Stop | undefined, world: BatchWorld): Problem {
  const told = undone.map(({ outcome, rows }) => {
    if (outcome === 'unknown') return `${rowsAre(rows)} unknown: they may have happened`;
    return `${rowsAre(rows)} ${outcome === 'not-begun' ? 'not begun' : outcome}`;
  });
  const why = stop === undefined ? '' : ` ${reasons(stop)}`;
  const again = commandAgain(world);
  return problemOf(
    new Failure('not-all-done', `${told.join('; ')}.${why}`, {
      hint: `${stop === undefined ? mending(undone) : `${before[stop.because]}Run`} the same command again${again}: it does only what is not done, with the same keys.`,
    }),
  );
}

/** Of some rows a re-run alone would say the same as now. */
function mending(undone: BatchEnd['undone']): string {
  const outcomes = undone.map(({ outcome }) => outcome);
  const wrong = outcomes.filter((outcome) => unhelped.includes(outcome));
  const first = [
    ...(outcomes.includes('held')
      ? ['Decide what is held (botctl history --state held, then botctl resolve or botctl resume)']
      : []),
    ...(wrong.length === 0
      ? []
      : [`Mend the rows that are ${new Intl.ListFormat('en', { type: 'disjunction' }).format(wrong)}`]),
  ];
  return first.length === 0 ? 'Run' : `${first.join('. ')}, then run`;
}

const unhelped: readonly string[] = ['refused', 'rejected', 'invalid'];

function reasons(stop: Stop): string {
  switch (stop.because) {
    case 'token':
      return `The service refuses the bot (status ${stop.status}), so no new rows were begun.`;
    case 'balance':
      return 'The wallet’s balance is insufficient (status 402), so no new rows were begun.';
    case 'service-down':
      return `${severalRows(stop.rows)} in a row ended without an answer: the service seems to be down, so no new rows were begun.`;
    case 'max-failures':
      return `${rowsAre(stop.failures)} not done (--max-failures), so no new rows were begun.`;
    case 'interrupted':
      return 'It was interrupted: what was in flight has landed, and no new rows were begun.';
    case 'failure':
      return `${stop.failure.message} No new rows were begun.`;
  }
}

const before: Readonly<Record<Stop['because'], string>> = {
  token: 'Mend the token or its permission. ',
  balance: 'Fund the bot’s wallet, fees included. ',
  'service-down': 'Wait until the service answers. ',
  'max-failures': 'See why they failed. ',
  interrupted: '',
  failure: '',
};

/** How to continue, as far as it can be said in a line. */
function commandAgain({ given, options }: BatchWorld): string {
  const input = options.path === '-' ? '- with the same input' : options.path;
  return ` (botctl ${given.command} ${input} --once ${options.name})`;
}
