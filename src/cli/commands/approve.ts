import { decideProposal, decideProposals } from '../../once/engine/resume.ts';
import { type Shown, shownNow } from '../../once/engine/shown.ts';
import { isApprovedAndUnsent, isProposal } from '../../once/engine/standing.ts';
import { addAmounts, formatAmount, type MinorUnits, minorUnits } from '../../once/entry/amount.ts';
import { asFailure, type Exit, type Failure, stopsAll, told } from '../../once/failures.ts';
import type { Decision, Entry, Journal } from '../../once/journal/journal.ts';
import { counted, formatAmountOf } from '../../once/phrases.ts';
import type { Suggestion } from '../../once/says.ts';
import type { App } from '../app.ts';
import { whoDecides } from '../open/journal.ts';
import type { Run } from '../parse/command.ts';
import { confirmed, decideEach, reasonOf, reversing } from '../run/deciding.ts';
import { combineExits, storedReport } from '../run/stored.ts';
import { tellProblem, tellRow } from '../run/telling.ts';
import { optionWords } from '../say/suggest.ts';
import { noTerminalFor, problemOf } from '../say/told.ts';
import { labelled, remark } from '../show/card.ts';
import type { LabelCanvas, Question } from '../show/display.ts';
import { drawEntry, forWhom, requestOf } from '../show/entry.ts';
import { decisionLines } from '../show/report.ts';
import { safeLine } from '../show/text.ts';
import type { ApproveArgs, DeclineArgs } from './approve.spec.ts';

type Kind = 'approved' | 'declined';
type DecideArgs = ApproveArgs | DeclineArgs;

export const approve: Run<ApproveArgs> = (app) => decide('approved', 'botctl approve', app);

export const decline: Run<DeclineArgs> = (app) => decide('declined', reasonOf(app.args), app);

/** Needs the journal and nothing else, and sends nothing. */
async function decide(kind: Kind, reason: string, app: App<DecideArgs>): Promise<Exit> {
  app.settings();
  const batch = app.args.text('batch');
  if ((batch === undefined) === (app.args.words.length === 0))
    throw told(
      'usage',
    )`${batch === undefined ? 'Nothing to decide is named' : 'Both IDs and --batch are given'}
      Give IDs, or --batch with a name. This lists what waits:
      $ history --state held`;
  const said = { kind, who: whoDecides(), reason, signature: undefined };
  if (batch !== undefined) return decideBatch(batch, said, app);
  return decideEach(app, async (shown, journal, asks, decides) => {
    if (kind === 'approved') await confirmApproval(shown.entry, app, journal);
    else await confirmDecline(shown.entry, asks, app, journal);
    decides();
    return decideProposal(shown, { ...said, atMs: journal.clock.now() }, journal);
  });
}

/** Shows all of the proposal, and who made it, before it is approved. */
async function confirmApproval(entry: Entry, app: App<DecideArgs>, { reads }: Journal): Promise<void> {
  const { id } = entry;
  if (!isProposal(entry) && !isApprovedAndUnsent(entry)) return;
  const decisions = await reads.decisionsOf(id);
  const nobody = (): Failure => waitsFor(`Transfer ${id} waits`, ['history', id]);
  await confirmed((canvas) => drawProposal(entry, decisions, canvas), app, nobody);
}

function waitsFor(what: string, looks: Suggestion): Failure {
  return noTerminalFor('held', `${what} for approval`, [looks]);
}

function drawProposal(entry: Entry, decisions: readonly Decision[], canvas: LabelCanvas): string {
  const { id } = entry;
  const lines = labelled(decisionLines(decisions), canvas);
  const standing = isProposal(entry) ? 'is waiting for your approval' : 'is approved, and not sent';
  return `${drawEntry(entry, canvas)}${lines}${remark(`Transfer ${id} ${standing}.`, canvas)}Approve it?`;
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

/** All rows that wait, shown as one table. */
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
  const question: Question = () => `${tableOf(entries)}${sumOf(entries)}\n${word} ${those}?`;
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

async function waitingRows(name: string, { reads, place }: Journal): Promise<readonly Shown[]> {
  const rows: Shown[] = [];
  const selection = {
    batch: name,
    states: ['held'],
    oldestFirst: true,
    limit: Number.MAX_SAFE_INTEGER,
  } as const;
  for await (const entry of reads.select(selection))
    if (isProposal(entry)) rows.push(await shownNow(entry.id, reads));
  if (rows.length === 0 && (await reads.rowsStanding(name)).length === 0)
    throw told('no-such-batch')`There is no batch ${JSON.stringify(name)} in the journal ${place}
      Give the whole name of the batch. This lists all batches:
      $ batch status`;
  return rows;
}

function tableOf(entries: readonly Entry[]): string {
  return entries
    .map((entry) => {
      const { asset, amount, to_address: to } = requestOf(entry);
      const who = [entry.bot, entry.rowId, forWhom(entry)].filter((one) => one !== undefined);
      const pays = `${formatAmountOf(String(amount), String(asset))} → ${String(to)}`;
      return `  ${entry.id}  ${safeLine(pays)} [${who.map(safeLine).join(' ')}]\n`;
    })
    .join('');
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

/** The last line of what was decided of a batch. */
function approvedRows(kind: 'approved' | 'declined', name: string, sum: string): [string, Suggestion[]] {
  if (kind === 'declined') return [`Declined: ${sum}. Nothing was sent.`, []];
  return [
    `Approved: ${sum}. Nothing was sent yet: run the command of batch ${name} again, or this, which also goes on with what is unknown:`,
    [['resume', '--all']],
  ];
}
