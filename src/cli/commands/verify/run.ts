import { BatchPace } from '../../../batch/pace.ts';
import { isAgainst, isFinal, isFinalMatch, signatureIn, standingOf } from '../../../once/chain/standing.ts';
import type { ChainVerdict } from '../../../once/chain/verdict.ts';
import { type Verified, verifyEach } from '../../../once/chain/verify.ts';
import { type Exit, exitOf, Failure, type FailureCode } from '../../../once/failures.ts';
import type { Intent, Journal, Reads } from '../../../once/journal/journal.ts';
import { type Moment, parseMoment } from '../../bot/settings.ts';
import { type Context, type Run, rateOf } from '../../parse/command.ts';
import { chainWarnings, isUnsent, notDecided, personDecides, someUnproven } from '../../say/chain.ts';
import { notAMoment } from '../../say/history.ts';
import { inWords } from '../../say/inWords.ts';
import { counted } from '../../say/phrases.ts';
import { type Problem, problemOf, told } from '../../say/told.ts';
import type { View } from '../../show/display.ts';
import { outcomeView, type Report } from '../../show/report.ts';
import { type ChainsOfIntents, chainsOfIntents, isProfileGone, searchOf, tellSearch } from '../chain.ts';
import { openJournalOf, whileOpen, whoDecides } from '../openJournal.ts';
import {
  chainProblem,
  chainStandingOf,
  intentById,
  intentByIdOrName,
  markReported,
  problemAgainst,
  storedReport,
} from '../stored.ts';
import { reportJsonOrError } from '../telling.ts';
import type { VerifyArgs } from './spec.ts';

export const run: Run<VerifyArgs> = async (given, context) => {
  const options = verifyOptions(given);
  return whileOpen(openJournalOf(given, context, 'send'), async (journal) => {
    if (options.is === 'acknowledge') {
      const ids = options.all ? await idsOfGone(given, context, journal) : given.args;
      if (ids.length === 0)
        context.display.notice('Every transfer’s profile exists, so there is nothing to acknowledge.');
      return await acknowledge(ids, options.reason, given, context, journal);
    }
    const pace = new BatchPace(context.clock, options.perS);
    return whileOpen(chainsOfIntents(given, context, pace), async (chains) => {
      const verifying: Verifying = { given, context, journal, chains };
      return options.is === 'all' ? verifyAll(options, verifying) : verifyNamed(verifying);
    });
  });
};

type Verifying = {
  readonly given: VerifyArgs;
  readonly context: Context;
  readonly journal: Journal;
  readonly chains: ChainsOfIntents;
};

async function verifyNamed(verifying: Verifying): Promise<Exit> {
  const { given, context, journal, chains } = verifying;
  const intents: Intent[] = [];
  for (const beginning of given.args) intents.push(await transferById(beginning, journal));
  const exits: Exit[] = [];
  // Several are looked up at a time: when one fails, others may already be decided.
  context.doing.hasChanged = true;
  await verifyEach(intents, chains, journal, async (verified) => {
    exits.push(await tellOne(verified, verifying));
  });
  return worst(exits);
}

async function transferById(beginning: string, journal: Journal): Promise<Intent> {
  const intent = await intentByIdOrName(beginning, journal);
  if (intent.kind !== 'transfer')
    throw told('not-allowed-now')`Entry ${intent.id} is a message, and a chain shows only transfers
      Name a transfer.`;
  if (isUnsent(intent))
    throw told('not-allowed-now')`Transfer ${intent.id} was never sent, so the chain has nothing to show
      See what it waits for:
      $ history ${intent.id}`;
  return intent;
}

const pageLength = 256;

async function verifyAll({ since }: VerifyOptions & { is: 'all' }, verifying: Verifying): Promise<Exit> {
  const { context, journal, given, chains } = verifying;
  const { display, interrupts } = context;
  const sinceMs = since && sinceOf(since, journal.clock.now());
  const counts = { proven: 0, likely: 0, contradicted: 0, undecided: 0 };
  const left = { against: 0, toDecide: 0, open: 0 };
  const nodeless: Nodeless = new Map();
  let done = 0;
  context.doing.hasChanged = true;
  const stop = display.watched ? display.meter(() => `${done} verified`) : (): void => {};
  try {
    for await (const page of openPages(journal, sinceMs)) {
      if (interrupts.first.aborted) break;
      await verifyEach(await withNodes(page, nodeless, verifying), chains, journal, async (verified) => {
        done += 1;
        counts[countedAs(verified)] += 1;
        const problem = await tellRow(verified, given, context, journal);
        if (problem !== undefined) left[kindOf(problem)] += 1;
      });
    }
  } finally {
    stop();
  }
  let notSeen = 0;
  for (const [failure, transfers] of nodeless) {
    const isGone = failure.code === 'no-such-profile';
    if (done === 0 && !isGone) throw failure;
    notSeen += transfers;
    if (!isGone) left.open += transfers;
    const problem = problemOf(await inWords(failure));
    display.warn(notLookedUp(transfers, problem), problem.next);
  }
  if (done + notSeen === 0) display.notice('Every transfer has its final answer.');
  const isClean = left.against + left.toDecide + left.open === 0;
  const failing = isClean ? undefined : problemOf(someUnproven(left));
  const shown = notSeen === 0 ? counts : { ...counts, not_looked_up: notSeen };
  const view = verifiedView(given.command, shown, failing);
  if (failing === undefined) {
    await display.show(view);
    return 0;
  }
  if (display.face === 'human') await display.show(view);
  await display.fail(failing, view.json);
  return exitOf(failing.code);
}

/** Why no node can be asked about a bot's transfers, and how many transfers that affects. */
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
  intents: readonly Intent[],
  nodeless: Nodeless,
  { chains, given }: Verifying,
): Promise<Intent[]> {
  const shown: Intent[] = [];
  for (const intent of intents) {
    try {
      await chains.of(intent);
      shown.push(intent);
    } catch (thrown) {
      if (!(thrown instanceof Failure) || !ofOneBot.includes(thrown.code)) throw thrown;
      // A profile that was named, and is not there, is a mistake in this command.
      if (thrown.code === 'no-such-profile' && given.text('profile') !== undefined) throw thrown;
      nodeless.set(thrown, (nodeless.get(thrown) ?? 0) + 1);
    }
  }
  return shown;
}

function countedAs({ view }: Verified): ChainVerdict {
  return view.verdict === 'likely' && !isFinalMatch(view) ? 'undecided' : view.verdict;
}

function kindOf({ code, retry }: Problem): 'against' | 'toDecide' | 'open' {
  if (code === 'contradicted') return 'against';
  return retry === 'decide' ? 'toDecide' : 'open';
}

/** Transfers without a final verdict, a page at a time, newest first. */
async function* openPages(journal: Journal, sinceMs: number | undefined): AsyncGenerator<Intent[]> {
  let page: Intent[] = [];
  const selection = {
    kind: 'transfer',
    states: ['accepted', 'unknown', 'held'],
    limit: Number.MAX_SAFE_INTEGER,
    ...(sinceMs === undefined ? {} : { sinceMs }),
  } as const;
  for await (const intent of journal.reads.select(selection)) {
    if (isUnsent(intent)) continue;
    if (isFinal(standingOf(await journal.reads.observationsOf(intent.id)))) continue;
    page.push(intent);
    if (page.length < pageLength) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function isInDoubt({ state }: Intent): boolean {
  return state === 'unknown' || state === 'held';
}

/** What is wrong with it; undefined if it is proven or acknowledged. */
async function problemWith({ intent, view }: Verified, journal: Journal): Promise<Problem | undefined> {
  const standing = await chainStandingOf(intent, journal.reads);
  const attempt = await journal.reads.decisiveAttempt(intent.id);
  const against = chainProblem(intent, attempt, standing);
  if (against !== undefined) return against;
  if (view.verdict === 'proven' && view.earlier !== true && intent.resolvedAs === 'did-not-happen')
    return problemOf(told('contradicted', {
      next: [['resolve', intent.id, '--happened', '--overrule', '--reason', 'the chain proves it']],
    })`
      The chain proves the transfer (signature ${view.signature ?? 'unknown'}), but an operator decided that it did not happen (ID ${intent.id}).
      The same command would pay it again. Decide that it happened:`);
  if (standing.acknowledged) return undefined;
  if (isFinalMatch(view)) return isInDoubt(intent) ? problemOf(personDecides(intent, view)) : undefined;
  return isAgainst(view) ? problemAgainst(intent, view) : problemOf(notDecided(intent, view));
}

async function reportOn({ intent, view }: Verified, given: VerifyArgs, journal: Journal): Promise<Report> {
  const report = await storedReport(intent, given.command, journal.reads);
  const known = report.chain?.view === undefined ? { view, acknowledged: false } : report.chain;
  return { ...report, chain: known, warnings: chainWarnings(view) };
}

async function tellOne(verified: Verified, { given, context, journal, chains }: Verifying): Promise<Exit> {
  const { display } = context;
  const known = await reportOn(verified, given, journal);
  const search = await searchOf(verified.intent, chains, journal);
  const report = search === undefined ? known : { ...known, search };
  const problem =
    search === undefined
      ? await problemWith(verified, journal)
      : problemOf(tellSearch(verified.intent, search, display));
  for (const warning of report.warnings) display.warn(warning);
  if (problem !== undefined) {
    await display.fail(problem, await reportJsonOrError({ ...report, problem }, display));
    return exitOf(problem.code);
  }
  const written = await display.show(outcomeView(report));
  if (written === 'written') await markReported(verified.intent, journal, context);
  return 0;
}

/** One of many: always an object as JSON; a line for a person only if it is not proven. */
async function tellRow(
  verified: Verified,
  given: VerifyArgs,
  { display }: Context,
  journal: Journal,
): Promise<Problem | undefined> {
  const problem = await problemWith(verified, journal);
  if (display.face === 'json') {
    const report = await reportOn(verified, given, journal);
    const whole = problem === undefined ? report : { ...report, problem };
    await display.show({ json: await reportJsonOrError(whole, display), human: () => '' });
  } else if (problem !== undefined) display.warn(problem.message, problem.next);
  return problem;
}

/** A contradiction first, then undecided ones. */
function worst(exits: readonly Exit[]): Exit {
  const left = exits.filter((exit) => exit !== 0);
  if (left.includes(10)) return 10;
  const [only = 0] = left;
  return left.length > 0 && exits.length > 1 ? 11 : only;
}

type VerifyOptions =
  | { readonly is: 'acknowledge'; readonly all: boolean; readonly reason: string }
  | { readonly is: 'named'; readonly perS: number | undefined }
  | { readonly is: 'all'; readonly perS: number | undefined; readonly since: Moment | undefined };

function verifyOptions(given: VerifyArgs): VerifyOptions {
  const all = given.flag('all');
  if (all === given.args.length > 0)
    throw told('usage')`${all ? 'Both --all and IDs are given' : 'Nothing to verify is named'}
      Give IDs, or use --all for every transfer without a final answer.`;
  const reason = given.text('reason')?.trim() ?? '';
  const acknowledges = given.flag('acknowledge');
  if (acknowledges !== (reason !== ''))
    throw told('usage')`--acknowledge and --reason must be given together, with IDs or --all
      Say what was done about it: --acknowledge --reason "refunded by the service, ticket 42".`;
  if (acknowledges) return { is: 'acknowledge', all, reason };
  const text = given.text('since');
  if (text !== undefined && !all)
    throw told('usage')`--since works only with --all
      Add --all, or leave it out.`;
  const perS = rateOf(given);
  if (!all) return { is: 'named', perS };
  const since = text === undefined ? undefined : parseMoment(text, { edge: 'begins', isLocal: false });
  if (text !== undefined && since === undefined) throw notAMoment('since', text);
  return { is: 'all', perS, since };
}

function sinceOf(moment: Moment, nowMs: number): number {
  return 'atMs' in moment ? moment.atMs : nowMs - moment.agoMs;
}

/** Transfers that cannot be looked up, because the profile that sent them is gone. */
async function idsOfGone(given: VerifyArgs, context: Context, journal: Journal): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of openPages(journal, undefined))
    for (const intent of page) if (await isProfileGone(intent, given, context)) ids.push(intent.id);
  return ids;
}

/**
 * Records that a person has dealt with the contradictions, or with what cannot be looked up, so that they are no longer
 * reported as problems.
 */
async function acknowledge(
  ids: readonly string[],
  reason: string,
  given: VerifyArgs,
  context: Context,
  journal: Journal,
): Promise<Exit> {
  for (const beginning of ids) {
    const named = await intentById(beginning, journal);
    const { id } = named;
    const isGone =
      named.kind === 'transfer' && !isUnsent(named) && (await isProfileGone(named, given, context));
    const atMs = journal.clock.now();
    const who = whoDecides();
    const intent = await journal.commit(async (tx) => {
      const found = await tx.get(id);
      if (found === undefined || (!isGone && !(await isContradicted(found, tx))))
        throw told('not-allowed-now')`The chain does not contradict transfer ${id}
          You can acknowledge only a contradiction, a payment from another time, or a transfer whose profile is gone. To look at the chain again:
          $ verify ${id}`;
      const nothing = { signature: undefined, genesis: undefined, instruction: undefined };
      await tx.observe(id, {
        ...nothing,
        verdict: 'acknowledged',
        who,
        atMs,
        facts: JSON.stringify({ reason }),
      });
      return found;
    });
    context.doing.hasChanged = true;
    const written = await context.display.show(
      outcomeView(await storedReport(intent, given.command, journal.reads)),
    );
    if (written === 'written') await markReported(intent, journal, context);
  }
  return 0;
}

/**
 * Whether the chain contradicts it, shows a payment from another time, or proves it by a signature other than the
 * service's.
 */
async function isContradicted(intent: Intent, tx: Reads): Promise<boolean> {
  const { view } = standingOf(await tx.observationsOf(intent.id));
  if (isAgainst(view)) return true;
  const attempt = await tx.decisiveAttempt(intent.id);
  const replied = attempt === undefined ? undefined : signatureIn(attempt);
  return intent.state === 'accepted' && view?.verdict === 'proven' && replied !== view.signature;
}

/** The number of proven transfers, for the last line of `verify --all`. */
function verifiedView(
  command: string,
  counts: Readonly<Record<ChainVerdict, number> & { not_looked_up?: number }>,
  problem: Problem | undefined,
): View {
  return {
    json: {
      schema: 'botctl/1',
      command,
      verified: counts,
      ...(problem === undefined ? {} : { error: problem }),
    },
    human: () => `${verifiedSummary(counts)}\n`,
  };
}

/** No node could be asked about one bot's transfers; the other bots' transfers were looked up. */
function notLookedUp(transfers: number, { message, hint = '' }: Problem): string {
  const left = counted(transfers, 'transfer was', 'transfers were');
  return `${message} ${left} not looked up. ${hint.replace(/:$/u, '.')}`;
}

function verifiedSummary(counts: Readonly<Record<string, number>>): string {
  const { proven = 0, likely = 0, contradicted = 0, undecided: open = 0, not_looked_up: left = 0 } = counts;
  const parts = [
    `${proven} proven`,
    ...(likely === 0 ? [] : [`${likely} likely`]),
    `${contradicted} contradicted`,
    `${open} undecided`,
    ...(left === 0 ? [] : [`${left} not looked up`]),
  ];
  return `${parts.join(', ')}.`;
}
