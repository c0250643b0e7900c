import { sourceOf } from '../batch/input.ts';
import { type BadRow, type Survey, shownBadRows } from '../batch/survey.ts';
import { type BatchPlan, counted, drawPlan, planJson, severalRows } from '../display/batchView.ts';
import type { Display } from '../display/display.ts';
import { plainCanvas } from '../display/drawing.ts';
import { type Exit, exitOf, Failure, problemOf } from '../errors.ts';
import { formatAmount } from '../intent/amount.ts';
import type { BatchWorld } from './batchWorld.ts';

type Place = Pick<BatchWorld, 'given' | 'asked' | 'speaking' | 'sheet'>;

/** What the survey found, as it is shown. */
export function batchPlan(surveyed: Survey, { given, asked, speaking, sheet }: Place): BatchPlan {
  const { several, repeated } = sheet.recipients();
  const totals = [...surveyed.tally.totals].map(([asset, { all, left }]) => ({
    asset,
    all: formatAmount(all),
    left: formatAmount(left),
  }));
  return {
    command: given.command,
    kind: asked.kind,
    name: asked.name,
    bot: speaking.bot,
    baseUrl: speaking.baseUrl,
    rows: surveyed.rows,
    standings: surveyed.tally.standings,
    lacking: surveyed.lacking,
    totals: totals.filter(({ all }) => all !== '0'),
    recipients: several,
    recipientsRepeated: repeated,
  };
}

/** The first of the bad rows on stderr; all of them are in the report. */
export function listBadRows({ tally, firstBad, firstRefused, warnings }: Survey, display: Display): void {
  for (const warning of warnings) display.warn(warning);
  list(firstBad, tally.standings.invalid, display);
  list(firstRefused, tally.standings.refused, display);
}

function list(rows: readonly BadRow[], all: number, display: Display): void {
  for (const { line, id, reason } of rows) {
    display.warn(`line ${line}${id === undefined ? '' : ` (id ${id})`}: ${reason}`);
  }
  if (all > rows.length) display.warn(`… and ${counted(all - rows.length)} more; --report lists them all`);
}

/** Ends a batch of which nothing is sent, because some of its rows are not valid. */
export async function refuseInvalid(surveyed: Survey, world: BatchWorld): Promise<Exit> {
  const { context, options } = world;
  const { invalid } = surveyed.tally.standings;
  const source = sourceOf(options);
  const problem = problemOf(
    new Failure(
      'bad-input',
      `${counted(invalid)} of ${severalRows(surveyed.rows)} of ${source} ${invalid === 1 ? 'is' : 'are'} not valid; nothing was sent.`,
      { hint: 'Mend them and run the command again, or send the others with --skip-invalid.' },
    ),
  );
  await context.display.fail(problem, {
    ...planJson(batchPlan(surveyed, world)),
    invalid: surveyed.firstBad.slice(0, shownBadRows),
    error: problem,
  });
  return exitOf('bad-input');
}

/** Shows what is about to be done; on a terminal, asks. */
export async function tellPlan(surveyed: Survey, world: BatchWorld): Promise<void> {
  const { given, context, asked } = world;
  const { display } = context;
  const plan = batchPlan(surveyed, world);
  const { new: fresh, unfinished, elsewhere } = surveyed.tally.standings;
  const left = fresh + unfinished + elsewhere;
  if (!display.interactive || given.flag('yes') || left === 0) {
    display.notice(inALine(plan));
    return;
  }
  const what = `${asked.kind}${left === 1 ? '' : 's'}`;
  const question = `${drawPlan(plan, plainCanvas(display.columns))}Begin ${counted(left)} ${what}?`;
  if (await display.confirm(question)) return;
  throw new Failure('declined', 'Answered No; nothing was sent.', {
    hint: 'Run the same command again to be asked again.',
  });
}

function inALine({ name, rows, standings, lacking, totals, kind, ...plan }: BatchPlan): string {
  const parts = Object.entries(standings)
    .filter(([standing, count]) => count > 0 || standing === 'new' || standing === 'invalid')
    .map(([standing, count]) => `${counted(count)} ${standing === 'done' ? 'already done' : standing}`);
  const sums = totals.map(
    ({ asset, all, left }) => `${all} ${asset}${all === left ? '' : ` (${left} not done yet)`}`,
  );
  const repeated =
    plan.recipientsRepeated === 0 ? '' : ` (${counted(plan.recipientsRepeated)} of them more than once)`;
  const money =
    kind === 'message' ? '' : `; ${sums.join(', ')} to ${counted(plan.recipients)} recipients${repeated}`;
  const missing =
    lacking === 0 ? '' : `; ${severalRows(lacking)} of this name in the journal are not in this input`;
  return `batch ${name}: ${severalRows(rows)}: ${parts.join(', ')}${money}${missing}`;
}
