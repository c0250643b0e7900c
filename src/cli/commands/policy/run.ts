import { resolve } from 'node:path';
import { spendingOf } from '../../../once/engine/spend.ts';
import { type Exit, Failure } from '../../../once/failures.ts';
import { amountOf } from '../../../once/intent/amount.ts';
import { type Spellings, spellingsOf } from '../../../once/intent/spellings.ts';
import type { Journal } from '../../../once/journal/journal.ts';
import { assetsIn, limitsOf, type Policies, type Policy, spentWithin } from '../../../once/policy/policy.ts';
import { readPolicy } from '../../../once/policy/readPolicy.ts';
import { readSafely } from '../../bot/policyFile.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { inWords } from '../../say/inWords.ts';
import { formatAmountOf, listed } from '../../say/phrases.ts';
import { Told } from '../../say/told.ts';
import { type Fact, jsonOf, labelled } from '../../show/card.ts';
import type { View } from '../../show/display.ts';
import { safeLine } from '../../show/text.ts';
import { textAt } from '../inputs.ts';
import { refuseBesideSandbox } from '../openBot.ts';
import { isJournalThere, openJournalOf, whileOpen } from '../openJournal.ts';
import { policiesAndSpellings } from '../policies.ts';

/** Shows the policies of the chosen bot, and what they leave. */
export async function run(given: ParsedArgs, context: Context): Promise<Exit> {
  if (given.flag('sandbox')) refuseBesideSandbox(given);
  const { policies, spellings } = await policiesAndSpellings(given, context);
  const { command } = given;
  if (!(await isJournalThere(given, context))) {
    await context.display.show(policyView(command, policies));
    return 0;
  }
  return whileOpen(openJournalOf(given, context, 'look'), async (journal): Promise<Exit> => {
    await context.display.show(policyView(command, policies, await leftOf(policies, spellings, journal)));
    return 0;
  });
}

/** Of an asset's tightest daily limit. */
type LeftOfAsset = {
  readonly asset: string;
  readonly limit: string;
  readonly spent: string;
  readonly remaining: string;
  readonly source: string;
};

/** What is left in these 24 hours of each asset with a daily limit. */
async function leftOf(
  policies: Policies,
  known: Spellings | undefined,
  { reads, clock }: Pick<Journal, 'reads' | 'clock'>,
): Promise<LeftOfAsset[]> {
  const nowMs = clock.now();
  const left: LeftOfAsset[] = [];
  for (const asset of assetsIn(policies)) {
    const spellings = spellingsOf(asset, known);
    const [tightest] = limitsOf(policies, { spellings })
      .flatMap(({ day, source }) => (day === undefined ? [] : [{ day, source }]))
      .sort((one, other) => (one.day < other.day ? -1 : 1));
    if (tightest === undefined) continue;
    const spending = await spendingOf({ spellings }, reads, nowMs);
    const spent = spentWithin(spending, nowMs);
    const remaining = spent < tightest.day ? tightest.day - spent : 0n;
    left.push({
      asset,
      limit: amountOf(tightest.day),
      spent: amountOf(spent),
      remaining: amountOf(remaining),
      source: tightest.source,
    });
  }
  return left;
}

/** Reads a policy as a sending command would, and shows its contents. */
export async function check(given: ParsedArgs, context: Context): Promise<Exit> {
  const { display } = context;
  const { path, policy } = await givenPolicy(given, context);
  await display.show(policyView(given.command, [policy]));
  if (!display.quiet) display.notice(`${path} is a valid policy.`);
  return 0;
}

type GivenPolicy = { readonly path: string; readonly policy: Policy };

/** The policy file that the command names. */
async function givenPolicy({ args }: ParsedArgs, context: Context): Promise<GivenPolicy> {
  const [named = ''] = args;
  const path = named === '-' ? 'stdin' : resolve(named);
  try {
    const text = named === '-' ? await textAt(named, path, context) : (readSafely(path, 'is-refused') ?? '');
    return { path, policy: readPolicy(text, path) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    // Here the policy is an input file like any other: a fault in it prevents no sending.
    const { message, details } = await inWords(thrown);
    throw new Told('bad-file', message, details);
  }
}

function policyView(command: string, policies: Policies, left?: readonly LeftOfAsset[]): View {
  return {
    json: jsonOf(command, [['', undefined, { policies: policies.map(policyJson), left }]]),
    human: (canvas) => {
      const { paint } = canvas;
      if (policies.length === 0)
        return `${'No policy applies to this bot: the wallet’s balance is the only limit.'}\n`;
      const drawn = (title: string, lines: readonly Fact[]): string =>
        `${paint.bold(title)}\n${labelled(lines, canvas)}`;
      const parts = policies.map((policy) => drawn(safeLine(`Policy ${policy.source}`), policyLines(policy)));
      if (left === undefined || left.length === 0) return parts.join('\n');
      const lines: Fact[] = left.map((one) => [one.asset, leftWords(one)]);
      return [...parts, drawn('Left in these 24 hours', lines)].join('\n');
    },
  };
}

const textOf = (units: bigint | undefined): string | undefined =>
  units === undefined ? undefined : amountOf(units);

/** As scripts see it: without what it does not say. */
function policyJson(policy: Policy): Record<string, unknown> {
  const { source, limits, recipients, onlyRecipients, approvals } = policy;
  return {
    source,
    limits: [...limits].map(([asset, { transfer, day, approveAbove }]) => ({
      asset,
      transfer: textOf(transfer),
      day: textOf(day),
      approve_above: textOf(approveAbove),
    })),
    recipients: [...recipients].map(([name, address]) => ({ name, address })),
    only_recipients: onlyRecipients,
    approvals,
  };
}

function policyLines(policy: Policy): Fact[] {
  const { limits, recipients, onlyRecipients, approvals } = policy;
  return [
    ...[...limits].map(([asset, line]): Fact => [asset, limitWords(asset, line)]),
    ...[...recipients].map(([name, address]): Fact => [`@${name}`, address]),
    ['Recipients', onlyRecipients ? 'only those named here' : 'anyone'],
    [
      'Approvals',
      approvals === 'other'
        ? 'only by someone other than who asked for it, told apart by user and host or, in a shared journal, by database role. This rule is for honest people: anyone with the token can pay without botctl'
        : undefined,
    ],
  ];
}

type Limits = Policy['limits'] extends ReadonlyMap<string, infer Line> ? Line : never;

function limitWords(asset: string, { transfer, day, approveAbove }: Limits): string {
  const said = (units: bigint | undefined, what: string): string[] =>
    units === undefined ? [] : [`${formatAmountOf(amountOf(units), asset)} ${what}`];
  const all = [
    ...said(transfer, 'at once'),
    ...said(day, 'in 24 hours'),
    ...said(approveAbove, 'without a person’s approval'),
  ];
  return all.length === 0 ? 'without a limit' : `at most ${listed(all)}`;
}

function leftWords({ asset, limit, spent, remaining }: LeftOfAsset): string {
  const of = (amount: string): string => formatAmountOf(amount, asset);
  return `${of(remaining)} of ${of(limit)}; ${of(spent)} spent or in doubt`;
}
