import { resolve } from 'node:path';
import { amountOf } from '../../once/entry/amount.ts';
import { type AssetNames, assetNamesOf } from '../../once/entry/assetNames.ts';
import { asFailure, type Exit, Failure } from '../../once/failures.ts';
import type { Journal } from '../../once/journal/journal.ts';
import { formatAmountOf, listed } from '../../once/phrases.ts';
import { assetsIn, limitsOf, type Policies, type Policy } from '../../policy/policy.ts';
import { readPolicy } from '../../policy/readPolicy.ts';
import { spentInADay } from '../../policy/spend.ts';
import type { App } from '../app.ts';
import { readSafely } from '../bot/policyFile.ts';
import { refuseBesideSandbox } from '../open/bot.ts';
import { isThere } from '../open/journal.ts';
import { textAt } from '../run/inputs.ts';
import { type Fact, fieldsOf, jsonOf, labelled } from '../show/card.ts';
import type { View } from '../show/display.ts';
import { safeLine } from '../show/text.ts';

/** Shows the policies of the chosen bot, and how much they still allow. */
export async function run(app: App): Promise<Exit> {
  if (app.args.flag('sandbox')) refuseBesideSandbox(app.args);
  const policies = (await app.policies()) ?? [];
  const assetNames = (await app.knownBot())?.assetNames;
  const left = isThere(await app.where())
    ? await leftOf(policies, assetNames, await app.journal('look'))
    : undefined;
  await app.display.show(policyView(app.args.command, policies, left));
  return 0;
}

/** For each asset with a daily limit, what is left in these 24 hours. The strictest limit counts. */
async function leftOf(
  policies: Policies,
  known: AssetNames | undefined,
  { reads, clock }: Pick<Journal, 'reads' | 'clock'>,
): Promise<Fact[]> {
  const nowMs = clock.now();
  const left: Fact[] = [];
  for (const asset of assetsIn(policies)) {
    const assetNames = assetNamesOf(asset, known);
    const [tightest] = limitsOf(policies, { assetNames })
      .flatMap(({ day, source }) => (day === undefined ? [] : [{ day, source }]))
      .sort((one, other) => (one.day < other.day ? -1 : 1));
    if (tightest === undefined) continue;
    const { day, source } = tightest;
    const sum = await spentInADay({ assetNames }, reads, nowMs);
    const [limit, spent] = [amountOf(day), amountOf(sum)];
    const remaining = amountOf(sum < day ? day - sum : 0n);
    const of = (amount: string): string => formatAmountOf(amount, asset);
    const line = `${of(remaining)} of ${of(limit)}; ${of(spent)} spent or in doubt`;
    left.push([asset, line, { asset, limit, spent, remaining, source }]);
  }
  return left;
}

/** Reads a policy as a sending command would, and shows its contents. */
export async function check(app: App): Promise<Exit> {
  const { display } = app;
  const { path, policy } = await givenPolicy(app);
  await display.show(policyView(app.args.command, [policy]));
  if (!display.quiet) display.notice(`${path} is a valid policy.`);
  return 0;
}

type GivenPolicy = { readonly path: string; readonly policy: Policy };

async function givenPolicy(app: App): Promise<GivenPolicy> {
  const [named = ''] = app.args.words;
  const path = named === '-' ? 'stdin' : resolve(named);
  try {
    const text = named === '-' ? await textAt(named, path, app) : (readSafely(path, 'is-refused') ?? '');
    return { path, policy: readPolicy(text, path) };
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    // Here the policy is just an input file: a fault in it stops nobody from sending.
    const { message, details } = asFailure(thrown);
    throw new Failure('bad-file', message, details);
  }
}

function policyView(command: string, policies: Policies, left?: readonly Fact[]): View {
  const facts = policies.map(policyFacts);
  const fields = { policies: facts.map(fieldsOf), left: left?.map(([, , fields]) => fields) };
  return {
    json: jsonOf(command, [['', undefined, fields]]),
    human: (canvas) => {
      if (policies.length === 0)
        return 'No policy applies to this bot: the wallet’s balance is the only limit.\n';
      const drawn = (title: string, lines: readonly Fact[]): string =>
        `${canvas.paint.bold(safeLine(title))}\n${labelled(lines, canvas)}`;
      const parts = policies.map(({ source }, index) => drawn(`Policy ${source}`, facts[index] ?? []));
      if (left === undefined || left.length === 0) return parts.join('\n');
      return [...parts, drawn('Left in these 24 hours', left)].join('\n');
    },
  };
}

function policyFacts({ source, limits, recipients, onlyRecipients, approvals }: Policy): Fact[] {
  return [
    ['', undefined, { source }],
    ...each('limits', [...limits].map(limitFact)),
    ...each(
      'recipients',
      [...recipients].map(([name, address]) => [`@${name}`, address, { name, address }]),
    ),
    ['Recipients', onlyRecipients ? 'only those named here' : 'anyone', { only_recipients: onlyRecipients }],
    [
      'Approvals',
      approvals === 'other'
        ? 'only by a database role other than the one that asked; a journal in a file has no roles, so such a payment is refused there. This rule is for honest people: anyone with the token can pay without botctl'
        : undefined,
      { approvals },
    ],
  ];
}

/** Facts of one kind, which are a list of objects in JSON. */
function each(name: string, facts: readonly Fact[]): Fact[] {
  return [
    ['', undefined, { [name]: facts.map(([, , fields]) => fields) }],
    ...facts.map(([label, text]): Fact => [label, text]),
  ];
}

type Limits = Policy['limits'] extends ReadonlyMap<string, infer Line> ? Line : never;

function limitFact([asset, { transfer, day, approveAbove }]: [string, Limits]): Fact {
  const textOf = (units: bigint | undefined): string | undefined =>
    units === undefined ? undefined : amountOf(units);
  const fields = { asset, transfer: textOf(transfer), day: textOf(day), approve_above: textOf(approveAbove) };
  const said = (amount: string | undefined, what: string): string[] =>
    amount === undefined ? [] : [`${formatAmountOf(amount, asset)} ${what}`];
  const all = [
    ...said(fields.transfer, 'at once'),
    ...said(fields.day, 'in 24 hours'),
    ...said(fields.approve_above, 'without a person’s approval'),
  ];
  return [asset, all.length === 0 ? 'without a limit' : `at most ${listed(all)}`, fields];
}
