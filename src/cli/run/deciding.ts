import { type EntryAsShown, shownNow } from '../../once/engine/asShown.ts';
import { isStillToFillIn } from '../../once/engine/decisionWords.ts';
import { isApprovedAndUnsent } from '../../once/engine/standing.ts';
import { asFailure, type Exit, Failure, failureWith } from '../../once/failures.ts';
import type { Decision, Entry, Journal } from '../../once/journal/journal.ts';
import type { Suggestion } from '../../once/sentence.ts';
import type { App } from '../app.ts';
import type { Args } from '../parse/args.ts';
import { remark } from '../show/card.ts';
import type { Question } from '../show/display.ts';
import { drawEntry } from '../show/entry.ts';
import { outcomeView } from '../show/report.ts';
import { didWords } from '../wording/history.ts';
import { makes } from '../wording/outcomes.ts';
import { answeredNo, problemOf } from '../wording/problem.ts';
import { combineExits, entryByIdOrName, markReported, storedReport } from './stored.ts';
import { tellProblem } from './telling.ts';

/** Decides about the entry as it was shown, and returns its new state. Calls `decides` just before the commit. */
type Decide = (asShown: EntryAsShown, journal: Journal, asks: boolean, decides: () => void) => Promise<Entry>;

/** Decides about each entry that the arguments name. A failure of one does not stop the others. */
export async function decideEach(app: App<Args<'yes'>>, decide: Decide): Promise<Exit> {
  const journal = await app.journal('send');
  const exits: Exit[] = [];
  for (const beginning of app.args.words) exits.push(await decideOne(beginning, decide, app, journal));
  return combineExits(exits);
}

async function decideOne(
  beginning: string,
  decide: Decide,
  app: App<Args<'yes'>>,
  journal: Journal,
): Promise<Exit> {
  const { display } = app;
  let mayBeDecided = false;
  try {
    const named = await entryByIdOrName(beginning, journal);
    if (app.args.flag('yes') || display.terminal() === 'none') refuseAbbreviated(named, app.args);
    const decides = (): void => {
      mayBeDecided = true;
    };
    const entry = await untilUnchanged(named, app, journal, (asShown, isAgain) =>
      decide(asShown, journal, isAgain || !app.args.words.includes(named.id), decides),
    );
    const written = await display.show(
      outcomeView(await storedReport(entry, app.args.command, journal.reads)),
    );
    if (entry.resolvedAs === 'did-not-happen' && !display.quiet)
      display.notice(
        `If you run the original command again, it now ${makes[entry.kind]} this ${entry.kind}.`,
      );
    if (isApprovedAndUnsent(entry) && !display.quiet) display.notice(...howToSend(entry));
    if (written === 'written' && entry.resolvedAs === 'happened') await markReported(entry, journal, display);
    return 0;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.code === 'bug' || failure.code === 'stdout-not-writable') throw failure;
    // A refusal by the engine comes before the decision. After any other failure, it may have been committed.
    const begun = mayBeDecided && asFailure(thrown).room !== 'engine';
    const problem = problemOf(failure, { does: app.doing.does, begun });
    return tellProblem(app.args.command, problem, display);
  }
}

/** If the entry changed during the question, shows it again and asks again, if somebody can be asked. */
export async function untilUnchanged<Result>(
  { id }: Entry,
  app: App<Args<'yes'>>,
  { reads }: Journal,
  decide: (asShown: EntryAsShown, isAgain: boolean) => Promise<Result>,
): Promise<Result> {
  const { display } = app;
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await decide(await shownNow(id, reads), isAgain);
    } catch (thrown) {
      const isChanged = thrown instanceof Failure && thrown.kind === 'changed-since-shown';
      if (!isChanged || app.args.flag('yes') || display.terminal() === 'none') throw thrown;
      display.notice(asFailure(thrown).message);
    }
  }
}

/** Without a question nobody sees which entry a name or the beginning of an ID means: it may be the wrong one. */
export function refuseAbbreviated(entry: Entry, { words }: Args): void {
  if (words.length > 0 && !words.includes(entry.id)) throw idNotWhole(entry);
}

/** Continues with --yes or after a Yes. Without a terminal it throws `nobody()`; without `nobody` it continues. */
export async function confirmed(
  question: Question,
  { args, display }: App<Args<'yes'>>,
  nobody?: () => Failure,
): Promise<void> {
  if (args.flag('yes')) return;
  if (display.terminal() === 'none') {
    if (nobody !== undefined) throw nobody();
  } else if (!(await display.confirm(question))) throw answeredNo();
}

/** A name is accepted only if a person sees its entry and confirms it. */
export async function confirmName(entry: Entry, app: App<Args<'yes'>>): Promise<void> {
  if (app.args.words.length === 0 || app.args.words.some((text) => entry.id.startsWith(text))) return;
  if (app.args.flag('yes')) throw idNotWhole(entry);
  const question: Question = (canvas) => `${drawEntry(entry, canvas)}Do you mean this entry?`;
  await confirmed(question, app, () => idNotWhole(entry));
}

export function reasonOf(args: Args<'reason'>): string {
  const reason = args.text('reason')?.trim() ?? '';
  if (reason === '')
    throw failureWith('usage')`A decision needs a reason
      Add --reason "what you saw, or why you decided this".`;
  if (isStillToFillIn(reason))
    throw failureWith('usage')`The reason still says "${reason}"
      Replace it with what you saw, or why you decided this.`;
  return reason;
}

/** Shows the entry and any earlier decision, then asks. */
export function reversing(entry: Entry, earlier: Decision | undefined, ask: string): Question {
  return (canvas) => {
    const said = earlier && `${earlier.who} ${didWords[earlier.kind]} ("${earlier.reason}").`;
    return `${drawEntry(entry, canvas)}${said === undefined ? '' : remark(said, canvas)}${ask}`;
  };
}

function idNotWhole({ id }: Pick<Entry, 'id'>): Failure {
  return failureWith(
    'usage',
  )`Without a question, botctl takes only a whole ID, and this one stands for entry ${id}
    Give the whole ID. This shows the entry:
    $ history ${id}`;
}

/** The note after an approval: how to send the payment. */
function howToSend({ id, kind, rowId }: Pick<Entry, 'id' | 'kind' | 'rowId'>): [string, Suggestion[]] {
  const own = rowId === undefined ? 'its own command' : 'the command of its batch';
  return [`Nothing was sent yet. To send the ${kind}, run ${own} again, or:`, [['resume', id]]];
}
