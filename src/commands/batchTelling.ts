import { type RowReport, reportRow, reportRows } from '../batch/rowReport.ts';
import type { SheetRow } from '../batch/sheet.ts';
import type { RowEnd } from '../batch/stopRules.ts';
import { counted } from '../display/batchView.ts';
import type { View } from '../display/display.ts';
import { Failure, problemOf } from '../errors.ts';
import { type BatchWorld, reportWorld } from './batchWorld.ts';
import { reportOf, wholeOf } from './telling.ts';

const shownFailures = 20;

function jsonView(json: Record<string, unknown>): View {
  return { json, human: () => '' };
}

function place({ line, id }: Pick<SheetRow, 'line' | 'id'>): Record<string, unknown> {
  return { line, ...(id === undefined ? {} : { id }) };
}

/** Tells of each row: with --json as an object, else only of what is not done. */
export class RowTeller {
  readonly #world: BatchWorld;
  #failures = 0;

  constructor(world: BatchWorld) {
    this.#world = world;
  }

  /** What settled before anything is sent: rows done earlier, and rows that are not valid. */
  async tellBefore(): Promise<void> {
    const { context, sheet } = this.#world;
    if (context.display.face !== 'json') return;
    for (const row of sheet.rows()) {
      if (row.standing === 'done') await context.display.show(jsonView(this.#doneJson(row)));
      if (row.standing === 'invalid') await context.display.show(jsonView(this.#invalidJson(row)));
    }
  }

  async tell({ row, ended, conclusion }: RowEnd): Promise<void> {
    const { given, context, journal } = this.#world;
    const { problem, warnings } = conclusion;
    if (context.display.face === 'json') {
      const report = journal && reportOf(ended, given.command, journal, warnings);
      const whole =
        report === undefined
          ? { schema: 'botctl/1', command: given.command, error: problem }
          : wholeOf({ ...report, problem }, context.display);
      await context.display.show(jsonView({ ...whole, ...place(row) }));
      return;
    }
    for (const warning of warnings) this.#list(row, warning);
    if (problem !== undefined) this.#list(row, problem.message);
  }

  #list(row: SheetRow, text: string): void {
    const { display } = this.#world.context;
    this.#failures += 1;
    if (this.#failures <= shownFailures) {
      display.warn(`line ${row.line}${row.id === undefined ? '' : ` (id ${row.id})`}: ${text}`);
    }
    if (this.#failures === shownFailures)
      display.warn('Further rows are not listed here; --report lists all.');
  }

  #doneJson(row: SheetRow): Record<string, unknown> {
    const { given, context, journal } = this.#world;
    const intent = row.intent === undefined ? undefined : journal?.get(row.intent);
    if (intent === undefined) return { schema: 'botctl/1', command: given.command, ...place(row) };
    const attempt = journal?.tellingAttempt(intent.id);
    const report = { command: given.command, intent, attempt, replayed: true, warnings: [] };
    return { ...wholeOf(report, context.display), ...place(row) };
  }

  #invalidJson(row: SheetRow): Record<string, unknown> {
    const failure = new Failure('bad-input', `${row.problem ?? 'The row is not valid'}. It was not sent.`, {
      hint: 'Mend the row and run the command again.',
    });
    return {
      schema: 'botctl/1',
      command: this.#world.given.command,
      ...place(row),
      error: problemOf(failure),
    };
  }
}

/** With --quiet a line for each row in input order: its message id or signature, or nothing. */
export async function tellResults(world: BatchWorld): Promise<void> {
  const { display } = world.context;
  if (!display.quiet || display.face === 'json') return;
  for (const { result = '' } of reportRows(reportWorld(world))) {
    await display.show({ json: {}, human: () => '', quiet: result });
  }
}

/** How the rows stand that a stop kept from their turn. Nothing that may have happened is called not begun. */
export function countUnvisited(world: BatchWorld, counts: Map<RowReport['outcome'], number>): void {
  for (const row of world.sheet.rows()) {
    if (row.outcome !== undefined || row.standing === 'done' || row.standing === 'invalid') continue;
    const { outcome } = reportRow(row, reportWorld(world));
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
}

export function rowsAre(count: number): string {
  return `${counted(count)} ${count === 1 ? 'row is' : 'rows are'}`;
}
