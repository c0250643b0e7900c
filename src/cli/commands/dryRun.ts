import type { Bot } from '../../once/connection.ts';
import { isUnsentProposal } from '../../once/engine/approval.ts';
import { refuseUnnamed, whyHold } from '../../once/engine/claim.ts';
import { codeAhead } from '../../once/engine/outcome.ts';
import { type Identity, identify, makePlan, type Plan, planOfNewJournal } from '../../once/engine/plan.ts';
import { meaningOf, type PlanMeaning } from '../../once/engine/planKinds.ts';
import { type PolicyWord, spendOf, wordOfPolicies } from '../../once/engine/spend.ts';
import type { HeldReason } from '../../once/engine/verdict.ts';
import { type Exit, exitOf } from '../../once/failures.ts';
import { nameOf, type Order } from '../../once/intent/naming.ts';
import { refuseUnusual } from '../../once/intent/unusual.ts';
import { canonicalBody, type Wanted } from '../../once/intent/wanted.ts';
import type { Journal } from '../../once/journal/journal.ts';
import type { Policies } from '../../once/policy/policy.ts';
import { endpoint } from '../../once/wire/flight.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { differenceFrom } from '../say/intent.ts';
import { paidAgain, policyWords } from '../say/outcomes.ts';
import { dryRunWords } from '../say/plans.ts';
import { type Fields, labelled } from '../show/card.ts';
import { isSilent, type View } from '../show/display.ts';
import { drawMessage, repeatsJson } from '../show/report.ts';
import type { BalanceShown } from './balance/run.ts';
import { doubtsAbout } from './inputs.ts';
import { botOfCommand } from './openBot.ts';
import { isJournalThere, openJournalOf, settingsOf, whileOpen } from './openJournal.ts';
import { policiesOf } from './policies.ts';

/** Shows what would be sent and whether it would be a re-run. Journals nothing and sends nothing. */
export async function dryRun(
  order: Order,
  warnings: readonly string[],
  given: ParsedArgs<'yes'>,
  context: Context,
): Promise<Exit> {
  settingsOf(given);
  const bot = await botOfCommand(given, context);
  refuseUnusual(order.wanted, bot.own);
  const doubts = await doubtsAbout(order, bot);
  for (const doubt of doubts) context.display.warn(doubt);
  const { identity, plan, word, holds } = await planOf(order, bot, given, context);
  const meaning = meaningOf(plan);
  const proposes = given.takes('propose') && given.flag('propose');
  const balance = meaning.sends === 'nothing' ? undefined : await balanceBefore(order, bot, given, context);
  for (const warning of balance?.warnings ?? []) context.display.warn(warning);
  const paidBefore = paidAgain(order, plan.repeats, context.clock.now());
  for (const warning of paidBefore) context.display.warn(warning);
  const isNew = meaning.sends === 'a-new-intent';
  const key = isNew ? identity.key : (plan.found?.key ?? identity.key);
  const view = dryRunView({
    command: given.command,
    kind: order.wanted.kind,
    bot: bot.name,
    baseUrl: bot.spelledUrl,
    url: endpoint(bot.spelledUrl, order.wanted.kind),
    name: nameOf(order.naming),
    key,
    body: canonicalBody({
      ...order.wanted.request,
      ...(key === undefined ? {} : { idempotency_key: key }),
    }),
    request: { ...order.wanted.request },
    rerun: plan.is,
    rerunWords: rerunWords(plan, order.wanted),
    proposal: proposes ? proposalWords(plan, meaning, word) : undefined,
    foundId: plan.found?.id ?? plan.twin?.id,
    policy: word && { word: word.is, says: dryPolicyWords(word) },
    balance,
    repeats: plan.repeats,
    warnings: [...warnings, ...doubts, ...(balance?.warnings ?? []), ...paidBefore],
  });
  await context.display.show(view);
  const code = codeAhead(plan, { word, proposes, holds });
  return code === undefined ? 0 : exitOf(code);
}

type DryPlan = {
  readonly identity: Identity;
  readonly plan: Plan;
  readonly word: PolicyWord | undefined;
  readonly holds: HeldReason | undefined;
};

async function balanceBefore(
  { wanted }: Order,
  bot: Bot,
  given: ParsedArgs,
  context: Context,
): Promise<BalanceShown | undefined> {
  if (wanted.kind === 'message' || isSilent(context.display)) return undefined;
  const { balanceToPay } = await import('./balance/run.ts');
  return balanceToPay([wanted.request], bot, given, context);
}

/** What the policies would say, if there are any and money would be spent. */
async function wordOn(
  { wanted }: Order,
  bot: Bot,
  plan: Plan | undefined,
  policies: Policies | undefined,
  journal: Journal | undefined,
  context: Context,
): Promise<PolicyWord | undefined> {
  if (policies === undefined || wanted.kind === 'message') return undefined;
  if (plan !== undefined && meaningOf(plan).sends === 'nothing') return undefined;
  const id = plan === undefined || meaningOf(plan).sends === 'a-new-intent' ? undefined : plan.found?.id;
  const nowMs = (journal?.clock ?? context.clock).now();
  return wordOfPolicies(policies, { spend: spendOf(wanted.request, bot), id }, journal?.reads, nowMs);
}

async function planOf(order: Order, bot: Bot, given: ParsedArgs, context: Context): Promise<DryPlan> {
  if (!(await isJournalThere(given, context))) {
    const identity = identify(order, bot, { hashOf: () => '' });
    const policies = await policiesOf(bot, context);
    const word = await wordOn(order, bot, undefined, policies, undefined, context);
    return { identity, plan: planOfNewJournal, word, holds: undefined };
  }
  return whileOpen(openJournalOf(given, context, 'look'), async (journal) => {
    refuseUnnamed(order, journal);
    const identity = identify(order, bot, journal);
    const plan = await makePlan(identity, bot, journal.reads, context.clock.now());
    const { is, found } = plan;
    const holds =
      is === 'resume' && found !== undefined
        ? whyHold(found, { journal, bot, clock: context.clock })
        : undefined;
    const policies = await policiesOf(bot, context);
    return {
      identity,
      plan,
      holds,
      policies,
      word: await wordOn(order, bot, plan, policies, journal, context),
    };
  });
}

type DryRun = {
  readonly command: string;
  readonly kind: 'message' | 'transfer';
  readonly bot: string;
  readonly baseUrl: string;
  readonly url: string;
  readonly name: string | undefined;
  readonly key: string | undefined;
  readonly body: string;
  readonly request: Fields;
  readonly rerun: string;
  /** `rerun` as a sentence. */
  readonly rerunWords: string;
  readonly foundId: string | undefined;
  /** What the policies would say; undefined if there are none. */
  readonly policy: { readonly word: string; readonly says: string } | undefined;
  /** What --propose would do, if it is given. */
  readonly proposal: string | undefined;
  /** Before something is paid, if a node can be asked. */
  readonly balance: BalanceShown | undefined;
  readonly repeats: Plan['repeats'];
  readonly warnings: readonly string[];
};

/** The exact request without the token, the key if it is known, and what running it would do. */
function dryRunView(dry: DryRun): View {
  return {
    json: {
      schema: 'botctl/1',
      command: dry.command,
      outcome: 'dry-run',
      rerun: dry.rerun,
      ...(dry.foundId === undefined ? {} : { found: dry.foundId }),
      ...(dry.policy === undefined ? {} : { policy: dry.policy }),
      ...(dry.proposal === undefined ? {} : { proposal: dry.proposal }),
      intent: {
        kind: dry.kind,
        ...(dry.key === undefined ? {} : { key: dry.key }),
        ...(dry.name === undefined ? {} : { name: dry.name }),
        bot: dry.bot,
        base_url: dry.baseUrl,
        request: dry.request,
      },
      http: { method: 'POST', url: dry.url, body: dry.body },
      ...dry.balance?.json,
      ...repeatsJson(dry.repeats),
      warnings: dry.warnings,
    },
    human: (canvas) => {
      const { paint } = canvas;
      const facts = labelled(
        [
          ['Bot', dry.bot],
          ['Request', `POST ${dry.url}`],
          ['Body', dry.body],
          ['Name', dry.name],
          ['Balance', dry.balance?.text],
          ['Policy', dry.policy?.says],
          ['Approval', dry.proposal],
          ['Re-run', `${dry.rerunWords}${dry.foundId === undefined ? '' : ` (ID ${dry.foundId})`}`],
        ],
        canvas,
      );
      const preview = dry.kind === 'message' ? `\n${drawMessage(dry.request, canvas)}` : '';
      return `${paint.bold('Dry run: nothing was recorded or sent')}\n${facts}${preview}`;
    },
  };
}

/** For a dry run: it reserves nothing, and others may spend in the meantime. */
function dryPolicyWords(word: PolicyWord): string {
  switch (word.is) {
    case 'allowed':
      return 'it would be allowed, as things stand now';
    case 'needs-approval':
      return 'it would be held until a person approves it';
    case 'refused':
      return `it would be refused. ${policyWords(word.refusal).message}`;
  }
}

/** Whether it would be a re-run, and of what. */
function rerunWords(plan: Plan, wanted: Wanted): string {
  if (isWaiting(plan)) return 'yes: it waits for approval; nothing would be sent';
  if (plan.is === 'other-body' && plan.found !== undefined)
    return `it would not be sent: the name is taken by a ${plan.found.kind}${differenceFrom(plan.found, wanted).replace(',', '')}`;
  return dryRunWords[plan.is];
}

/** What --propose would do; undefined if something else comes first and is said. */
function proposalWords(
  plan: Plan,
  { sends }: Pick<PlanMeaning, 'sends'>,
  policy: PolicyWord | undefined,
): string | undefined {
  if (isWaiting(plan)) return 'it would stay as it is, and wait for approval';
  if (sends === 'nothing') return undefined;
  if (plan.is === 'resume' && plan.found?.tainted === true)
    return 'it would not wait for approval: it may have been made already';
  if (policy?.is === 'refused') return undefined;
  return 'it would be recorded and held; nothing would be sent until a person approves it';
}

function isWaiting({ is, found }: Plan): boolean {
  return is === 'needs-decision' && found !== undefined && isUnsentProposal(found);
}
