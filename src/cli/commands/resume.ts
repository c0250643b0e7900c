import { refuseProposal } from '../../once/engine/resume.ts';
import { isApprovedAndUnsent } from '../../once/engine/standing.ts';
import { type Failure, failureWith } from '../../once/failures.ts';
import type { Decision, Entry, Journal, State } from '../../once/journal/journal.ts';
import { counted } from '../../once/phrases.ts';
import type { Suggestion } from '../../once/sentence.ts';
import type { App } from '../app.ts';
import { whoDecides } from '../open/journal.ts';
import type { Run } from '../parse/command.ts';
import { confirmName, refuseAbbreviated } from '../run/deciding.ts';
import { entriesOf, sendStored } from '../run/sendStored.ts';
import { remark } from '../show/card.ts';
import type { Question } from '../show/display.ts';
import { drawEntry } from '../show/entry.ts';
import { titleOf } from '../wording/entry.ts';
import { done } from '../wording/outcomes.ts';
import { noTerminalFor } from '../wording/problem.ts';
import type { ResumeArgs } from './resume.spec.ts';

export const run: Run<ResumeArgs> = async (app) => {
  app.settings();
  refuseMixedUp(app.args);
  return sendStored(
    {
      select: (journal) =>
        app.args.flag('all') ? resumable(app, journal) : entriesOf(app.args.words, journal),
      decide: async (entry, journal, balance) => {
        refuseProposal(entry);
        if (entry.state === 'held') return confirmSendAgain(entry, balance, app, journal);
        await confirmName(entry, app);
        return undefined;
      },
    },
    app,
  );
};

function refuseMixedUp(args: ResumeArgs): void {
  const all = args.flag('all');
  if (all === args.words.length > 0) throw whichToResume(all);
  if (args.flag('held') && !all)
    throw failureWith('usage')`--held works only with --all
      To send a single held entry again, give only its ID.`;
}

/** Entries that may have happened or were approved, oldest first. Other `open` entries wait for their own command. */
async function resumable(app: App<ResumeArgs>, journal: Journal): Promise<Entry[]> {
  const { display } = app;
  const { reads, commit, clock } = journal;
  const states: State[] = [
    'open',
    'sending',
    'unknown',
    ...(app.args.flag('held') ? (['held'] as const) : []),
  ];
  const selected: Entry[] = [];
  for await (const entry of reads.select({ states, limit: Number.MAX_SAFE_INTEGER })) {
    const { id, state } = entry;
    if (state === 'open' && !isApprovedAndUnsent(entry)) continue;
    if (state === 'sending') await commit((tx) => tx.recordDeath(id, clock.now()));
    if (state !== 'sending' || (await reads.get(id))?.state !== 'sending') selected.push(entry);
  }
  if (selected.length === 0) display.notice(...nothingToResume(await reads.stateCounts()));
  return selected.reverse();
}

/** Sending a held entry again is an operator's decision, and is stored as one. */
async function confirmSendAgain(
  entry: Entry,
  balance: () => Promise<string | undefined>,
  app: App<ResumeArgs>,
  journal: Journal,
): Promise<Decision | undefined> {
  const { display } = app;
  if (app.args.flag('yes')) refuseAbbreviated(entry, app.args);
  else {
    if (display.terminal() === 'none')
      throw noTerminalFor('held', `${titleOf(entry)} may have happened`, [['history', entry.id]]);
    // The balance is needed only for the question.
    const held = display.terminal() === 'foreground' ? await balance() : undefined;
    const question: Question = (canvas) => {
      return `${drawEntry(entry, canvas, { balance: held })}${remark(`${titleOf(entry)} may have been ${done[entry.kind]}.`, canvas)}Send it again, unchanged?`;
    };
    if (!(await display.confirm(question))) return undefined;
  }
  return {
    kind: 'send-again',
    who: whoDecides(),
    atMs: journal.clock.now(),
    reason: 'botctl resume',
    signature: undefined,
  };
}

/** Also names entries that the person may have meant: open ones need their own command, held ones a decision. */
function nothingToResume({ open = 0, held = 0 }: Readonly<Record<string, number>>): [string, Suggestion[]] {
  const left = [
    ...(open === 0
      ? []
      : [
          `${counted(open, 'entry is open and was', 'entries are open and were')} never sent: run ${open === 1 ? 'its own command' : 'their own commands'} again.`,
        ]),
    ...(held === 0 ? [] : [`${counted(held, 'entry is', 'entries are')} held, waiting for you to decide.`]),
  ];
  const next: Suggestion[] = Object.entries({ open, held }).flatMap(([state, count]) =>
    count === 0 ? [] : [['history', '--state', state]],
  );
  return [['There is nothing to resume.', ...left].join(' '), next];
}

function whichToResume(isBoth: boolean): Failure {
  const give = isBoth ? 'Both IDs and --all are given' : 'No entry is named';
  return failureWith('usage')`${give}
    Give IDs, or --all. This lists what may have happened:
    $ history --state unknown`;
}
