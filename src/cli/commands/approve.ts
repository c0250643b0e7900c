import { addCount } from '../../batch/read.ts';
import { type EntryAsShown, shownNow } from '../../once/engine/asShown.ts';
import { lastProposal } from '../../once/engine/decisions.ts';
import { decideProposal, decideProposals } from '../../once/engine/resume.ts';
import { isApprovedAndUnsent, isProposal } from '../../once/engine/standing.ts';
import { addAmounts, formatAmount, type MinorUnits, minorUnits } from '../../once/entry/amount.ts';
import { asFailure, type Exit, type Failure, failureWith, stopsAll } from '../../once/failures.ts';
import type { Decision, Entry, Journal } from '../../once/journal/journal.ts';
import { counted, formatAmountOf } from '../../once/phrases.ts';
import { type Suggestion, withFullStop } from '../../once/sentence.ts';
import type { App } from '../app.ts';
import { whoDecides } from '../open/journal.ts';
import type { Run } from '../parse/command.ts';
import { confirmed, decideEach, reasonOf, reversing } from '../run/deciding.ts';
import { combineExits, storedReport } from '../run/stored.ts';
import { tellProblem, tellRow } from '../run/telling.ts';
import { labelled, remark } from '../show/card.ts';
import type { LabelCanvas, Question } from '../show/display.ts';
import { amountIn, drawEntry, requestOf } from '../show/entry.ts';
import { decisionLines } from '../show/report.ts';
import { pad, widthsFor } from '../show/table.ts';
import { safeLine } from '../show/text.ts';
import { paidBeforeWords, whyTheyWait } from '../wording/outcomes.ts';
import { noTerminalFor, problemOf } from '../wording/problem.ts';
import { optionWords } from '../wording/suggest.ts';
import type { ApproveArgs, DeclineArgs } from './approve.spec.ts';

type Kind = 'approved' | 'declined';
type DecideArgs = ApproveArgs | DeclineArgs;

export const approve: Run<ApproveArgs> = (app) => decide('approved', 'botctl approve', app);

export const decline: Run<DeclineArgs> = (app) => decide('declined', reasonOf(app.args), app);

/** Needs only the journal, and sends nothing. */
async function decide(kind: Kind, reason: string, app: App<DecideArgs>): Promise<Exit> {
  app.settings();
  const batch = app.args.text('batch');
  if ((batch === undefined) === (app.args.words.length === 0))
    throw failureWith(
      'usage',
    )`${batch === undefined ? 'No payment is named' : 'Both IDs and --batch are given'}
      Give IDs, or --batch with a name. This lists what waits:
      $ history --state held`;
  const said = { kind, who: whoDecides(), reason, signature: undefined };
  if (batch !== undefined) return decideBatch(batch, said, app);
  return decideEach(app, async (asShown, journal, asks, decides) => {
    if (kind === 'approved') await confirmApproval(asShown.entry, app, journal);
    else await confirmDecline(asShown.entry, asks, app, journal);
    decides();
    return decideProposal(asShown, { ...said, atMs: journal.clock.now() }, journal);
  });
}

/** Shows the whole proposal, and who made it, before it is approved. */
async function confirmApproval(entry: Entry, app: App<DecideArgs>, { reads, clock }: Journal): Promise<void> {
  const { id } = entry;
  if (!isProposal(entry) && !isApprovedAndUnsent(entry)) return;
  const decisions = await reads.decisionsOf(id);
  const nobody = (): Failure => waitsFor(`Transfer ${id} waits`, ['history', id]);
  const before = await reads.paidBefore(String(requestOf(entry).to_address));
  const paidBefore = paidBeforeWords(before, clock.now());
  await confirmed((canvas) => drawProposal(entry, { decisions, paidBefore }, canvas), app, nobody);
}

function waitsFor(what: string, looks: Suggestion): Failure {
  return noTerminalFor('held', `${what} for approval`, [looks]);
}

type OfProposal = { readonly decisions: readonly Decision[]; readonly paidBefore: string };

function drawProposal(entry: Entry, { decisions, paidBefore }: OfProposal, canvas: LabelCanvas): string {
  const { id } = entry;
  const lines = labelled(decisionLines(decisions), canvas);
  const standing = isProposal(entry) ? 'is waiting for your approval' : 'is approved, and not sent';
  return `${drawEntry(entry, canvas, { paidBefore })}${lines}${remark(`Transfer ${id} ${standing}.`, canvas)}Approve it?`;
}

async function confirmDecline(
  entry: Entry,
  asks: boolean,
  app: App<DecideArgs>,
  { reads }: Journal,
): Promise<void> {
  const approved = isApprovedAndUnsent(entry)
    ? (await reads.decisionsOf(entry.id)).findLast(({ kind }) => kind === 'approved')
    : undefined;
  if (asks || approved !== undefined) await confirmed(reversing(entry, approved, 'Decline it now?'), app);
}

const decidedTogether = 256;

/** Decides about all waiting rows of a batch, shown as one table. */
async function decideBatch(
  name: string,
  said: Omit<Decision, 'atMs' | 'kind'> & { readonly kind: Kind },
  app: App<DecideArgs>,
): Promise<Exit> {
  const { display } = app;
  const journal = await app.journal('send');
  const rows = await waitingRows(name, journal);
  const [word, those] = [said.kind === 'approved' ? 'Approve' : 'Decline', rows.length === 1 ? 'it' : 'them'];
  if (rows.length === 0) {
    display.notice(`No row of batch ${name} waits for approval.`);
    return 0;
  }
  const entries = rows.map(({ entry }) => entry);
  const table = await tableOf(entries, journal);
  const why = await whyTheyAllWait(entries, journal);
  const question: Question = (canvas) =>
    `${labelled([['Bot', [...new Set(entries.map(({ bot }) => bot))].join(', ')]], canvas)}${table}${why.map((one) => remark(one, canvas)).join('')}${sumOf(entries)}\n${word} ${those}?`;
  const looks = ['history', ...optionWords({ name: 'batch', value: name }), '--state', 'held'];
  const nobody = (): Failure => waitsFor(`${counted(rows.length, 'row')} of batch ${name} wait`, looks);
  await confirmed(question, app, nobody);
  const exits: Exit[] = [];
  const done: Entry[] = [];
  app.doing.hasChanged = true;
  for (let at = 0; at < rows.length; at += decidedTogether) {
    const page = rows.slice(at, at + decidedTogether);
    const decision = { ...said, atMs: journal.clock.now() };
    for (const end of await decideProposals(page, decision, journal)) {
      if (end.status === 'rejected') {
        const failure = asFailure(end.reason);
        if (stopsAll(failure.code)) throw failure;
        exits.push(await tellProblem(app.args.command, problemOf(failure), display));
        continue;
      }
      done.push(end.value);
      await tellRow(await storedReport(end.value, app.args.command, journal.reads), display);
    }
  }
  if (done.length > 0) exits.push(0);
  if (done.length > 0 && !display.quiet) display.notice(...approvedRows(said.kind, name, sumOf(done)));
  return combineExits(exits);
}

async function waitingRows(name: string, { reads, place }: Journal): Promise<readonly EntryAsShown[]> {
  const rows: EntryAsShown[] = [];
  const selection = {
    batch: name,
    states: ['held'],
    oldestFirst: true,
    limit: Number.MAX_SAFE_INTEGER,
  } as const;
  for await (const entry of reads.select(selection))
    if (isProposal(entry)) rows.push(await shownNow(entry.id, reads));
  if (rows.length === 0 && (await reads.rowsStanding(name)).length === 0)
    throw failureWith('no-such-batch')`There is no batch ${JSON.stringify(name)} in the journal ${place}
      Give the whole name of the batch. This lists all batches:
      $ batch status`;
  return rows;
}

const together = 256;
const addressWidth = 44;

/**
 * Shows whole addresses, in 80 columns. The row's `name` and `note` come from the proposer; how often the address was
 * paid comes from this journal.
 */
async function tableOf(entries: readonly Entry[], { reads }: Journal): Promise<string> {
  // Rows of one batch name may belong to several bots.
  const isOfSeveral = new Set(entries.map(({ bot }) => bot)).size > 1;
  const times = new Map<string, number>();
  const addresses = [...new Set(entries.map((entry) => String(requestOf(entry).to_address)))];
  for (let at = 0; at < addresses.length; at += together)
    await Promise.all(
      addresses.slice(at, at + together).map(async (to) => times.set(to, (await reads.paidBefore(to)).times)),
    );
  const cells = entries.map((entry) => {
    const request = requestOf(entry);
    const to = String(request.to_address);
    const count = times.get(to) ?? 0;
    const paid = count === 0 ? 'never' : counted(count, 'time');
    const bot = isOfSeveral ? [entry.bot] : [];
    return [entry.rowId ?? entry.id, amountIn(request) ?? '', to, paid, ...bot].map(safeLine);
  });
  const lines = [['ROW', 'AMOUNT', 'TO', 'PAID BEFORE', ...(isOfSeveral ? ['BOT'] : [])], ...cells];
  const widthOf = await widthsFor(lines.flat());
  const widest = (column: number): number => Math.max(...lines.map((line) => widthOf(line[column] ?? '')));
  const widths = [widest(0), widest(1), Math.min(widest(2), addressWidth), isOfSeveral ? widest(3) : 0];
  const drawn = lines.map((line) =>
    line.map((cell, column) => pad(cell, widths[column] ?? 0, widthOf)).join('  '),
  );
  return drawn.map((line) => `  ${line}\n`).join('');
}

/** Each reason once, with its number of rows. */
async function whyTheyAllWait(entries: readonly Entry[], { reads }: Journal): Promise<readonly string[]> {
  const rows = new Map<string, number>();
  for (const { id } of entries) {
    const proposal = await lastProposal(id, reads);
    if (proposal !== undefined) addCount(rows, whyTheyWait(proposal));
  }
  return [...rows].map(([why, count]) => withFullStop(`${counted(count, 'row')} ${why}`));
}

/** `5 rows, 12 SOL, 40 USDC`. */
function sumOf(entries: readonly Entry[]): string {
  const sums = new Map<string, MinorUnits>();
  for (const entry of entries) {
    const { asset, amount } = requestOf(entry);
    const before = sums.get(String(asset));
    const paid = minorUnits(String(amount));
    sums.set(String(asset), before === undefined ? paid : addAmounts(before, paid));
  }
  const amounts = [...sums].map(([asset, sum]) => safeLine(formatAmountOf(formatAmount(sum), asset)));
  return [counted(entries.length, 'row'), ...amounts].join(', ');
}

/** The last line about a batch: the sum, and how to send the payments. */
function approvedRows(kind: 'approved' | 'declined', name: string, sum: string): [string, Suggestion[]] {
  if (kind === 'declined') return [`Declined: ${sum}. Nothing was sent.`, []];
  return [
    `Approved: ${sum}. Nothing was sent yet. To send it, run the command of batch ${name} again, or this, which also sends what is unknown again:`,
    [['resume', '--all']],
  ];
}
