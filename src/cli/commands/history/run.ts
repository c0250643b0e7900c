import { concluded, outcomeToTell } from '../../../once/engine/outcome.ts';
import { type Exit, failureWith } from '../../../once/failures.ts';
import type { Entry, Journal } from '../../../once/journal/journal.ts';
import { formatCount } from '../../../once/phrases.ts';
import type { App } from '../../app.ts';
import { knownByName } from '../../bot/chooseBot.ts';
import { isThere, shownLocation } from '../../open/journal.ts';
import type { Run } from '../../parse/command.ts';
import { entryByIdOrName, noteDeaths, storedReport } from '../../run/stored.ts';
import { explain } from '../../wording/explain.ts';
import type { Problem } from '../../wording/problem.ts';
import type { SettledFormat } from './export.ts';
import {
  allOfThem,
  type Filters,
  inPages,
  parseFilters,
  selectionOf,
  withRecipient,
  withWholeAddress,
} from './filters.ts';
import type { HistoryArgs } from './history.spec.ts';
import { type HistoryLayout, historyDetail, historyHeading, historyLayout, historyLine } from './view.ts';

export const run: Run<HistoryArgs> = async (app) => {
  const parsed = await withRecipient(parseFilters(app.args, app.clock.now()), app);
  const isTotal = app.args.flag('total');
  if (isTotal && (app.args.words.length > 0 || app.args.text('format') !== undefined))
    throw failureWith('usage')`--total takes no IDs and no --format.
      Narrow it with --batch, --to, --since or another filter.`;
  const format = await formatOf(app.args);
  if (format === undefined && app.args.words.length === 0 && !isThere(await app.where()))
    return sayEmpty(app);
  const journal = await app.journal('look');
  const filters = await withWholeAddress(parsed, journal);
  if (isTotal) {
    const { showTotal } = await import('./export.ts');
    await noteDeaths(journal, app);
    return await showTotal(filters, journal, app);
  }
  if (format !== undefined) {
    const { exportHistory } = await import('./export.ts');
    await noteDeaths(journal, app);
    return await exportHistory(filters, format, journal, app);
  }
  return await (app.args.words.length === 0 ? list(filters, journal, app) : details(journal, app));
};

async function formatOf(args: HistoryArgs): Promise<SettledFormat | undefined> {
  if (args.text('format') === undefined) return undefined;
  const { exportFormat } = await import('./export.ts');
  return exportFormat(args);
}

const defaultLimit = 20;

async function sayEmpty(app: App<HistoryArgs>): Promise<Exit> {
  app.display.notice(
    app.args.flag('sandbox') && app.args.text('journal') === undefined
      ? 'Nothing is recorded in the sandbox yet.'
      : `Nothing is recorded yet: there is no journal ${await shownLocation(await app.where())}.`,
  );
  return 0;
}

async function list(filters: Filters, journal: Journal, app: App<HistoryArgs>): Promise<Exit> {
  const { display } = app;
  const { limit = display.face === 'json' ? allOfThem : defaultLimit } = filters;
  // List the entries of dead processes as unknown.
  await noteDeaths(journal, app);
  let count = 0;
  let layout: HistoryLayout | undefined;
  // Read one more than is shown, to know whether more exist.
  const selection = selectionOf(filters, journal.clock.now(), limit + 1);
  for await (const entries of inPages(journal.reads.select(selection))) {
    const page = entries.slice(0, limit - count);
    count += entries.length;
    const reports = await Promise.allSettled(
      page.map((entry) => storedReport(entry, app.args.command, journal.reads)),
    );
    const readable = reports.flatMap((report) => (report.status === 'fulfilled' ? [report.value.entry] : []));
    const before = layout;
    const now = await historyLayout(readable, before);
    layout = now;
    if (before === undefined && display.face === 'human' && !display.quiet)
      await display.show({ json: {}, human: historyHeading });
    // Shows every report before the first unreadable one, then fails.
    for (const report of reports) {
      if (report.status === 'rejected') throw report.reason;
      if ((await display.show(historyLine(report.value, now))) === 'closed') return 0;
    }
  }
  if (count === 0) display.notice('No entry matches.');
  const newest = limit === 1 ? 'the newest is' : `the newest ${formatCount(limit)} are`;
  if (count > limit) display.notice(`There are more: only ${newest} shown. --limit all shows all.`);
  return 0;
}

async function details(journal: Journal, app: App<HistoryArgs>): Promise<Exit> {
  // All IDs are checked before the first entry is shown.
  const entries = new Map<string, Entry>();
  for (const text of app.args.words) {
    const entry = await entryByIdOrName(text, journal);
    entries.set(entry.id, entry);
  }
  for (const [index, entry] of [...entries.values()].entries()) {
    if (index > 0 && app.display.face === 'human' && !app.display.quiet)
      await app.display.show({ json: {}, human: () => '\n' });
    await detail(entry, journal, app);
  }
  return 0;
}

/** The problem of an entry according to the journal; undefined if it has none. */
async function explainStanding(
  entry: Entry,
  { reads, clock }: Journal,
  app: App,
): Promise<Problem | undefined> {
  if (entry.state === 'open' || entry.state === 'sending') return undefined;
  // The history can be read even if the profiles are damaged.
  const bot = await knownByName(entry.bot, app).catch(() => undefined);
  const hasNode = bot?.chain !== undefined;
  return explain(outcomeToTell(await concluded(entry, reads, false)), clock.now(), { hasNode }).problem;
}

/** Drops the advice to run `history`, which the user is already reading. */
function withoutItself(explained: Problem | undefined): Problem | undefined {
  if (explained?.next === undefined) return explained;
  const others = explained.next.filter((one) => !('0' in one) || one[0] !== 'history');
  return { ...explained, next: others.map((one) => ('decides' in one ? { decides: one.decides } : one)) };
}

async function detail(stored: Entry, journal: Journal, app: App<HistoryArgs>): Promise<void> {
  const { display } = app;
  if (stored.state === 'sending' && !stored.ownerLives) await noteDeaths(journal, app);
  const entry = (await journal.reads.get(stored.id)) ?? stored;
  const report = await storedReport(entry, app.args.command, journal.reads);
  const view = historyDetail({
    report,
    attempts: await journal.reads.attemptsOf(entry.id),
    decisions: await journal.reads.decisionsOf(entry.id),
    explained: withoutItself(await explainStanding(entry, journal, app)),
  });
  await display.show(view);
}
