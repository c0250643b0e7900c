import type { Until } from '../../chain/verify.ts';
import type { Bot, Connection } from '../../once/connection.ts';
import type { Consent } from '../../once/engine/beforeClaim.ts';
import { execute } from '../../once/engine/execute.ts';
import type { Plan } from '../../once/engine/plan.ts';
import { meaningOf, type PlanMeaning } from '../../once/engine/planKinds.ts';
import { mayHaveTakenEffect } from '../../once/engine/standing.ts';
import { isNamed, nameOf, type Order } from '../../once/entry/naming.ts';
import { refuseUnusual } from '../../once/entry/unusual.ts';
import type { Kind } from '../../once/entry/wanted.ts';
import { type Exit, Failure } from '../../once/failures.ts';
import type { Entry } from '../../once/journal/journal.ts';
import { iso } from '../../once/phrases.ts';
import { withFullStop } from '../../once/sentence.ts';
import { nameOfAddress, type Policies } from '../../policy/policy.ts';
import type { App } from '../app.ts';
import type { ChainBot } from '../bot/chooseBot.ts';
import type { Args } from '../parse/args.ts';
import { labelled, remark } from '../show/card.ts';
import type { LabelCanvas, Question } from '../show/display.ts';
import { factsInQuestion } from '../show/entry.ts';
import { askToPayAgain, equalPaymentWords } from '../wording/outcomes.ts';
import type { ChainWait } from './chain.ts';
import { type Engine, openEngine } from './engine.ts';
import { balanceFor, doubtsAbout, paidBeforeTo, repeatsOf } from './inputs.ts';
import { tell } from './telling.ts';

/** Sends one message or transfer once, and reports how it ended. */
export async function doOnce(order: Order, app: App<Args<'dry-run' | 'yes'>>, wait?: Until): Promise<Exit> {
  const besides = repeatsOf(order, app.args);
  if (app.args.flag('dry-run')) {
    const { dryRun } = await import('./dryRun.ts');
    return dryRun(order, app);
  }
  const engine = await openEngine(app);
  refuseUnusual(order.wanted, engine.bot.own);
  const waiting = await openWait(order, engine.bot, app, wait);
  const proposes = app.args.has('propose');
  const consent = openBeforeSending(
    order.wanted.kind,
    afterNodes(engine.connection, waiting),
    consentFor(order, engine, app),
  );
  const outcome = await execute(order, { ...engine, proposes, besides }, consent);
  const chainEnd = await waiting?.end(outcome);
  const hasNode = engine.bot.chain !== undefined;
  return tell(outcome, app, engine.journal, { chainEnd, hasNode });
}

/** The wait, if `--wait` is given. Refuses a transfer that the chain could never prove. */
async function openWait(
  order: Order,
  bot: ChainBot,
  app: App,
  until: Until | undefined,
): Promise<ChainWait | undefined> {
  if (until === undefined || order.wanted.kind !== 'transfer') return undefined;
  const { openChainWait } = await import('./chain.ts');
  return openChainWait(order.wanted.request.asset, bot, app, until);
}

/** Checks the node before the service is contacted. */
function afterNodes<Reached extends Pick<Connection, 'reachOut'>>(
  connection: Reached,
  waiting: ChainWait | undefined,
): Reached {
  if (waiting === undefined) return connection;
  const reachOut = async (): Promise<void> => {
    await waiting.ready();
    await connection.reachOut();
  };
  return { ...connection, reachOut };
}

/** Asks a person, unless --yes is given. */
function consentFor(
  order: Order,
  { bot, clock, journal }: Engine,
  app: App<Args<'yes'>>,
): Consent | undefined {
  const { display } = app;
  if (app.args.flag('yes')) return undefined;
  return async (plan, course) => {
    const { asks } = meaningOf(plan);
    if (asks === 'nothing' || !questions[asks].isAskedOf(order)) return 'go';
    const policies = await app.policies();
    const at = display.terminal();
    // If nobody can be asked, report the earlier result and send nothing.
    if (at !== 'foreground' && asks !== 'send') return 'go';
    const equal = asks === 'send' && course.is === 'paid-already' ? course.equal : undefined;
    if (at === 'none') return 'go';
    try {
      // "Again?" is usually answered with No, so do not ask the node for a balance.
      const isShown = at === 'foreground' && asks !== 'do-again';
      const balance = isShown ? (await balanceFor(order, bot, app))?.text : undefined;
      const usual =
        course.is === 'propose' ? 'Propose it? It then waits for approval.' : questions[asks].text;
      const text = equal === undefined ? usual : askToPayAgain(nameOf(order.naming));
      const nowMs = clock.now();
      const paidBefore = await paidBeforeTo(plan, order, journal.reads, nowMs);
      const why = course.is === 'propose' ? [withFullStop(course.why)] : [];
      const doubts = [...(await doubtsAbout(order, bot)), ...why];
      const preview = { order, bot, policies, known: { balance, paidBefore }, doubts, equal, nowMs };
      if (!(await display.confirm(questionAbout(plan, text, preview)))) return 'no';
      if (asks === 'do-again') return 'again';
      return equal === undefined ? 'go' : 'pay';
    } catch (thrown) {
      // The report of an entry in doubt would not say why nothing was sent now.
      if (mayHaveTakenEffect(plan.entry) && thrown instanceof Failure && thrown.code === 'no-answer')
        display.warn(`${thrown.message} ${thrown.details.hint}`);
      throw thrown;
    }
  };
}

/** What a question shows. */
type InQuestion = {
  readonly bot: Bot;
  readonly policies: Policies | undefined;
  readonly order: Order;
  readonly known: { readonly balance: string | undefined; readonly paidBefore: string | undefined };
  readonly doubts: readonly string[];
  readonly equal: Entry | undefined;
  readonly nowMs: number;
};

function questionAbout(plan: Plan, text: string, asked: InQuestion): Question {
  const { order, equal, nowMs } = asked;
  return (canvas) => {
    const reminder = reminderOf(plan, order.wanted.kind);
    const reminded = reminder === undefined ? '' : remark(reminder, canvas);
    const beside = equal === undefined ? '' : remark(equalPaymentWords(equal, nowMs), canvas);
    const doubts = asked.doubts.map((doubt) => remark(doubt, canvas));
    return `${drawOrder(asked, canvas)}${doubts.join('')}${reminded}${beside}${text}`;
  };
}

/** The questions before something is sent. The default is No. */
const questions: Readonly<
  Record<Exclude<PlanMeaning['asks'], 'nothing'>, { text: string; isAskedOf(order: Order): boolean }>
> = {
  // A message is sent without a question: another message can correct it.
  send: {
    text: 'Send it?',
    isAskedOf: ({ wanted }) => wanted.kind === 'transfer',
  },
  // Asked only about entries without a name: a named one is never done again.
  'do-again': {
    text: 'Do it again?',
    isAskedOf: ({ naming }) => !isNamed(naming),
  },
};

/** Opens the connection before a plan that sends is journaled. A replay opens none. */
function openBeforeSending(
  kind: Kind,
  { ensurePossible, reachOut }: Pick<Connection, 'ensurePossible' | 'reachOut'>,
  ask: Consent | undefined,
): Consent {
  return async (plan, course) => {
    const isSent = meaningOf(plan).sends !== 'nothing' && course.is !== 'propose';
    if (isSent) ensurePossible(kind);
    const answer = ask === undefined ? 'go' : await ask(plan, course);
    if (answer === 'again') ensurePossible(kind);
    // An equal payment stops this one, and nothing is sent, unless a person chose to pay again.
    const goesOn = answer === 'go' ? isSent && course.is === 'send' : answer !== 'no';
    if (goesOn) await reachOut();
    return answer;
  };
}

/** Shows the order. If a policy names the recipient, its name is shown too. */
function drawOrder({ order, bot, policies = [], known }: InQuestion, canvas: LabelCanvas): string {
  const { wanted, naming } = order;
  const asked = { bot: bot.name, baseUrl: bot.spelledUrl, name: nameOf(naming) };
  if (wanted.kind === 'message')
    return labelled(factsInQuestion({ ...asked, request: { ...wanted.request } }), canvas);
  const { to_address: to } = wanted.request;
  const name = nameOfAddress(policies, to);
  const request = { ...wanted.request, to_address: name === undefined ? to : `${to} (@${name})` };
  return labelled(factsInQuestion({ ...asked, request }, known), canvas);
}

/** What the question says about an earlier request. */
function reminderOf({ is, entry }: Plan, kind: Kind): string | undefined {
  if (entry === undefined) return undefined;
  const { id, updatedAtMs, resolvedAs } = entry;
  switch (is) {
    case 'retry':
      return `It may already have happened (ID ${id}). The same request will be sent again, so it happens once.`;
    case 'already-done':
      return resolvedAs === 'happened'
        ? `It was decided at ${iso(updatedAtMs)} that the same ${kind} happened (ID ${id}).`
        : `The same ${kind} was accepted at ${iso(updatedAtMs)} (ID ${id}).`;
    default:
      return undefined;
  }
}
