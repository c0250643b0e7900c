import { createHash } from 'node:crypto';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { type SettledFormat, settledHeading, settledLine } from '../display/settledRow.ts';
import { type Exit, exitOf } from '../errors.ts';
import type { Intent, Journal } from '../journal/journal.ts';
import {
  exported,
  exportIsCut,
  exportNotWhole,
  formatWithIds,
  formatWithJson,
  notAFormat,
  notAllSettled,
} from '../words/historyExport.ts';
import { problemOf } from '../words/told.ts';
import { type Filters, selectionOf } from './historyFilters.ts';
import { inPages } from './pages.ts';
import { storedReport } from './storedReport.ts';

export function exportFormat(given: Given): SettledFormat | undefined {
  const format = given.text('format');
  if (format === undefined) return undefined;
  if (format !== 'csv' && format !== 'jsonl') throw notAFormat(format);
  if (given.flag('json')) throw formatWithJson();
  if (given.args.length > 0) throw formatWithIds();
  return format;
}

const mostNamed = 20;

/** For the books: what happened, oldest first, a page in memory at a time. */
export async function exportHistory(
  filters: Filters,
  format: SettledFormat,
  journal: Journal,
  { command }: Given,
  { display }: Context,
): Promise<Exit> {
  const nowMs = journal.clock.now();
  const limit = filters.limit ?? Number.MAX_SAFE_INTEGER - 1;
  // What begins while this is written is for the next export.
  const selection = { untilMs: nowMs, ...selectionOf(filters, nowMs, limit + 1), oldestFirst: true } as const;
  const hash = createHash('sha256');
  const write = (text: string): Promise<'written' | 'closed'> => {
    hash.update(text);
    return display.write(text);
  };
  const unsettled: { count: number; some: Intent[] } = { count: 0, some: [] };
  let rows = 0;
  let isCut = false;
  let state = await write(settledHeading(format));
  let left = limit;
  for await (const page of inPages(journal.reads.select(selection))) {
    const intents = page.slice(0, left);
    isCut = intents.length < page.length;
    left -= intents.length;
    const settled = intents.filter(isSettled);
    const lines = await Promise.all(settled.map((intent) => lineOf(intent, format, command, journal)));
    state = await write(lines.join(''));
    if (state === 'closed') break;
    rows += lines.length;
    for (const intent of intents.filter(isUnsettled)) {
      unsettled.count += 1;
      if (unsettled.some.length < mostNamed) unsettled.some.push(intent);
    }
  }
  if (isCut) display.warn(exportIsCut(limit));
  if (state === 'closed') display.warn(exportNotWhole());
  else if (!display.quiet) display.notice(exported(rows, hash.digest('hex')));
  if (unsettled.count === 0) return 0;
  const problem = problemOf(notAllSettled(unsettled.count, unsettled.some));
  await display.fail(problem, {});
  return exitOf(problem.code);
}

function isSettled({ state, resolvedAs }: Intent): boolean {
  return state === 'accepted' || resolvedAs === 'happened';
}

/** It may have happened, or may yet. */
function isUnsettled({ state }: Intent): boolean {
  return state === 'open' || state === 'sending' || state === 'unknown' || state === 'held';
}

async function lineOf(
  intent: Intent,
  format: SettledFormat,
  command: string,
  { reads }: Journal,
): Promise<string> {
  const [report, observations] = await Promise.all([
    storedReport(intent, command, reads),
    intent.kind === 'transfer' ? reads.observationsOf(intent.id) : [],
  ]);
  return settledLine({ report, observations }, format);
}
