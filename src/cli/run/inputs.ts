import type { Until } from '../../chain/verify.ts';
import type { Bot } from '../../once/connection.ts';
import type { EngineContext } from '../../once/engine/context.ts';
import type { Plan } from '../../once/engine/plan.ts';
import type { AllowedRecipients } from '../../once/entry/address.ts';
import { isNamed, type Naming, namingFrom, type Order } from '../../once/entry/naming.ts';
import type { OptionsOfField } from '../../once/entry/rules.ts';
import { unknownAsset } from '../../once/entry/unusual.ts';
import { failureWith } from '../../once/failures.ts';
import type { Reads } from '../../once/journal/journal.ts';
import type { App } from '../app.ts';
import type { ChainBot } from '../bot/chooseBot.ts';
import type { Args } from '../parse/args.ts';
import type { BalanceShown } from './balance.ts';

const maxFileBytes = 1024 * 1024;

/** The name, for people, of the input that an option reads. */
export function sourceOf<Option extends string>(option: Option, args: Args<Option>): string {
  const path = args.text(option) ?? '';
  return path === '-' ? `--${option} (stdin)` : path;
}

/** The text of the file that an option names, if the option is given. */
export async function textFromOption<Option extends string>(
  option: Option,
  app: App<Args<Option>>,
): Promise<string | undefined> {
  const path = app.args.text(option);
  return path === undefined ? undefined : textAt(path, sourceOf(option, app.args), app);
}

/** The text of a file, or of stdin if its path is `-`. */
export async function textAt(path: string, source: string, app: App): Promise<string> {
  if (path === '-' && app.stdin.isTTY === true)
    app.display.notice(`${source} is read from the terminal; Ctrl-D ends it.`);
  const { wholeOf } = await import('../../once/input.ts');
  const input = {
    ...{ path, name: source, interrupted: app.interrupts.first },
    get stdin() {
      return app.stdin;
    },
  };
  const bytes = await wholeOf(input, maxFileBytes);
  const { decodeUtf8 } = await import('../../once/entry/jsonText.ts');
  return decodeUtf8(bytes, source);
}

/** The JSON in the file that an option names, if the option is given. */
export async function jsonFromOption<Option extends string>(
  option: Option,
  app: App<Args<Option>>,
): Promise<unknown> {
  const text = await textFromOption(option, app);
  if (text === undefined) return undefined;
  const { parseJson } = await import('../../once/entry/jsonText.ts');
  return parseJson(text, sourceOf(option, app.args));
}

/** A field's value from the options, and the options that can set the field. */
type Override = { readonly options: readonly string[]; readonly value: unknown };

type InputFields = { readonly fields: Record<string, unknown>; readonly options: OptionsOfField };

/** The fields of a request: those of `--payload`, if given, overridden by the options. */
export function payloadFields(
  payload: Record<string, unknown> | undefined,
  overrides: Readonly<Record<string, Override>>,
): InputFields {
  const fields = { ...payload };
  const options: Record<string, readonly string[]> = {};
  for (const [field, override] of Object.entries(overrides)) {
    if (override.value !== undefined) fields[field] = override.value;
    // A field that no option sets may come from the payload.
    if (override.value !== undefined || payload === undefined) options[field] = override.options;
  }
  return { fields, options };
}

/** The object of `--payload`: the whole request body, which the other options override. */
export async function payloadOf(app: App<Args<'payload'>>): Promise<Record<string, unknown> | undefined> {
  const payload = await jsonFromOption('payload', app);
  if (payload === undefined) return undefined;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw failureWith('bad-input')`The payload is not a JSON object
      Give the whole request body, like {"conversation_id": "…", "content": "…"}.`;
  }
  return { ...payload };
}

export function allowedRecipients(args: Args): AllowedRecipients {
  return args.has('allow-off-curve') ? 'off-curve' : 'wallets';
}

export function namingOf(app: App<Args<'idempotency-key' | 'once'>>, payloadKey: string | undefined): Naming {
  const { env } = app;
  return namingFrom({
    once: app.args.text('once'),
    key: app.args.text('idempotency-key'),
    payloadKey,
    runFromEnv: env.BOTCTL_RUN,
  });
}

/** `--wait` alone means finalized. */
export function waitOf(args: Args<'wait'>): Until | undefined {
  if (!args.flag('wait')) return undefined;
  const until = args.text('wait') ?? 'finalized';
  if (until !== 'confirmed' && until !== 'finalized')
    throw failureWith('usage')`--wait=${until} is neither confirmed nor finalized
      Use --wait for finalized, or --wait=confirmed.`;
  return until;
}

/** The wallet's balance beside a payment. */
export async function balanceFor(
  { wanted }: Order,
  bot: ChainBot,
  app: App,
): Promise<BalanceShown | undefined> {
  if (wanted.kind === 'message') return undefined;
  const { balanceToPay } = await import('./balance.ts');
  return balanceToPay([wanted.request], bot, app);
}

/** How often this journal has paid the recipient; undefined for a message or a retry. */
export async function paidBeforeTo(
  { is }: Plan,
  { wanted }: Order,
  reads: Pick<Reads, 'paidBefore'> | undefined,
  nowMs: number,
): Promise<string | undefined> {
  if (wanted.kind === 'message' || is === 'retry') return undefined;
  const { paidBeforeWords } = await import('../wording/outcomes.ts');
  const before = await reads?.paidBefore(wanted.request.to_address);
  return paidBeforeWords(before ?? { times: 0, lastMs: undefined }, nowMs);
}

/** Warnings about values that the service may not know. */
export async function doubtsAbout({ wanted }: Order, { own }: Pick<Bot, 'own'>): Promise<string[]> {
  const unknown = unknownAsset(wanted, own);
  if (unknown === undefined) return [];
  const { warningWords } = await import('../wording/entry.ts');
  return [warningWords(unknown)];
}

/** `--repeat` needs a name: without one, each run would be another payment. */
export function repeatsOf({ naming }: Order, args: Args): EngineContext['besides'] {
  if (!args.has('repeat')) return undefined;
  if (isNamed(naming)) return 'all';
  throw failureWith(
    'usage',
  )`--repeat needs a name: it pays the same again, and only a name tells that from a re-run
    Name this payment: --once NAME.`;
}
