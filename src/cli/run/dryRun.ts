import type { Bot } from '../../once/connection.ts';
import { answersTo, nothingRecorded } from '../../once/engine/answers.ts';
import { refuseUnnamed } from '../../once/engine/claim.ts';
import { type Answers, type Course, codeAhead, decide } from '../../once/engine/decide.ts';
import {
  type Identity,
  identify,
  makePlan,
  newEntry,
  type Plan,
  planOfNewJournal,
  toSend,
} from '../../once/engine/plan.ts';
import { meaningOf, type PlanKind } from '../../once/engine/planKinds.ts';
import { isProposal } from '../../once/engine/standing.ts';
import { nameOf, type Order } from '../../once/entry/naming.ts';
import { refuseUnusual } from '../../once/entry/unusual.ts';
import { canonicalBody, type Wanted } from '../../once/entry/wanted.ts';
import { type Exit, exitOf } from '../../once/failures.ts';
import { endpoint } from '../../once/wire/flight.ts';
import { mayClaimUnder } from '../../policy/spend.ts';
import type { App } from '../app.ts';
import { isThere } from '../open/journal.ts';
import type { Args } from '../parse/args.ts';
import { card, type Fact } from '../show/card.ts';
import { type Canvas, isSilent } from '../show/display.ts';
import { drawMessage } from '../show/entry.ts';
import { equalJson } from '../show/report.ts';
import { differenceFrom } from '../wording/entry.ts';
import { equalPaymentWords } from '../wording/outcomes.ts';
import { balanceFor, doubtsAbout, paidBeforeTo, repeatsOf } from './inputs.ts';

/** Shows what would be sent, and whether it would be a re-run. Journals and sends nothing. */
export async function dryRun(order: Order, app: App<Args<'yes'>>): Promise<Exit> {
  app.settings();
  const bot = await app.bot();
  refuseUnusual(order.wanted, bot.own);
  const doubts = await doubtsAbout(order, bot);
  for (const doubt of doubts) app.display.warn(doubt);
  const { identity, plan, answers, paidBefore } = await aheadOf(order, bot, app);
  const course = plan.is === 'name-taken' ? undefined : decide(plan, answers);
  const equal = course?.is === 'paid-already' ? course.equal : undefined;
  const meaning = meaningOf(plan);
  const proposes = app.args.has('propose');
  const isShown = meaning.sends !== 'nothing' && !isSilent(app.display);
  const balance = isShown ? await balanceFor(order, bot, app) : undefined;
  for (const warning of balance?.warnings ?? []) app.display.warn(warning);
  const paidAlready = equal === undefined ? [] : [equalPaymentWords(equal, app.clock.now())];
  for (const warning of paidAlready) app.display.warn(warning);
  const isNew = meaning.sends === 'a-new-entry';
  const key = isNew ? identity.key : (plan.entry?.key ?? identity.key);
  const { kind } = order.wanted;
  const isSpent = kind === 'transfer' && meaning.sends !== 'nothing';
  const request = { ...order.wanted.request };
  const body = canonicalBody({ ...request, ...(key !== undefined && { idempotency_key: key }) });
  const url = endpoint(bot.spelledUrl, kind);
  const name = nameOf(order.naming);
  const foundId = plan.entry?.id;
  const isAsked = isSpent && ((await app.policies()) !== undefined || proposes);
  const policy = isAsked ? { word: answers.policy.is, says: dryPolicyWords(answers, course) } : undefined;
  const entry = { kind, key, name, bot: bot.name, base_url: bot.spelledUrl, request };
  const stops = equal === undefined ? '' : ', but the equal payment stops it';
  const rerun = `${rerunWords(plan, order.wanted, bot)}${stops}`;
  const warned = [...doubts, ...(balance?.warnings ?? []), ...paidAlready];
  const facts: readonly Fact[] = [
    ['', undefined, { outcome: 'dry-run', rerun: plan.is, found: foundId, policy }],
    ['Bot', bot.name, { entry }],
    ['Request', `POST ${url}`, { http: { method: 'POST', url, body } }],
    ['Body', body],
    ['To', 'to_address' in request ? request.to_address : undefined],
    ['', paidBefore],
    ['Name', name],
    ['Balance', balance?.text, balance?.json],
    ['Policy', policy?.says],
    ['Re-run', foundId === undefined ? rerun : `${rerun} (ID ${foundId})`, equalJson(equal)],
    ['', undefined, { warnings: warned }],
  ];
  const headline = (canvas: Canvas): string => {
    const preview = kind === 'message' ? drawMessage(request, canvas) : '';
    return `${canvas.paint.bold('Dry run: nothing was recorded or sent')}\n${preview}`;
  };
  await app.display.show(card(app.args.command, headline, facts));
  const code = codeAhead(plan, answers, bot);
  return code === undefined ? 0 : exitOf(code);
}

/** What would happen to an order. */
type Ahead = {
  readonly identity: Identity;
  readonly plan: Plan;
  readonly answers: Answers;
  /** How often the recipient was paid before, in words. */
  readonly paidBefore: string | undefined;
};

async function aheadOf(order: Order, bot: Bot, app: App): Promise<Ahead> {
  // A dry run creates no journal.
  const journal = isThere(await app.where()) ? await app.journal('look') : undefined;
  if (journal !== undefined) refuseUnnamed(order, journal);
  const identity = identify(order, bot, journal ?? { hashOf: () => '' });
  const candidate = newEntry(identity, bot, app.chance.uuid);
  const clock = journal?.clock ?? app.clock;
  const plan =
    journal === undefined
      ? planOfNewJournal
      : await makePlan(identity, { journal, bot, clock }, journal.reads);
  const asking = {
    ...{ bot, clock, journal: journal ?? { place: '', isShared: false } },
    ...{ proposes: app.args.has('propose'), besides: repeatsOf(order, app.args) },
    mayClaim: mayClaimUnder(await app.policies()),
  };
  const entry = toSend(plan, { identity, candidate }, { bot });
  const answers = await answersTo(plan, entry, journal?.reads ?? nothingRecorded, asking);
  const paidBefore = await paidBeforeTo(plan, order, journal?.reads, clock.now());
  return { identity, plan, answers, paidBefore };
}

/** What the policies would say. Nothing is reserved: others may spend in the meantime. */
function dryPolicyWords({ policy }: Answers, course: Course | undefined): string {
  if (course?.is === 'hold') return 'it would be held: it may have been made already';
  if (course?.is === 'refuse') return `it would be refused. ${course.failure.message}`;
  return policy.is === 'needs-approval'
    ? `it would be held until a person approves it: ${policy.why}`
    : 'it would be allowed, as things stand now';
}

const dryRunWords: Readonly<Record<PlanKind, string>> = {
  'name-taken': 'it would not be sent: the name is taken by another bot',
  wait: 'yes: another process is sending it now',
  hold: 'yes: it may have happened; it would be held for a decision, and nothing would be sent',
  retry: 'yes: the stored request would be sent again',
  'needs-decision': 'yes: it is held; nothing would be sent',
  'already-done': 'yes: it is done; it would only be shown again',
  'send-same-key': 'yes: it did not happen before, and would be sent under the same key',
  'new-entry': 'no: it would be new',
};

/** Whether it would be a re-run, and what would happen. */
function rerunWords(plan: Plan, wanted: Wanted, bot: Bot): string {
  const { is, entry } = plan;
  if (is === 'needs-decision' && entry !== undefined && isProposal(entry))
    return 'yes: it waits for approval; nothing would be sent';
  if (entry?.state === 'declined') return 'yes: a person declined it; nothing would be sent';
  if (is === 'name-taken' && entry?.bot === bot.name)
    return `it would not be sent: the name is taken by a ${entry.kind}${differenceFrom(entry, wanted).replace(',', '')}`;
  return dryRunWords[is];
}
