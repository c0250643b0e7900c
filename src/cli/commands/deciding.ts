import { isApprovedAndUnsent } from '../../once/engine/approval.ts';
import { isStillToFillIn } from '../../once/engine/deciding.ts';
import { type Shown, shownNow } from '../../once/engine/shown.ts';
import { asFailure, type Exit, exitOf, Failure, told } from '../../once/failures.ts';
import type { Decision, Entry, Journal } from '../../once/journal/journal.ts';
import type { Suggestion } from '../../once/says.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { didWords } from '../say/history.ts';
import { makes } from '../say/outcomes.ts';
import { declined, problemOf } from '../say/told.ts';
import { remark } from '../show/card.ts';
import type { Question } from '../show/display.ts';
import { drawEntry, outcomeView } from '../show/report.ts';
import { openJournalOf, whileOpen } from './openJournal.ts';
import { combineExits, entryByIdOrName, markReported, storedReport } from './stored.ts';
import { errorJson } from './telling.ts';

/** Decides about what was shown, and returns how it stands then. `decides` says that the commit is next. */
type Decide = (shown: Shown, journal: Journal, asks: boolean, decides: () => void) => Promise<Entry>;

/** Decides about each entry that the arguments name. A failure of one does not keep it from the others. */
export async function decideEach(given: ParsedArgs<'yes'>, context: Context, decide: Decide): Promise<Exit> {
  return whileOpen(openJournalOf(given, context, 'send'), async (journal) => {
    const exits: Exit[] = [];
    for (const beginning of given.args)
      exits.push(await decideOne(beginning, decide, given, context, journal));
    return combineExits(exits);
  });
}

async function decideOne(
  beginning: string,
  decide: Decide,
  given: ParsedArgs<'yes'>,
  context: Context,
  journal: Journal,
): Promise<Exit> {
  const { display } = context;
  let mayBeDecided = false;
  try {
    const found = await entryByIdOrName(beginning, journal);
    if (given.flag('yes') || display.terminal() === 'none') refuseAbbreviated(found, given);
    const decides = (): void => {
      mayBeDecided = true;
    };
    const entry = await untilUnchanged(found, given, context, journal, (shown, isAgain) =>
      decide(shown, journal, isAgain || !given.args.includes(found.id), decides),
    );
    const written = await display.show(outcomeView(await storedReport(entry, given.command, journal.reads)));
    if (entry.resolvedAs === 'did-not-happen' && !display.quiet) display.notice(mayBeSentNow(entry));
    if (isApprovedAndUnsent(entry) && !display.quiet) display.notice(...howToSend(entry));
    if (written === 'written' && entry.resolvedAs === 'happened') await markReported(entry, journal, context);
    return 0;
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure.code === 'bug' || failure.code === 'stdout-not-writable') throw failure;
    // The engine refuses before it decides. After any other failure of its commit, nobody knows.
    const begun = mayBeDecided && asFailure(thrown).room !== 'engine';
    const problem = problemOf(failure, { does: context.doing.does, begun });
    await display.fail(problem, errorJson(given.command, problem));
    return exitOf(failure.code);
  }
}

/** What has changed while it was decided about is shown again, where there is somebody to ask. */
export async function untilUnchanged<Result>(
  { id }: Entry,
  given: ParsedArgs<'yes'>,
  { display }: Pick<Context, 'display'>,
  { reads }: Journal,
  decide: (shown: Shown, isAgain: boolean) => Promise<Result>,
): Promise<Result> {
  for (let isAgain = false; ; isAgain = true) {
    try {
      return await decide(await shownNow(id, reads), isAgain);
    } catch (thrown) {
      const isChanged = thrown instanceof Failure && thrown.kind === 'changed-since-shown';
      if (!isChanged || given.flag('yes') || display.terminal() === 'none') throw thrown;
      display.notice(asFailure(thrown).message);
    }
  }
}

/** Nobody sees what a key, or the beginning of an ID, stands for: it may be another entry's key. */
export function refuseAbbreviated(entry: Entry, { args }: ParsedArgs): void {
  if (args.length > 0 && !args.includes(entry.id)) throw idNotWhole(entry);
}

/** Goes on with --yes, or when a person says Yes. Where nobody can be asked, `nobody` says why not. */
export async function confirmed(
  question: Question,
  nobody: () => Failure,
  given: ParsedArgs<'yes'>,
  { display }: Pick<Context, 'display'>,
): Promise<void> {
  if (given.flag('yes')) return;
  if (display.terminal() === 'none') throw nobody();
  if (!(await display.confirm(question))) throw declined();
}

/** A name is only taken where a person is shown what it stands for, and says so. */
export async function confirmName(
  entry: Entry,
  given: ParsedArgs<'yes'>,
  context: Pick<Context, 'display'>,
): Promise<void> {
  if (given.args.length === 0 || given.args.some((text) => isOf(entry, text))) return;
  if (given.flag('yes')) throw idNotWhole(entry);
  const question: Question = (canvas) => `${drawEntry(entry, canvas)}${askWhetherThis}`;
  await confirmed(question, () => idNotWhole(entry), given, context);
}

function isOf({ id }: Entry, text: string): boolean {
  return id.startsWith(text);
}

/** Why it is decided so. */
export function reasonOf(given: ParsedArgs<'reason'>): string {
  const reason = given.text('reason')?.trim() ?? '';
  if (reason === '')
    throw told('usage')`A decision needs a reason
      Add --reason "what you saw, or why you decided this".`;
  if (isStillToFillIn(reason))
    throw told('usage')`The reason still says "${reason}"
      Replace it with what you saw, or why you decided this.`;
  return reason;
}

/** Asks a person, where there is one. */
export async function confirmDecision(
  question: () => Question | Promise<Question>,
  given: ParsedArgs<'yes'>,
  { display }: Pick<Context, 'display'>,
): Promise<void> {
  if (given.flag('yes') || display.terminal() === 'none') return;
  if (!(await display.confirm(await question()))) throw declined();
}

/** What was decided, and the question whether to decide otherwise now. */
export function reversing(entry: Entry, earlier: Decision | undefined, ask: string): Question {
  return (canvas) => {
    const decided = earlier === undefined ? '' : remark(earlierDecision(earlier), canvas);
    return `${drawEntry(entry, canvas)}${decided}${ask}`;
  };
}

const askWhetherThis = 'Do you mean this entry?';

/** What an operator frees by deciding so. */
function mayBeSentNow({ kind }: Pick<Entry, 'kind'>): string {
  return `The original command, if run again, now ${makes[kind]} this ${kind}.`;
}

function idNotWhole({ id }: Pick<Entry, 'id'>): Failure {
  return told('usage')`Without a question, only a whole ID is taken, and this one stands for entry ${id}
    Give the whole ID. This shows the entry:
    $ history ${id}`;
}

/** The last line of an approval. */
function howToSend({ id, kind, rowId }: Pick<Entry, 'id' | 'kind' | 'rowId'>): [string, Suggestion[]] {
  const own = rowId === undefined ? 'its own command' : 'the command of its batch';
  return [`Nothing was sent yet. To send the ${kind}, run ${own} again, or:`, [['resume', id]]];
}

function earlierDecision({ who, kind, reason }: Pick<Decision, 'who' | 'kind' | 'reason'>): string {
  return `${who} ${didWords[kind]} ("${reason}").`;
}
