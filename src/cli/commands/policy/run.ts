import { resolve } from 'node:path';
import { spendingOf } from '../../../once/engine/spend.ts';
import { type Exit, Failure } from '../../../once/failures.ts';
import { amountOf } from '../../../once/intent/amount.ts';
import { type Spellings, spellingsOf } from '../../../once/intent/spellings.ts';
import type { Journal } from '../../../once/journal/journal.ts';
import {
  assetsIn,
  limitsOf,
  type Policies,
  type Policy,
  refusedAsFresh,
  spentWithin,
  waitsADay,
  windowMs,
} from '../../../once/policy/policy.ts';
import { readPolicy } from '../../../once/policy/readPolicy.ts';
import { readSafely } from '../../bot/policyFile.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { inWords } from '../../say/inWords.ts';
import { formatAmountOf, iso, isoExact, listed } from '../../say/phrases.ts';
import { youngJournalWaits } from '../../say/policy.ts';
import { Told, told } from '../../say/told.ts';
import type { View } from '../../show/display.ts';
import { type LabelledValue, labelled } from '../../show/report.ts';
import { type Own, safeLine } from '../../show/text.ts';
import { textAt } from '../inputs.ts';
import { refuseBesideSandbox } from '../openBot.ts';
import { isJournalThere, journalLocation, openJournalOf, whoDecides, withServer } from '../openJournal.ts';
import { policiesAndSpellings } from '../policies.ts';

/** Shows the policies of the chosen bot, and what they leave. */
export async function run(given: ParsedArgs, context: Context): Promise<Exit> {
  if (given.flag('sandbox')) refuseBesideSandbox(given);
  const { policies, spellings } = await policiesAndSpellings(given, context);
  const { command } = given;
  if (!(await isJournalThere(given, context))) {
    await context.display.show(policyView({ command, policies: policies.map(shownPolicy) }));
    return 0;
  }
  const journal = await openJournalOf(given, context, 'look');
  try {
    const { left, counted } = await leftOf(policies, spellings, journal);
    await context.display.show(policyView({ command, policies: policies.map(shownPolicy), left, counted }));
    return 0;
  } finally {
    await journal.close();
  }
}

type LeftToSpend = {
  readonly left: readonly ShownLeft[];
  readonly counted: { readonly sinceMs: number; readonly isWhole: boolean } | undefined;
};

/** What is left in these 24 hours of each asset with a daily limit. */
export async function leftOf(
  policies: Policies,
  known: Spellings | undefined,
  { reads, clock }: Pick<Journal, 'reads' | 'clock'>,
): Promise<LeftToSpend> {
  const nowMs = clock.now();
  let sinceMs: number | undefined;
  const left: ShownLeft[] = [];
  for (const asset of assetsIn(policies)) {
    const spellings = spellingsOf(asset, known);
    const [tightest] = limitsOf(policies, { spellings })
      .flatMap(({ day, source }) => (day === undefined ? [] : [{ day, source }]))
      .sort((one, other) => (one.day < other.day ? -1 : 1));
    if (tightest === undefined) continue;
    const spending = await spendingOf({ spellings, recipient: undefined }, reads, nowMs);
    sinceMs = spending.sinceMs;
    const spent = spentWithin(spending.total, nowMs);
    const fresh =
      sinceMs === undefined ? undefined : refusedAsFresh(policies, { asset, spellings }, sinceMs, nowMs);
    const remaining = fresh === undefined && spent < tightest.day ? tightest.day - spent : 0n;
    left.push({
      asset,
      limit: amountOf(tightest.day),
      spent: amountOf(spent),
      remaining: amountOf(remaining),
      source: tightest.source,
      freeAtMs: fresh?.freeAtMs,
    });
  }
  const counted = sinceMs === undefined ? undefined : { sinceMs, isWhole: sinceMs <= nowMs - windowMs };
  return { left, counted };
}

/** Stores a policy in a shared journal. It applies to everyone who sends through that journal. */
export async function set(given: ParsedArgs, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file')
    throw told('usage')`The journal ${location.path} is a file, and a file has no policy of its own
      Name the policy file in the profile, or save it as /etc/botctl/policy.json:
      $ config set NAME policy /etc/botctl/policy.json`;
  const { text, policy } = await givenPolicy(given, context);
  const { setPolicy } = await import('../../../postgres/upkeep.ts');
  await withServer(location.address, given, context, async (shared) => {
    const { place } = shared;
    const number = await setPolicy(shared, { text, needsTwo: policy.approvals === 'other' }, whoDecides());
    await context.display.show({
      json: { schema: 'botctl/1', command: given.command, journal: place, number },
      human: ({ own }) =>
        `${own(`The journal ${safeLine(place)} now has policy ${number}. It applies to everyone who sends through the journal.`)}\n`,
      quiet: String(number),
    });
  });
  return 0;
}

/** Reads a policy as a sending command would, and shows its contents. */
export async function check(given: ParsedArgs, context: Context): Promise<Exit> {
  const { display } = context;
  const { path, policy } = await givenPolicy(given, context);
  await display.show(policyView({ command: given.command, policies: [shownPolicy(policy)] }));
  if (!display.quiet) {
    display.notice(`${path} is a valid policy.`);
    if (waitsADay(policy)) display.notice(youngJournalWaits);
  }
  return 0;
}

type GivenPolicy = { readonly path: string; readonly text: string; readonly policy: Policy };

/** The policy file that the command names. */
async function givenPolicy({ args }: ParsedArgs, context: Context): Promise<GivenPolicy> {
  const [named = ''] = args;
  const path = named === '-' ? 'stdin' : resolve(named);
  try {
    const text = named === '-' ? await textAt(named, path, context) : (readSafely(path, 'is-refused') ?? '');
    return { path, text, policy: readPolicy(text, path) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    // Here the policy is an input file like any other: a fault in it prevents no sending.
    const { message, details } = await inWords(thrown);
    throw new Told('bad-file', message, details);
  }
}

function shownPolicy(policy: Policy): ShownPolicy {
  const { source, journal, limits, recipients, onlyRecipients, approvals } = policy;
  const { unusual, freshJournal, confirm } = policy;
  const text = (units: bigint | undefined): string | undefined =>
    units === undefined ? undefined : amountOf(units);
  return {
    source,
    journal,
    limits: [...limits].map(([asset, { transfer, day, recipientDay, approveAbove }]) => ({
      asset,
      transfer: text(transfer),
      day: text(day),
      recipientDay: text(recipientDay),
      approveAbove: text(approveAbove),
    })),
    recipients: [...recipients].map(([name, address]) => ({ name, address })),
    onlyRecipients,
    unusual,
    approvals,
    freshJournal,
    confirm,
  };
}

/** One policy as shown. Amounts are texts. */
type ShownPolicy = {
  readonly source: string;
  readonly journal: string | undefined;
  readonly limits: readonly {
    readonly asset: string;
    readonly transfer: string | undefined;
    readonly day: string | undefined;
    readonly recipientDay: string | undefined;
    readonly approveAbove: string | undefined;
  }[];
  readonly recipients: readonly { readonly name: string; readonly address: string }[];
  readonly onlyRecipients: boolean;
  readonly unusual: Policy['unusual'];
  readonly approvals: Policy['approvals'];
  readonly freshJournal: 'refuse' | 'allow';
  readonly confirm: 'always' | undefined;
};

/** What is left of an asset's tightest daily limit. */
type ShownLeft = {
  readonly asset: string;
  readonly limit: string;
  readonly spent: string;
  readonly remaining: string;
  readonly source: string;
  /** Nothing may be spent until then: the journal is too young for this limit. */
  readonly freeAtMs: number | undefined;
};

type ShownPolicies = {
  readonly command: string;
  readonly policies: readonly ShownPolicy[];
  /** Absent if no journal was read. */
  readonly left?: readonly ShownLeft[];
  /**
   * Since when the journal counts spending, and whether that covers the whole window. Absent without a journal or
   * records.
   */
  readonly counted?: { readonly sinceMs: number; readonly isWhole: boolean } | undefined;
};

function policyView({ command, policies, left, counted }: ShownPolicies): View {
  return {
    json: {
      schema: 'botctl/1',
      command,
      policies: policies.map(policyJson),
      ...(left === undefined ? {} : { left: left.map(leftJson) }),
      ...(counted === undefined ? {} : { complete_since: isoExact(counted.sinceMs) }),
    },
    human: (canvas) => {
      const parts = policies.map(
        (policy) =>
          `${canvas.paint.bold(safeLine(policyLabels.policy(policy.source)))}\n${labelled(linesOf(policy, canvas.own), canvas)}`,
      );
      const remaining = (left ?? []).map((one): LabelledValue => [one.asset, leftWords(one)]);
      const today =
        remaining.length === 0
          ? []
          : [
              `${canvas.paint.bold(policyLabels.left)}\n${labelled(
                [
                  ...remaining,
                  [policyLabels.counted, counted && countedWords(counted.sinceMs, counted.isWhole)],
                ],
                canvas,
              )}`,
            ];
      return policies.length === 0 ? `${canvas.own(policyLabels.none)}\n` : [...parts, ...today].join('\n');
    },
  };
}

function linesOf(policy: ShownPolicy, own: Own): LabelledValue[] {
  const { journal, limits, recipients, onlyRecipients, unusual, approvals, freshJournal, confirm } = policy;
  return [
    [policyLabels.journal, journal],
    ...limits.map((line): LabelledValue => [line.asset, own(policyLabels.limits(line, formatAmountOf))]),
    ...recipients.map(({ name, address }): LabelledValue => [`@${name}`, address]),
    [policyLabels.recipients, policyLabels.only(onlyRecipients)],
    [policyLabels.unusual, unusual && policyLabels.refused],
    [policyLabels.approvals, approvals === 'other' ? policyLabels.another : undefined],
    [policyLabels.fresh, freshJournal === 'allow' ? policyLabels.allowed : undefined],
    [policyLabels.confirm, confirm === 'always' ? policyLabels.confirmed : undefined],
  ];
}

function leftJson({ freeAtMs, ...left }: ShownLeft): Record<string, unknown> {
  return { ...left, ...(freeAtMs === undefined ? {} : { free_at: isoExact(freeAtMs) }) };
}

function policyJson(policy: ShownPolicy): Record<string, unknown> {
  const { source, journal, limits, recipients, onlyRecipients, approvals, unusual, freshJournal, confirm } =
    policy;
  return {
    source,
    ...(journal === undefined ? {} : { journal }),
    limits: limits.map(({ asset, transfer, day, recipientDay, approveAbove }) => ({
      asset,
      ...(transfer === undefined ? {} : { transfer }),
      ...(day === undefined ? {} : { day }),
      ...(recipientDay === undefined ? {} : { recipient_day: recipientDay }),
      ...(approveAbove === undefined ? {} : { approve_above: approveAbove }),
    })),
    recipients,
    only_recipients: onlyRecipients,
    ...(unusual === undefined ? {} : { unusual }),
    ...(approvals === undefined ? {} : { approvals }),
    fresh_journal: freshJournal,
    ...(confirm === undefined ? {} : { confirm }),
  };
}

type Limits = {
  readonly asset: string;
  readonly transfer: string | undefined;
  readonly day: string | undefined;
  readonly recipientDay: string | undefined;
  readonly approveAbove: string | undefined;
};

const policyLabels = {
  policy: (source: string) => `Policy ${source}`,
  none: 'No policy applies to this bot: the wallet’s balance is the only limit.',
  left: 'Left in these 24 hours',
  counted: 'Counted',
  journal: 'Journal',
  recipients: 'Recipients',
  unusual: 'Unusual ones',
  refused: 'refused, even with --allow-unusual',
  fresh: 'New journals',
  approvals: 'Approvals',
  another:
    'only by someone other than who asked for it, told apart by user and host or, in a shared journal, by database role. This rule is for honest people: anyone with the token can pay without botctl',
  allowed: 'may begin to count',
  confirm: 'Transfers',
  confirmed: 'confirmed by a person, or with --yes',
  only: (isOnly: boolean) =>
    isOnly ? 'only those named here' : 'anyone, except addresses that look like one of them',
  limits: (
    { asset, transfer, day, recipientDay, approveAbove }: Limits,
    format: (amount: string, asset: string) => string,
  ): string => {
    const said = (amount: string | undefined, what: string): string[] =>
      amount === undefined ? [] : [`${format(amount, asset)} ${what}`];
    const all = [
      ...said(transfer, 'at once'),
      ...said(day, 'in 24 hours'),
      ...said(recipientDay, 'in 24 hours to one address'),
      ...said(approveAbove, 'without a person’s approval'),
    ];
    return all.length === 0 ? 'without a limit' : `at most ${listed(all)}`;
  },
} as const;

type Left = {
  readonly asset: string;
  readonly limit: string;
  readonly spent: string;
  readonly remaining: string;
  readonly freeAtMs: number | undefined;
};

function leftWords(left: Left): string {
  const of = (amount: string): string => formatAmountOf(amount, left.asset);
  if (left.freeAtMs !== undefined)
    return `nothing until ${iso(left.freeAtMs)}: this journal is too new for a daily limit`;
  return `${of(left.remaining)} of ${of(left.limit)}; ${of(left.spent)} spent or in doubt`;
}

/** How much of the window this journal's records of spending cover. */
function countedWords(sinceMs: number, isWhole: boolean): string {
  return isWhole
    ? 'all of these 24 hours'
    : `since ${iso(sinceMs)}: this journal may not know everything before that`;
}
