import { setMaxListeners } from 'node:events';
import { claim } from '../engine/claim.ts';
import { conclude } from '../engine/conclusion.ts';
import type { Asked, Doing, Ended } from '../engine/doing.ts';
import { carryOut } from '../engine/execute.ts';
import type { BatchPace } from './pace.ts';
import type { RowNaming } from './rowNaming.ts';
import type { Sheet, SheetRow } from './sheet.ts';
import type { RowEnd, Stop, StopRules } from './stopRules.ts';
import { type BatchAsked, requestIn } from './survey.ts';

/** How rows stand after a run: an intent's state, or that it was not this batch's to send. */
export type Outcome =
  | 'accepted'
  | 'resolved'
  | 'unknown'
  | 'held'
  | 'rejected'
  | 'open'
  | 'sending'
  | 'refused';

export type Counts = Record<Outcome, number>;

export type RunWorld = {
  readonly asked: BatchAsked;
  readonly sheet: Sheet;
  readonly doing: Doing;
  readonly pace: BatchPace;
  readonly rules: StopRules;
  readonly concurrency: number;
  /** Told of each row as it ends; nothing new takes its place before it has been told. */
  readonly told: (end: RowEnd) => Promise<void>;
};

export type RunEnd = { readonly counts: Counts; readonly stop: Stop | undefined };

/** Does what is not done yet, a few rows at a time, until all have ended or there is a reason to begin no more. */
export async function run(world: RunWorld, counts: Counts = noCounts()): Promise<RunEnd> {
  const { sheet, doing, rules, concurrency } = world;
  const { first, second } = doing.interrupts;
  // Each slot listens to them; Node takes many listeners for a leak.
  setMaxListeners(0, first, second, rules.signal);
  const onInterrupt = (): void => rules.interrupt();
  if (first.aborted) onInterrupt();
  first.addEventListener('abort', onInterrupt, { once: true });
  const rows = unfinishedRows(sheet);
  await Promise.all(Array.from({ length: concurrency }, () => workThrough(rows, counts, world)));
  first.removeEventListener('abort', onInterrupt);
  return { counts, stop: rules.stop };
}

export function noCounts(): Counts {
  return { accepted: 0, resolved: 0, unknown: 0, held: 0, rejected: 0, open: 0, sending: 0, refused: 0 };
}

function* unfinishedRows(sheet: Sheet): Generator<SheetRow> {
  for (const row of sheet.rows()) {
    if (row.standing !== 'invalid' && row.standing !== 'done') yield row;
  }
}

/** One slot: a row from its claim to its end, then the next one. */
async function workThrough(rows: Iterator<SheetRow>, counts: Counts, world: RunWorld): Promise<void> {
  const { pace, rules, sheet, told } = world;
  try {
    for (;;) {
      await pace.turn(rules.signal);
      if (rules.stop !== undefined) return;
      const { value: row, done } = rows.next();
      if (done === true) return;
      const end = await doRow(row, world);
      const outcome = outcomeOf(end.ended);
      counts[outcome] += 1;
      sheet.settle(row.ordinal, outcome, ownIntent(end.ended), end.conclusion.problem?.message);
      rules.note(end);
      await told(end);
    }
  } catch (thrown) {
    rules.fail(thrown);
  }
}

export function askedOf(row: SheetRow, { kind, name }: BatchAsked): Asked {
  const naming: RowNaming = { by: 'row', name, row: row.row ?? '' };
  const wanted = { kind, request: requestIn(row), warnings: [] } as Asked['wanted'];
  return { wanted, naming };
}

async function doRow(row: SheetRow, { asked, doing }: RunWorld): Promise<RowEnd> {
  const step = await claim(askedOf(row, asked), doing);
  const sent = step.is === 'claimed';
  const ended = sent ? await carryOut(step, doing) : step;
  return { row, ended, sent, conclusion: conclude(ended, doing.clock.now()) };
}

function outcomeOf(ended: Ended): Outcome {
  switch (ended.is) {
    case 'concluded':
      return ended.intent.state;
    case 'still-sending':
      return 'sending';
    case 'refused':
      return 'refused';
    case 'not-recorded':
      return 'unknown';
  }
}

/** The intent that stands in the way of a refused row is another's. */
function ownIntent(ended: Ended): string | undefined {
  return ended.is === 'refused' ? undefined : ended.intent.id;
}
