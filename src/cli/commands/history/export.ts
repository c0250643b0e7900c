import { createHash } from 'node:crypto';
import type { ChainView } from '../../../chain/verdict.ts';
import {
  isApprovedAndUnsent,
  isDone,
  isPaidByAnother,
  isProposal,
  isUnsettled,
} from '../../../once/engine/standing.ts';
import { amountOf, formatAmount, readPayment } from '../../../once/entry/amount.ts';
import { type Exit, exitOf, type Failure, failureWith } from '../../../once/failures.ts';
import { states } from '../../../once/journal/columns.ts';
import type { Entry, Journal, Selection } from '../../../once/journal/journal.ts';
import { counted, formatAgo, formatAmountOf, formatCount, iso, isoExact } from '../../../once/phrases.ts';
import type { App } from '../../app.ts';
import { storedReport } from '../../run/stored.ts';
import { card, type Fact } from '../../show/card.ts';
import { requestOf, rowColumns } from '../../show/entry.ts';
import { fieldText, messageOf, settledAt, transferOf } from '../../show/reply.ts';
import type { Report } from '../../show/report.ts';
import { csvLine, safeJson, safeLine } from '../../show/text.ts';
import { approvedNotSent } from '../../wording/entry.ts';
import { resolvedWay } from '../../wording/history.ts';
import { problemOf } from '../../wording/problem.ts';
import { cellIn, keptAs } from '../batch/options.ts';
import { allOfThem, type Filters, inPages, selectionOf } from './filters.ts';
import type { HistoryArgs } from './history.spec.ts';

export function exportFormat(args: HistoryArgs): SettledFormat | undefined {
  const format = args.text('format');
  if (format === undefined) return undefined;
  if (format !== 'csv' && format !== 'jsonl')
    throw failureWith('usage')`--format ${JSON.stringify(format)} is not a format.
      Give csv or jsonl.`;
  if (args.flag('json'))
    throw failureWith('usage')`--json and --format cannot be combined.
      --format jsonl prints one flat object for each settled entry; --json prints all that is known about each.`;
  if (args.words.length > 0)
    throw failureWith('usage')`--format takes no IDs.
      Narrow it with --batch, --to, --since or another filter.`;
  return format;
}

const mostNamed = 20;

/** For the books: what happened, oldest first, with one page in memory at a time. */
export async function exportHistory(
  filters: Filters,
  format: SettledFormat,
  journal: Journal,
  app: App<HistoryArgs>,
): Promise<Exit> {
  const { command } = app.args;
  const { display } = app;
  const nowMs = journal.clock.now();
  const limit = filters.limit ?? allOfThem;
  // An entry that begins during the export belongs to the next one.
  const selection = { untilMs: nowMs, ...selectionOf(filters, nowMs, limit + 1), oldestFirst: true } as const;
  const hash = createHash('sha256');
  const write = (text: string): Promise<'written' | 'closed'> => {
    hash.update(text);
    return display.write(text);
  };
  const unsettled: { count: number; some: Entry[] } = { count: 0, some: [] };
  let rows = 0;
  let unsent = 0;
  let isCut = false;
  const kept =
    format === 'csv' && filters.batch !== undefined ? await keptTitles(selection, journal) : undefined;
  let state = await write(settledHeading(format, kept));
  let left = limit;
  for await (const page of inPages(journal.reads.select(selection))) {
    const entries = page.slice(0, left);
    isCut = entries.length < page.length;
    left -= entries.length;
    const settled = entries.filter(isInBooks);
    const lines = await Promise.all(
      settled.map((entry) => lineOf(entry, { format, kept }, command, journal)),
    );
    state = await write(lines.join(''));
    if (state === 'closed') break;
    rows += lines.length;
    unsent += entries.filter((entry) => entry.state === 'open' && !entry.approved).length;
    for (const entry of entries.filter(isUnsettled)) {
      unsettled.count += 1;
      if (unsettled.some.length < mostNamed) unsettled.some.push(entry);
    }
  }
  const some = limit === 1 ? 'the oldest entry was' : `the oldest ${formatCount(limit)} entries were`;
  if (isCut) display.warn(`There are more: only ${some} considered. Without --limit, the export covers all.`);
  if (state === 'closed') display.warn('The reader closed the output early: the export is incomplete.');
  else if (!display.quiet)
    display.notice(`${counted(rows, 'row')}, SHA-256 ${hash.digest('hex')}${notSentWords(unsent)}`);
  if (unsettled.count === 0) return 0;
  const problem = problemOf(notAllSettled(unsettled.count, unsettled.some));
  await display.fail(problem, {});
  return exitOf(problem.code);
}

function isInBooks(entry: Entry): boolean {
  return isDone(entry) && !isPaidByAnother(entry);
}

function notSentWords(unsent: number): string {
  return unsent === 0 ? '' : `; ${counted(unsent, 'entry was', 'entries were')} not sent`;
}

const mostTitles = 1000;

/** The other columns of batch rows, in the order in which they first appear. */
async function keptTitles(selection: Selection, { reads }: Journal): Promise<readonly string[]> {
  const titles = new Set<string>();
  for await (const entry of reads.select(selection))
    for (const title of isInBooks(entry) ? Object.keys(rowColumns(entry) ?? {}) : [])
      if (titles.size < mostTitles) titles.add(title);
  return [...titles];
}

/** `kept` has the titles of the other columns of batch rows. Each becomes a column of the export. */
type ExportLayout = { readonly format: SettledFormat; readonly kept: readonly string[] | undefined };

async function lineOf(
  entry: Entry,
  layout: ExportLayout,
  command: string,
  { reads }: Journal,
): Promise<string> {
  return settledLine(await storedReport(entry, command, reads), layout);
}

export type SettledFormat = 'csv' | 'jsonl';

const columns = [
  'settled_at',
  'id',
  'kind',
  'name',
  'row',
  'bot',
  'conversation',
  'to',
  'asset',
  'amount',
  'memo',
  'message_id',
  'transfer_id',
  'signature',
  'chain',
  'fee',
  'paid_again',
  'columns',
] as const;

type Cells = Readonly<
  Record<(typeof columns)[number], string | Readonly<Record<string, string>> | undefined>
>;

/** The cells of one entry that happened. */
function cellsOf(report: Report): Cells {
  const { entry, chain } = report;
  const further = chain?.payments?.flatMap(({ own, signature }) => (own ? [] : [signature])) ?? [];
  const request = requestOf(entry);
  const transfer = transferOf(report);
  const message = messageOf(report);
  return {
    settled_at: isoExact(settledAt(report)),
    id: entry.id,
    kind: entry.kind,
    name: entry.name,
    row: entry.rowId,
    bot: entry.bot,
    conversation: fieldText(request.conversation_id),
    to: fieldText(request.to_address),
    asset: fieldText(request.asset),
    amount: fieldText(request.amount),
    memo: fieldText(request.memo),
    message_id: fieldText(message?.id ?? message?.message_id),
    transfer_id: fieldText(transfer?.transfer_id),
    signature: fieldText(transfer?.signature),
    chain: chain?.verdict,
    fee: chain && feeOf(chain),
    paid_again: further.length === 0 ? undefined : further.join(' '),
    columns: rowColumns(entry),
  };
}

/** The fee that the mint kept, if a look saw it. */
function feeOf({ paid }: ChainView): string | undefined {
  try {
    return paid && formatAmount({ units: BigInt(paid.fee_units), decimals: paid.decimals });
  } catch {
    // Damaged facts are ignored.
    return undefined;
  }
}

function settledHeading(format: SettledFormat, kept: ExportLayout['kept']): string {
  if (format !== 'csv') return '';
  if (kept === undefined) return csvLine(columns);
  const own = columns.slice(0, -1);
  return csvLine([...own, ...kept.map((title) => keptAs(title, own))]);
}

/** A line that is harmless in a terminal, a spreadsheet and a log. */
function settledLine(settled: Report, { format, kept }: ExportLayout): string {
  const cells = cellsOf(settled);
  if (format === 'jsonl') return `${safeJson(cells)}\n`;
  const { columns: own, ...rest } = cells;
  const beside = typeof own === 'object' ? own : {};
  const asText = own === undefined ? undefined : safeJson(own);
  return csvLine([
    ...Object.values(rest).map((cell) => (typeof cell === 'string' ? safeLine(cell) : undefined)),
    ...(kept === undefined
      ? [asText]
      : kept.map((title) => cellIn(beside, title)).map((cell) => cell && safeLine(cell))),
  ]);
}

/** Entries of one state, and of one asset if they are transfers. */
type Sum = Pick<Entry, 'state' | 'resolvedAs' | 'approved' | 'kind'> & {
  readonly asset: string | undefined;
  units: bigint;
  entries: number;
};

/** For each asset, the sum that a recipient was paid: accepted, or resolved as happened. */
function paidLines(all: readonly Pick<Sum, 'state' | 'resolvedAs' | 'asset' | 'units'>[]): Fact[] {
  const paid = new Map<string, bigint>();
  for (const { state, resolvedAs, asset, units } of all)
    if (asset !== undefined && (state === 'accepted' || resolvedAs === 'happened'))
      paid.set(asset, (paid.get(asset) ?? 0n) + units);
  return [...paid].map(([asset, units]) => ['paid', formatAmountOf(amountOf(units), asset)]);
}

/** Shows sums: a line for each state and asset. */
export async function showTotal(filters: Filters, journal: Journal, app: App<HistoryArgs>): Promise<Exit> {
  const { display } = app;
  const nowMs = journal.clock.now();
  const selection = selectionOf(filters, nowMs, filters.limit ?? allOfThem);
  const sums = new Map<string, Sum>();
  const { untilMs } = selection;
  let { sinceMs } = selection;
  for await (const entry of journal.reads.select(selection)) {
    if (isPaidByAnother(entry)) continue;
    add(entry, sums);
    if (selection.sinceMs === undefined) sinceMs = Math.min(entry.createdAtMs, sinceMs ?? nowMs);
  }
  const all = [...sums.values()]
    .sort(inOrder)
    .map((sum) => ({ ...sum, amount: sum.asset && amountOf(sum.units) }));
  const fields = {
    since: sinceMs && isoExact(sinceMs),
    until: untilMs && isoExact(untilMs),
    totals: all.map(({ resolvedAs, approved, units: _units, ...sum }) => ({
      ...sum,
      approved: approved ? true : undefined,
      resolved_as: resolvedAs,
    })),
  };
  const lines = all.map(({ state, resolvedAs, approved, kind, asset = '', amount, entries }): Fact => {
    const sum = amount && `${formatAmountOf(amount, asset)}, `;
    const decided = approved ? approvedNotSent : resolvedAs && resolvedWay(resolvedAs);
    const more = decided && ` (${decided})`;
    return [
      state === 'open' && !approved ? 'not sent' : state,
      `${sum ?? ''}${counted(entries, kind)}${more ?? ''}`,
    ];
  });
  if (selection.to !== undefined) lines.push(...paidLines(all));
  const period = periodWords({ sinceMs, untilMs }, nowMs);
  const headline = all.length === 0 ? `${period}: nothing` : period;
  await display.show(card(app.args.command, headline, [['', undefined, fields], ...lines]));
  return 0;
}

function add(entry: Entry, sums: Map<string, Sum>): void {
  const { state, resolvedAs, kind, payment, body } = entry;
  const approved = isApprovedAndUnsent(entry);
  const paid = payment === undefined ? undefined : readPayment(payment);
  const key = `${state} ${resolvedAs} ${approved} ${kind} ${paid?.asset}`;
  let sum = sums.get(key);
  if (sum === undefined) {
    const asset = paid && String(requestOf({ body }).asset);
    sum = { state, resolvedAs, approved, kind, asset, units: 0n, entries: 0 };
    sums.set(key, sum);
  }
  sum.units += paid?.units ?? 0n;
  sum.entries += 1;
}

/** Accepted entries come first. */
const order = ['accepted', ...states.filter((state) => state !== 'accepted')];

function inOrder(one: Sum, other: Sum): number {
  const rank = ({ state, resolvedAs, approved, kind, asset = '' }: Sum): string =>
    `${order.indexOf(state)} ${resolvedAs} ${approved} ${kind} ${asset}`;
  return rank(one) < rank(other) ? -1 : 1;
}

type Unsettled = Pick<Entry, 'id' | 'state' | 'heldReason' | 'approved'>;

/** Entries that the books cannot record yet. `some` are the first of them. */
function notAllSettled(count: number, some: readonly Unsettled[]): Failure {
  const named = some
    .map((one) => `${one.id} (${isApprovedAndUnsent(one) ? approvedNotSent : one.state})`)
    .join(', ');
  const more = count > some.length ? ` and ${formatCount(count - some.length)} more` : '';
  return failureWith('not-all-settled', {
    next: [...new Set(some.map(({ state }) => state))].map((state) => ['history', '--state', state]),
  })`
    ${counted(count, 'entry is', 'entries are')} not settled and not in this export: ${named}${more}.
    ${howToSettle(some)}. Then export again.`;
}

function howToSettle(some: readonly Unsettled[]): string {
  return some.some(isProposal)
    ? 'Approve or decline what waits for approval, resume or resolve the others'
    : 'Resume or resolve them';
}

/** The period of a sum. Without --since it begins with the oldest counted entry. */
function periodWords(
  { sinceMs, untilMs }: { readonly sinceMs: number | undefined; readonly untilMs: number | undefined },
  nowMs: number,
): string {
  if (sinceMs === undefined) return untilMs === undefined ? 'So far' : `To ${iso(untilMs)}`;
  if (untilMs !== undefined) return `From ${iso(sinceMs)} to ${iso(untilMs)}`;
  return `Since ${iso(sinceMs)}, ${formatAgo(nowMs - sinceMs)}`;
}
