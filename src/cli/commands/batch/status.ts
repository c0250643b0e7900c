import { countRows, type RowCounts, type RowState, stateByEntry } from '../../../batch/rowState.ts';
import { amountOf, countedAsset } from '../../../once/entry/amount.ts';
import type { Kind } from '../../../once/entry/wanted.ts';
import { type Exit, exitOf, failureWith } from '../../../once/failures.ts';
import type { BatchInput, Reads, RowGroup } from '../../../once/journal/journal.ts';
import { counted, formatAmountOf, formatCount, iso, isoExact } from '../../../once/phrases.ts';
import type { Run } from '../../parse/command.ts';
import { card, type Fact } from '../../show/card.ts';
import type { View } from '../../show/display.ts';
import { pad, widthsFor } from '../../show/table.ts';
import { safeLine } from '../../show/text.ts';
import { type PaidAs, paidAsFacts, paidAsWords } from '../../wording/batch.ts';
import { codeOfRows, countFields, needsOf, rowFacts, rowsInALine } from '../../wording/rows.ts';
import type { StatusArgs } from './batch.spec.ts';

/** Reads only the journal, so it works while another machine runs the batch. */
export const run: Run<StatusArgs> = async (app) => {
  const { display } = app;
  const [name] = app.args.words;
  if (name === undefined) return list(app);
  const journal = await app.journal('look');
  const statuses = await statusesOf(name, journal.reads);
  if (statuses.length === 0)
    throw failureWith(
      'no-such-batch',
    )`There is no batch ${JSON.stringify(name)} in the journal ${journal.place}.
      Give the whole name of the batch. This lists all batches:
      $ batch status`;
  for (const status of statuses) await display.show(batchStatusView(app.args.command, status));
  if (!display.quiet && statuses.some(({ input }) => input === undefined))
    display.notice(
      'This journal did not see the batch begin, so it counts only the rows that were started. To see how many more the file has, run the batch’s own command with --dry-run: it sends nothing.',
    );
  return exitFor(statuses);
};

/** All batches of the journal; the latest change comes first. */
const list: Run<StatusArgs> = async (app) => {
  const { display } = app;
  const journal = await app.journal('look');
  const statuses: BatchStatus[] = [];
  for (const name of await journal.reads.batchNames())
    statuses.push(...(await statusesOf(name, journal.reads)));
  statuses.sort((one, other) => other.updatedAtMs - one.updatedAtMs);
  const names = statuses.map(({ name }) => safeLine(name));
  const widthOf = await widthsFor(names);
  const width = Math.max(0, ...names.map(widthOf));
  for (const status of statuses)
    await display.show({
      ...batchStatusView(app.args.command, status),
      quiet: status.name,
      human: () =>
        `${iso(status.updatedAtMs)}  ${pad(safeLine(status.name), width, widthOf)}  ${batchInOneLine(status)}\n`,
    });
  if (statuses.length === 0) display.notice('There are no batches in this journal.');
  return 0;
};

/** The same name at another service, or for the other kind, is another batch. */
async function statusesOf(name: string, reads: Reads): Promise<readonly BatchStatus[]> {
  const [groups, inputs] = await Promise.all([reads.rowsStanding(name), reads.batchInputs(name)]);
  const byBatch = new Map<string, [RowGroup, ...RowGroup[]]>();
  for (const group of groups) {
    const same = byBatch.get(`${group.kind} ${group.baseUrl}`);
    if (same === undefined) byBatch.set(`${group.kind} ${group.baseUrl}`, [group]);
    else same.push(group);
  }
  return [...byBatch.values()].map((same) => {
    const [{ kind, baseUrl }] = same;
    return statusOf(
      name,
      same,
      inputs.find((one) => one.kind === kind && one.baseUrl === baseUrl),
    );
  });
}

function statusOf(
  name: string,
  groups: readonly [RowGroup, ...RowGroup[]],
  input: BatchInput | undefined,
): BatchStatus {
  const [{ kind, baseUrl }] = groups;
  const begun = groups.reduce((sum, { rows }) => sum + rows, 0);
  const rows = Math.max(begun, input?.rows ?? 0);
  const invalid = Math.min(rows - begun, input?.invalid ?? 0);
  const ownEntries = groups.map((group) => [stateByEntry(group), group.rows] as const);
  return {
    name,
    kind,
    baseUrl,
    bots: [...new Set(groups.map(({ bot }) => bot))].sort(),
    input,
    rows,
    begun,
    paid: sumsOf(groups.filter(({ paidAs }) => paidAs === undefined)),
    paidAs: groups.map(({ paidAs, rows }) => [paidAs, rows]),
    counts: countRows([...ownEntries, ['invalid', invalid], ['not-sent', rows - begun - invalid]]),
    begunAtMs: Math.min(...groups.map(({ begunAtMs }) => begunAtMs)),
    updatedAtMs: Math.max(...groups.map(({ updatedAtMs }) => updatedAtMs)),
  };
}

const undecided: readonly RowState[] = ['sending', 'unknown', 'held'];

type Sums = { readonly asset: string; done: bigint; undecided: bigint };

/** For each asset, what the rows paid and what they may have paid. */
function sumsOf(groups: readonly RowGroup[]): readonly PaidSum[] {
  const sums = new Map<string, Sums>();
  for (const group of groups) {
    if (group.paid === undefined) continue;
    const { asset, units } = group.paid;
    const sum = sums.get(countedAsset(asset)) ?? { asset, done: 0n, undecided: 0n };
    sums.set(countedAsset(asset), sum);
    const state = stateByEntry(group);
    if (state === 'done') sum.done += units;
    else if (undecided.includes(state)) sum.undecided += units;
  }
  return [...sums.values()].map(({ asset, done, undecided: doubtful }) => ({
    // The journal keeps symbols in lower case, so all spellings are one. A mint has 32 characters or more.
    asset: asset.length < 32 ? asset.toUpperCase() : asset,
    done: amountOf(done),
    undecided: amountOf(doubtful),
  }));
}

function exitFor(statuses: readonly BatchStatus[]): Exit {
  const code = codeOfRows(new Set(statuses.flatMap(({ counts }) => [...needsOf(counts)])));
  return code === undefined ? 0 : exitOf(code);
}

/** The state of a batch according to the journal. */
type BatchStatus = {
  readonly name: string;
  readonly kind: Kind;
  readonly baseUrl: string;
  readonly bots: readonly string[];
  /** The batch's file; absent if this journal did not see the batch begin. */
  readonly input: BatchInput | undefined;
  readonly rows: number;
  readonly begun: number;
  readonly paid: readonly PaidSum[];
  readonly paidAs: PaidAs;
  readonly counts: RowCounts;
  readonly begunAtMs: number;
  readonly updatedAtMs: number;
};

function batchStatusView(command: string, status: BatchStatus): View {
  const { name, kind, baseUrl, bots, rows, begun, paid, paidAs, counts, begunAtMs, updatedAtMs } = status;
  return card(
    command,
    ({ paint }) => `${paint.bold(`Batch ${safeLine(name)}`)} (${kind}s)\n`,
    [
      ['Name', undefined, { name, kind, base_url: baseUrl }],
      ['Bot', bots.join(', '), { bots }],
      ['Service', baseUrl],
      [
        'Rows',
        status.input === undefined ? `${formatCount(begun)} begun` : formatCount(rows),
        { rows, begun },
      ],
      ['Standings', undefined, { standings: countFields(counts) }],
      ...rowFacts(counts),
      ...paidAsFacts(paidAs),
      ['Totals', undefined, kind === 'message' ? {} : { totals: paid }],
      ...paid.map((sum, index): Fact => [index === 0 ? 'Amount' : '', paidOf(sum)]),
      ['Began', iso(begunAtMs), { begun_at: isoExact(begunAtMs) }],
      ['Latest', iso(updatedAtMs), { updated_at: isoExact(updatedAtMs) }],
    ],
    `${counts.done}/${rows}`,
  );
}

/** Sums of one asset: of rows that are done, and of rows that may have been paid. */
type PaidSum = Readonly<Record<'asset' | 'done' | 'undecided', string>>;

function paidOf({ asset, done, undecided }: PaidSum): string {
  const doubt = undecided === '0' ? '' : `, ${undecided} undecided`;
  return `${formatAmountOf(done, asset)} done${doubt}`;
}

function batchInOneLine({ kind, rows, paidAs, counts }: BatchStatus): string {
  const done = `${formatCount(counts.done)} of ${counted(rows, kind)} done`;
  return [done, ...paidAsWords(paidAs), rowsInALine({ ...counts, done: 0 })]
    .filter((text) => text !== '')
    .join(', ');
}
