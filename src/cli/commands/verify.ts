import { chainViewOf } from '../../chain/paidAgain.ts';
import {
  type ChainVerdict,
  type ChainView,
  isFinalMatch,
  isPaidAgain,
  isUndecided,
  latestView,
  wasRepeated,
} from '../../chain/verdict.ts';
import { type Verified, verifyEach } from '../../chain/verify.ts';
import { isUnsent } from '../../once/engine/standing.ts';
import { type Exit, Failure, type FailureCode, failureWith, interrupted } from '../../once/failures.ts';
import type { Entry, Journal } from '../../once/journal/journal.ts';
import { counted } from '../../once/phrases.ts';
import type { App } from '../app.ts';
import { type Moment, msOf, parseMoment } from '../bot/settings.ts';
import type { Run } from '../parse/command.ts';
import { type ChainsOfEntries, chainsOfEntries, searchOf, tellSearch } from '../run/chain.ts';
import { entryByIdOrName, noteDeaths, storedReport, withChain } from '../run/stored.ts';
import { tellEnd, tellOne, tellRow } from '../run/telling.ts';
import { card } from '../show/card.ts';
import type { Report } from '../show/report.ts';
import { type ChainCounts, someUnproven } from '../wording/chain.ts';
import { notAMoment } from '../wording/history.ts';
import { type Problem, problemOf } from '../wording/problem.ts';
import type { VerifyArgs } from './verify.spec.ts';

export const run: Run<VerifyArgs> = async (app) => {
  const options = verifyOptions(app.args);
  if (options.is === 'wallet') return (await import('./verifyWallet.ts')).verifyWallet(options.since, app);
  const journal = await app.journal('send');
  // A payment whose process was killed is in doubt.
  await noteDeaths(journal, app);
  const verifying: Verifying = { app, journal, chains: chainsOfEntries(app) };
  return options.is === 'all' ? verifyAll(options, verifying) : verifyNamed(verifying);
};

type Verifying = {
  readonly app: App<VerifyArgs>;
  readonly journal: Journal;
  readonly chains: ChainsOfEntries;
};

async function verifyNamed(verifying: Verifying): Promise<Exit> {
  const { app, journal, chains } = verifying;
  const entries: Entry[] = [];
  for (const beginning of app.args.words) entries.push(await transferById(beginning, journal));
  const exits: Exit[] = [];
  // Several are looked up at a time: if one fails, others may already be decided.
  app.doing.hasChanged = true;
  await verifyEach(entries, chains, journal, async (verified) => {
    exits.push(await tellNamed(verified, verifying));
  });
  return worst(exits);
}

async function transferById(beginning: string, journal: Journal): Promise<Entry> {
  const entry = await entryByIdOrName(beginning, journal);
  if (entry.kind !== 'transfer')
    throw failureWith('not-allowed-now')`Entry ${entry.id} is a message, and a chain shows only transfers
      Name a transfer.`;
  if (isUnsent(entry))
    throw failureWith('not-allowed-now')`Transfer ${entry.id} was never sent, so the chain has nothing to show
      See what it waits for:
      $ history ${entry.id}`;
  return entry;
}

const pageLength = 256;

async function verifyAll({ since }: Since, verifying: Verifying): Promise<Exit> {
  const { app, journal, chains } = verifying;
  const { display, interrupts } = app;
  const sinceMs = since && msOf(since, journal.clock.now());
  const counts: Counts = { proven: 0, likely: 0, contradicted: 0, undecided: 0 };
  const left = { contradicted: 0, paidAgain: 0, undecided: 0 };
  const nodeless: Nodeless = new Map();
  let done = 0;
  app.doing.hasChanged = true;
  const stop = display.watched ? display.meter(() => `${done} verified`) : (): void => {};
  try {
    for await (const page of openPages(journal, sinceMs)) {
      if (interrupts.first.aborted) break;
      await verifyEach(await withNodes(page, nodeless, verifying), chains, journal, async (verified) => {
        done += 1;
        const as = countedAs(verified);
        counts[as] = (counts[as] ?? 0) + 1;
        const report = await reportOn(verified, verifying);
        await tellRow(report, display);
        if (report.problem !== undefined) left[kindOf(report.problem)] += 1;
      });
    }
  } finally {
    stop();
  }
  if (interrupts.first.aborted) throw interrupted('before every transfer was verified');
  let notSeen = 0;
  for (const [failure, transfers] of nodeless) {
    const isGone = failure.code === 'no-such-profile';
    if (done === 0 && !isGone) throw failure;
    notSeen += transfers;
    if (!isGone) left.undecided += transfers;
    const problem = problemOf(failure);
    display.warn(notLookedUp(transfers, problem), problem.next);
  }
  if (done + notSeen === 0) display.notice('Every transfer has its final answer.');
  const isClean = left.contradicted + left.paidAgain + left.undecided === 0;
  const failing = isClean ? undefined : someUnproven(left, done + notSeen === 1 ? 'one' : 'several');
  const all = notSeen === 0 ? counts : { ...counts, not_looked_up: notSeen };
  const view = card(app.args.command, verifiedSummary(all), [['', undefined, { verified: all }]]);
  return tellEnd(view, failing, display);
}

/** How many transfers each failure kept from being looked up. */
type Nodeless = Map<Failure, number>;

/** Failures that affect only one bot's transfers. */
const ofOneBot: readonly FailureCode[] = [
  'no-rpc-url',
  'no-such-profile',
  'bad-rpc-url',
  'other-cluster',
  'bot-moved',
];

/** The transfers that a node can look up. A bot without a node must not block the others. */
async function withNodes(
  entries: readonly Entry[],
  nodeless: Nodeless,
  { chains, app }: Verifying,
): Promise<Entry[]> {
  const withNode: Entry[] = [];
  for (const entry of entries) {
    try {
      await chains.of(entry);
      withNode.push(entry);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !ofOneBot.includes(thrown.code)) throw thrown;
      // If --profile names a missing profile, the command itself is wrong.
      if (thrown.code === 'no-such-profile' && app.args.text('profile') !== undefined) throw thrown;
      nodeless.set(thrown, (nodeless.get(thrown) ?? 0) + 1);
    }
  }
  return withNode;
}

type Counts = Record<ChainVerdict, number> & { paid_again?: number };

function countedAs({ view }: Verified): keyof Counts {
  if (isPaidAgain(view)) return 'paid_again';
  return view.verdict === 'likely' && !isFinalMatch(view) ? 'undecided' : view.verdict;
}

function kindOf({ code }: Problem): keyof ChainCounts {
  if (code === 'paid-more-than-once') return 'paidAgain';
  return code === 'contradicted' ? 'contradicted' : 'undecided';
}

/** Whether another look would change nothing. A contradicted transfer is reported each time. */
function isFinal(entry: Entry, view: ChainView): boolean {
  if (isUndecided(entry)) return false;
  // The other payments are stored once no more can appear.
  if (view.verdict === 'proven' && wasRepeated(entry)) return view.payments !== undefined;
  return isFinalMatch(view);
}

/** Transfers without a final verdict, a page at a time, newest first. */
async function* openPages(journal: Journal, sinceMs: number | undefined): AsyncGenerator<Entry[]> {
  let page: Entry[] = [];
  const selection = {
    kind: 'transfer',
    states: ['accepted', 'unknown', 'held'],
    limit: Number.MAX_SAFE_INTEGER,
    ...(sinceMs === undefined ? {} : { sinceMs }),
  } as const;
  for await (const entry of journal.reads.select(selection)) {
    if (isUnsent(entry)) continue;
    const view = latestView(await journal.reads.observationsOf(entry.id));
    const whole = wasRepeated(entry) ? await chainViewOf(entry, journal.reads) : view;
    if (view !== undefined && isFinal(entry, view) && !isPaidAgain(whole)) continue;
    page.push(entry);
    if (page.length < pageLength) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function reportOn({ entry, view }: Verified, { app, journal }: Verifying): Promise<Report> {
  return withChain(await storedReport(entry, app.args.command, journal.reads), view, 'finalized');
}

async function tellNamed(verified: Verified, verifying: Verifying): Promise<Exit> {
  const { app, journal, chains } = verifying;
  const report = await reportOn(verified, verifying);
  const search = await searchOf(verified.entry, chains, journal);
  if (search === undefined) return tellOne(report, app.display);
  const problem = problemOf(tellSearch(verified.entry, search, app.display));
  return tellOne({ ...report, search, problem }, app.display);
}

/** A contradiction comes first, then undecided transfers. */
function worst(exits: readonly Exit[]): Exit {
  const left = exits.filter((exit) => exit !== 0);
  if (left.includes(10)) return 10;
  const [only = 0] = left;
  return left.length > 0 && exits.length > 1 ? 11 : only;
}

type Since = { readonly since: Moment | undefined };
type VerifyOptions = { readonly is: 'named' } | ({ readonly is: 'all' | 'wallet' } & Since);

function verifyOptions(args: VerifyArgs): VerifyOptions {
  const flags = (['all', 'wallet'] as const).filter((name) => args.flag(name));
  const [is, ...more] = args.words.length > 0 ? [...flags, 'named' as const] : flags;
  if (is === undefined || more.length > 0)
    throw failureWith(
      'usage',
    )`${is === undefined ? 'No payment is named' : 'IDs, --all and --wallet exclude each other'}
      Give IDs, or --all for every transfer without a final answer, or --wallet for what no entry has.`;
  const text = args.text('since');
  if (text !== undefined && is === 'named')
    throw failureWith('usage')`--since works only with --all or --wallet
      Add one of them, or leave it out.`;
  if (is === 'named') return { is };
  const since = text === undefined ? undefined : parseMoment(text, 'begins');
  if (text !== undefined && since === undefined) throw notAMoment('since', text);
  return { is, since };
}

/** No node could be asked about one bot's transfers; the other bots' transfers were looked up. */
function notLookedUp(transfers: number, { message, hint = '' }: Problem): string {
  const left = counted(transfers, 'transfer was', 'transfers were');
  return `${message} ${left} not looked up. ${hint.replace(/:$/u, '.')}`;
}

function verifiedSummary(counts: Readonly<Record<string, number>>): string {
  const { proven = 0, likely = 0, contradicted = 0, undecided: open = 0 } = counts;
  const { paid_again: again = 0, not_looked_up: left = 0 } = counts;
  const parts = [
    `${proven} proven`,
    ...(likely === 0 ? [] : [`${likely} likely`]),
    ...(again === 0 ? [] : [`${again} paid twice`]),
    `${contradicted} contradicted`,
    `${open} undecided`,
    ...(left === 0 ? [] : [`${left} not looked up`]),
  ];
  return `${parts.join(', ')}.`;
}
