import type { Until } from '../../once/chain/verify.ts';
import type { Bot, Connection } from '../../once/connection.ts';
import type { Answer, Consent } from '../../once/engine/beforeClaim.ts';
import type { EngineContext } from '../../once/engine/context.ts';
import { execute } from '../../once/engine/execute.ts';
import { isInDoubt, type Plan } from '../../once/engine/plan.ts';
import { meaningOf, type PlanMeaning } from '../../once/engine/planKinds.ts';
import { spendOf } from '../../once/engine/spend.ts';
import type { Exit } from '../../once/failures.ts';
import { isNamed, nameOf, type Order } from '../../once/intent/naming.ts';
import { refuseUnusual } from '../../once/intent/unusual.ts';
import type { Kind, Wanted } from '../../once/intent/wanted.ts';
import type { Intent } from '../../once/journal/journal.ts';
import { nameOfAddress, needsApproval, type Policies } from '../../once/policy/policy.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { askToPayAgain, byAnother, nouns, paidAgain } from '../say/outcomes.ts';
import { iso } from '../say/phrases.ts';
import { Told } from '../say/told.ts';
import { labelled, remark } from '../show/card.ts';
import type { LabelCanvas, Question } from '../show/display.ts';
import { drawIntent, factsInQuestion } from '../show/report.ts';
import type { ChainWait } from './chain.ts';
import { doubtsAbout } from './inputs.ts';
import { openSession, type Session } from './session.ts';
import { tell } from './telling.ts';

/** Sends one message or transfer once, and reports how it ended. */
export async function doOnce(
  order: Order,
  given: ParsedArgs<'dry-run' | 'yes'>,
  context: Context,
  wait?: Until,
): Promise<Exit> {
  const warnings = [...(await warningsOf(order.wanted))];
  for (const warning of warnings) context.display.warn(warning);
  if (given.flag('dry-run')) {
    const { dryRun } = await import('./dryRun.ts');
    return dryRun(order, warnings, given, context);
  }
  let waiting: ChainWait | undefined;
  const session = await openSession(given, context);
  try {
    const { engine, connection } = session;
    refuseUnusual(order.wanted, engine.bot.own);
    waiting = await openWait(order, session, given, context, wait);
    const proposes = given.takes('propose') && given.flag('propose');
    // Nothing of a proposal is sent: the question is asked when it is resumed.
    const consent = proposes
      ? undefined
      : openBeforeSending(
          order.wanted.kind,
          afterNodes(connection, waiting),
          consentFor(order, engine, given, context),
        );
    let repeats: Plan['repeats'] = [];
    const paysAgain = async (found: Plan['repeats']): Promise<void> => {
      repeats = found;
      if (isAsked(given, context) && !proposes) return;
      for (const warning of paidAgain(order, found, engine.clock.now())) {
        context.display.warn(warning);
        warnings.push(warning);
      }
    };
    const observer = { ...engine.observer, paysAgain };
    const outcome = await execute(order, { ...engine, proposes, observer }, consent);
    const chainEnd = await waiting?.end(outcome, engine.journal);
    return await tell(outcome, given, engine.journal, context, {
      warnings,
      chainEnd,
      repeats,
      hasNode: engine.bot.chain !== undefined,
    });
  } finally {
    await waiting?.close();
    await session.close();
  }
}

async function warningsOf({ warnings }: Wanted): Promise<readonly string[]> {
  if (warnings.length === 0) return [];
  const { warningWords } = await import('../say/intent.ts');
  return warnings.map(warningWords);
}

function isAsked(given: ParsedArgs<'yes'>, { display }: Context): boolean {
  return !given.flag('yes') && display.terminal() !== 'none';
}

/** With `--wait`, a transfer that could never be proven is refused. */
async function openWait(
  order: Order,
  { engine }: Session,
  given: ParsedArgs,
  context: Context,
  until: Until | undefined,
): Promise<ChainWait | undefined> {
  if (until === undefined || order.wanted.kind !== 'transfer') return undefined;
  const { openChainWait } = await import('./chain.ts');
  return openChainWait(order.wanted.request.asset, engine.bot, given, context, until);
}

/** Checks the node before the service is contacted. */
function afterNodes(connection: Connection, waiting: ChainWait | undefined): Connection {
  if (waiting === undefined) return connection;
  const reachOut = async (): Promise<void> => {
    await waiting.ready();
    await connection.reachOut();
  };
  return { ...connection, reachOut };
}

/** The question to ask a person. With --yes nobody is asked. */
function consentFor(
  order: Order,
  { bot, policies, clock }: Pick<EngineContext, 'bot' | 'policies' | 'clock'>,
  given: ParsedArgs<'yes'>,
  context: Context,
): Consent | undefined {
  const { display } = context;
  if (given.flag('yes')) return undefined;
  return async (plan) => {
    const { asks } = meaningOf(plan);
    if (asks === 'nothing' || !questions[asks].isAskedOf(order)) return 'go';
    const { yes, no } = questions[asks];
    const at = display.terminal();
    // Unasked, what was done is told again and what has a twin is refused: nothing is sent.
    if (at !== 'foreground' && asks !== 'send') return 'go';
    if (at === 'none') return 'go';
    try {
      const balance = at === 'foreground' ? await balanceBefore(asks, order, bot, given, context) : undefined;
      const usual =
        asks === 'send' && waitsForApproval(order, bot, policies) ? askToPropose : questions[asks].text;
      const text = repeatQuestion(order, plan, clock.now()) ?? usual;
      const shown = { order, bot, policies, balance, doubts: await doubtsAbout(order, bot) };
      return (await display.confirm(questionAbout(plan, text, shown))) ? yes : no;
    } catch (thrown) {
      // What is in doubt is told as that, which would hide why it was not sent now.
      if (isInDoubt(plan) && thrown instanceof Told && thrown.code === 'no-answer')
        display.warn(`${thrown.message} ${thrown.details.hint}`);
      throw thrown;
    }
  };
}

function waitsForApproval({ wanted }: Order, bot: Bot, policies: Policies = []): boolean {
  return wanted.kind === 'transfer' && needsApproval(policies, spendOf(wanted.request, bot));
}

/** What a question is about. */
type InQuestion = Pick<EngineContext, 'bot' | 'policies'> & {
  readonly order: Order;
  readonly balance: string | undefined;
  readonly doubts: readonly string[];
};

function questionAbout(plan: Plan, text: string, asked: InQuestion): Question {
  const { order } = asked;
  return (canvas) => {
    const reminder = reminderOf(plan, meaningOf(plan), order.wanted.kind);
    const reminded = reminder === undefined ? '' : remark(reminder, canvas);
    const twin = plan.twin === undefined ? '' : drawIntent(plan.twin, canvas);
    const doubts = asked.doubts.map((doubt) => remark(doubt, canvas));
    return `${drawOrder(asked, canvas)}${doubts.join('')}${reminded}${twin}${text}`;
  };
}

/** The usual answer to "again?" is a replay, and a message costs nothing: then no node is asked. */
async function balanceBefore(
  asks: PlanMeaning['asks'],
  { wanted }: Order,
  bot: Bot,
  given: ParsedArgs,
  context: Context,
): Promise<string | undefined> {
  if (asks === 'do-again' || wanted.kind === 'message') return undefined;
  const { balanceToPay } = await import('./balance.ts');
  return (await balanceToPay([wanted.request], bot, given, context))?.text;
}

/** InQuestion in place of the usual question. */
function repeatQuestion({ wanted }: Order, { repeats: [earlier] }: Plan, nowMs: number): string | undefined {
  if (earlier === undefined || wanted.kind === 'message') return undefined;
  return askToPayAgain(wanted.request, earlier, nowMs);
}

type ConsentQuestion = {
  readonly text: string;
  readonly isAskedOf: (order: Order) => boolean;
  readonly yes: Answer;
  readonly no: Answer;
};

/** The questions before something is sent. The default is No. */
const questions: Readonly<Record<Exclude<PlanMeaning['asks'], 'nothing'>, ConsentQuestion>> = {
  // A message is sent without a question, because another can correct it.
  send: {
    text: 'Send it?',
    isAskedOf: ({ wanted }) => wanted.kind === 'transfer',
    yes: 'go',
    no: 'no',
  },
  // A named intent is never done again.
  'do-again': {
    text: 'Do it again?',
    isAskedOf: ({ naming }) => !isNamed(naming),
    yes: 'anew',
    no: 'go',
  },
  'send-anyway': { text: 'Send the new one anyway?', isAskedOf: () => true, yes: 'anew', no: 'no' },
};

/** Opens the connection before a plan that sends is journaled. A replay needs no connection. */
function openBeforeSending(
  kind: Kind,
  { ensurePossible, reachOut }: Connection,
  ask: Consent | undefined,
): Consent {
  return async (plan) => {
    if (sends(plan)) ensurePossible(kind);
    const answer = ask === undefined ? 'go' : await ask(plan);
    if (answer === 'anew') ensurePossible(kind);
    if (answer === 'anew' || (answer === 'go' && sends(plan))) await reachOut();
    return answer;
  };
}

function sends(plan: Plan): boolean {
  return meaningOf(plan).sends !== 'nothing';
}

/** The recipient with its name in a policy, too. */
function drawOrder({ order, bot, policies = [], balance }: InQuestion, canvas: LabelCanvas): string {
  const { wanted, naming } = order;
  const asked = { bot: bot.name, spelledUrl: bot.spelledUrl, name: nameOf(naming) };
  if (wanted.kind === 'message')
    return labelled(factsInQuestion({ ...asked, request: { ...wanted.request } }), canvas);
  const { to_address: to } = wanted.request;
  const known = nameOfAddress(policies, to);
  const request = { ...wanted.request, to_address: known === undefined ? to : `${to} (@${known})` };
  return labelled(factsInQuestion({ ...asked, request }, balance), canvas);
}

/** Above what a policy lets go alone. */
const askToPropose = 'Propose it? It waits for approval then.';

/** What is already known about it, said with the question. */
function reminderOf(
  { found, twin }: Plan,
  { reminds }: Pick<PlanMeaning, 'reminds'>,
  kind: Kind,
): string | undefined {
  const noun = nouns[kind];
  const decided = `It was decided ${lastDone(found)} that the same ${noun} happened`;
  const isDecided = found?.resolvedAs === 'happened';
  switch (reminds) {
    case 'of-nothing':
      return undefined;
    case 'it-was-done':
      return isDecided ? `${decided}.` : `The same ${noun} was accepted ${lastDone(found)}.`;
    case 'when-last-done': {
      const last = isDecided ? decided : `The same ${noun} was last accepted ${lastDone(found)}`;
      return `${last}; this would be a new one.`;
    }
    case 'of-the-twin':
      return `The same amount was sent to the same address ${lastDone(twin)}, ${whyAsked(twin)}. This may be the same payment:`;
    case 'of-doubt':
      return found?.tainted
        ? `It may already have happened (ID ${found.id}). The same request will be sent again, so it happens once.`
        : undefined;
  }
}

function lastDone(found: Intent | undefined): string {
  return found === undefined ? '' : `at ${iso(found.updatedAtMs)} (ID ${found.id})`;
}

function whyAsked(twin: Intent | undefined): string {
  return twin?.reportedAtMs === undefined ? 'and no command has reported it yet' : byAnother(twin);
}
