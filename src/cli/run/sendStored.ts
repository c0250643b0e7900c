import { type Bot, envBot } from '../../once/connection.ts';
import type { EntryAsShown } from '../../once/engine/asShown.ts';
import { stillInDoubt } from '../../once/engine/claim.ts';
import { concluded, type Outcome } from '../../once/engine/outcome.ts';
import { resume } from '../../once/engine/resume.ts';
import { isOver, isProposal, isUnsent } from '../../once/engine/standing.ts';
import { type BaseUrl, originOf, sandboxBaseUrl } from '../../once/entry/baseUrl.ts';
import { asFailure, type Exit, exitOf, Failure, failureWith, stopsAll } from '../../once/failures.ts';
import type { Decision, Entry, Journal } from '../../once/journal/journal.ts';
import type { Suggestion } from '../../once/sentence.ts';
import { type App, once } from '../app.ts';
import { botOfProfile, chooseBot } from '../bot/chooseBot.ts';
import { type ConnectedBot, connectBot, sayIfSlow } from '../open/bot.ts';
import { shownLocation } from '../open/journal.ts';
import { policiesOf } from '../open/policies.ts';
import type { Args } from '../parse/args.ts';
import { remark } from '../show/card.ts';
import type { Question } from '../show/display.ts';
import { drawEntry, requestOf } from '../show/entry.ts';
import type { Payable } from '../wording/balance.ts';
import { ofTheSandbox } from '../wording/chain.ts';
import { titleOf } from '../wording/entry.ts';
import { waitingForToken } from '../wording/open.ts';
import { askToPayAgain, done, equalPaymentWords } from '../wording/outcomes.ts';
import { answeredNo, problemOf } from '../wording/problem.ts';
import { settling } from '../wording/settling.ts';
import { untilUnchanged } from './deciding.ts';
import { engineOf } from './engine.ts';
import { combineExits, entryByIdOrName, storedReport } from './stored.ts';
import { tell, tellOne } from './telling.ts';

/** The wallet's balance; undefined for a message. */
type Balance = () => Promise<string | undefined>;

/** The stored entries to send, and the decisions that this needs. */
type Sending = {
  readonly select: (journal: Journal) => Promise<readonly Entry[]>;
  /** A person's decision to send it, if it needs one. Refuses what this command does not send. */
  readonly decide: (entry: Entry, journal: Journal, balance: Balance) => Promise<Decision | undefined>;
};

/** Sends stored entries one after the other, each with its stored key and bytes, by its bot. */
export async function sendStored(sending: Sending, app: App<Args<'yes'>>): Promise<Exit> {
  const journal = await app.journal('send');
  const botOf = botsOfEntries(app, journal);
  const entries = await sending.select(journal);
  const exits: Exit[] = [];
  for (const entry of entries) {
    if (app.interrupts.first.aborted) {
      const failure = failureWith('interrupted')`Interrupted before entry ${entry.id}
        Run the same command again to go on.`;
      exits.push(await reportSkipped(entry, failure, journal, app));
      break;
    }
    try {
      const send = (asShown: EntryAsShown): Promise<Exit> => sendOne(asShown, sending, botOf, app);
      exits.push(await untilUnchanged(entry, app, journal, send));
    } catch (thrown) {
      const failure = asFailure(thrown);
      // A failure of the journal or machine stops the command, unless it concerns one entry only, or transfers only.
      // Ctrl-C also stops it.
      const ofOneEntry = failure.code === 'journal-damaged' || failure.code === 'sandbox-unavailable';
      if (stopsAll(failure.code) && !ofOneEntry) throw stillInDoubt(failure, entry);
      exits.push(await reportSkipped(entry, failure, journal, app));
      if (failure.code === 'interrupted') break;
    }
  }
  return combineExits(exits);
}

/** The entries that the arguments name. */
export async function entriesOf(beginnings: readonly string[], journal: Journal): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const beginning of beginnings) entries.push(await entryByIdOrName(beginning, journal));
  return entries;
}

async function sendOne(
  asShown: EntryAsShown,
  { decide }: Sending,
  botOf: BotOf,
  app: App<Args<'yes'>>,
): Promise<Exit> {
  const journal = await app.journal('send');
  const { entry } = asShown;
  const balance: Balance = async () => {
    if (entry.kind === 'message') return undefined;
    const { bot } = await botOf(entry);
    const { balanceToPay } = await import('./balance.ts');
    return (await balanceToPay([payableOf(entry)], bot, app))?.text;
  };
  const decision = await decide(entry, journal, balance);
  // A finished entry needs no bot: the journal has its result.
  if (isOver(entry) && decision === undefined)
    return tell(await concluded(entry, journal.reads, true), app, journal);
  const connected = await botOf(entry);
  const policies = await policiesOf(connected.bot, app);
  const engine = engineOf(connected, policies, journal, app);
  const outcome = await resume(asShown, engine, decision);
  const ids = await askToPayBeside(outcome, entry, app, journal);
  const paid = ids && (await resume(asShown, { ...engine, besides: { ids } }, decision));
  return tell(paid ?? outcome, app, journal, {
    hasNode: connected.bot.chain !== undefined,
  });
}

/** Asks a person about an equal payment. Returns the IDs of the equal payments that the answer allows. */
async function askToPayBeside(
  outcome: Outcome,
  entry: Entry,
  app: App<Args<'yes'>>,
  { clock }: Journal,
): Promise<readonly string[] | undefined> {
  const { display } = app;
  if (outcome.is !== 'not-sent' || outcome.because !== 'paid-already') return undefined;
  if (app.args.flag('yes') || display.terminal() !== 'foreground') return undefined;
  const { equal, ids } = outcome;
  const question: Question = (canvas) =>
    `${drawEntry(entry, canvas)}${remark(equalPaymentWords(equal, clock.now()), canvas)}${askToPayAgain(entry.name)}`;
  if (!(await display.confirm(question))) throw answeredNo();
  return ids;
}

function payableOf(entry: Entry): Payable {
  const { asset = '', amount = '' } = requestOf(entry);
  return { asset: String(asset), amount: String(amount) };
}

async function reportSkipped(skipped: Entry, failure: Failure, journal: Journal, app: App): Promise<Exit> {
  const { display, doing } = app;
  const entry = (await journal.reads.get(skipped.id)) ?? skipped;
  const exit = exitOfSkipped(entry, failure);
  const problem = problemOf(staysAsItWas(asFailure(failure), entry), doing);
  await tellOne({ ...(await storedReport(entry, app.args.command, journal.reads)), problem }, display);
  return exit;
}

/** If the entry may have happened, the exit code says so, and not why it could not be sent now. */
function exitOfSkipped({ state }: Entry, { code }: Failure): Exit {
  if (state === 'held') return exitOf('held');
  return state === 'unknown' || state === 'sending' ? exitOf('unknown') : exitOf(code);
}

/** The failure, with the entry's ID, if no bot can send it. */
type NoBot = (entry: Entry) => Failure;

type BotOf = (entry: Entry) => Promise<ConnectedBot>;

/** The bots of many entries, each opened once, at the base URL stored with the entries. */
function botsOfEntries(app: App, journal: Pick<Journal, 'hashOf'>): BotOf {
  const { env, display } = app;
  const givenUrl = app.args.text('base-url') ?? env.BOTCTL_BASE_URL;
  const tokenFile = app.args.text('token-file');

  const sandbox = async (): Promise<ConnectedBot | NoBot> => {
    if (app.args.flag('sandbox')) {
      const connected = await app.connectedBot();
      await connected.connection.ready();
      return connected;
    }
    const place = await shownLocation(await app.where());
    return (entry) => ofTheSandbox(entry, app.args.command, place);
  };
  const connect = once(async (_who: string, entry: Entry): Promise<ConnectedBot | NoBot> => {
    if (entry.baseUrl === sandboxBaseUrl) return sandbox();
    const isOfEnv = entry.bot === envBot;
    if (isOfEnv && tokenFile === undefined && env.BOTCTL_TOKEN === undefined) return noTokenNow;
    // The given token, at the stored base URL if no other is given.
    const bot = isOfEnv
      ? await chooseBot({ tokenFile, baseUrl: givenUrl ?? entry.baseUrl }, app)
      : await sayIfSlow(waitingForToken, botOfProfile(entry.bot, app), display);
    if (bot === undefined) return gone;
    const spelledUrl = ownUrl(bot, entry);
    if (spelledUrl === undefined) return (other) => moved(other, bot);
    const ours = { ...bot, spelledUrl };
    const connected = connectBot(ours, app);
    await connected.connection.ready();
    return connected;
  });
  return async (entry) => {
    const connected = await connect(`${entry.bot} ${entry.baseUrl}`, entry);
    if (typeof connected === 'function') throw connected(entry);
    connected.connection.ensurePossible(entry.kind);
    // If the base URL comes only from the entry, make sure that the token belongs to that service.
    const isStored = entry.bot === envBot && givenUrl === undefined;
    if (isStored && journal.hashOf(connected.bot.token.reveal()) !== entry.tokenHash)
      throw noBotFor(
        entry,
        'other-token',
        `${titleOf(entry)} is not known to belong to the token given now, which has no base URL`,
      );
    return connected;
  };
}

/** The URL to send this entry to; undefined if it has another origin than the bot's token. */
function ownUrl(bot: Bot, { baseUrl }: Entry): BaseUrl | undefined {
  if (bot.baseUrl === baseUrl) return bot.spelledUrl;
  return originOf(bot.baseUrl) === originOf(baseUrl) ? baseUrl : undefined;
}

function moved(entry: Entry, bot: Bot): Failure {
  const [now, then] = [originOf(bot.spelledUrl), originOf(entry.baseUrl)];
  const why = `The bot ${entry.bot} now belongs to ${now}, but this ${entry.kind} belongs to ${then}`;
  return noBotFor(entry, 'bot-moved', why);
}

function gone(entry: Entry): Failure {
  const { bot, baseUrl } = entry;
  const adding = ['config', 'add', bot, '--base-url', baseUrl];
  return noBotFor(entry, 'no-such-profile', `The profile ${bot} no longer exists`, [adding]);
}

function noTokenNow(entry: Entry): Failure {
  const why = 'was started with a token from outside the profiles, and no token is given now';
  return noBotFor(entry, 'no-token', `${titleOf(entry)} ${why}`);
}

function staysAsItWas({ code, message, details }: Failure, entry: Entry): Failure {
  const what = message.includes(entry.id) ? 'It' : titleOf(entry);
  const stays = `${what} ${isProposal(entry) ? 'is still waiting for approval' : stillSo(entry)}.`;
  return isUnsent(entry)
    ? new Failure(code, `${message} ${stays}`, details)
    : new Failure(code, message, { ...details, earlier: stays });
}

function stillSo({ state, kind, resolvedAs }: Entry): string {
  switch (state) {
    case 'open':
      return 'is still not sent';
    case 'held':
      return 'is still undecided';
    case 'unknown':
    case 'sending':
      return `may have been ${done[kind]} by an earlier request`;
    default:
      return `stays ${resolvedAs ?? state}`;
  }
}

type Botless = 'bot-moved' | 'no-such-profile' | 'no-token' | 'other-token';

/** The bot of an entry is gone, has moved, or has no token. The commands of `first` bring it back. */
function noBotFor(entry: Entry, code: Botless, why: string, first: readonly Suggestion[] = []): Failure {
  const way = isUnsent(entry) ? 'give it up: it was never sent' : 'decide whether it happened';
  return failureWith(code, { next: [...first, ...settling(entry)] })`${why}
    A token goes only to its own service. Bring the entry’s bot back (a profile, --token-file or BOTCTL_TOKEN). Or ${way}.`;
}
