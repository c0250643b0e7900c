import type { Until } from '../../once/chain/settle.ts';
import type { Bot } from '../../once/connection.ts';
import type { AllowedRecipients } from '../../once/intent/address.ts';
import type { OptionsOfField } from '../../once/intent/facts.ts';
import { type Naming, namingFrom, type Order } from '../../once/intent/naming.ts';
import { isUnknownAsset, refuseUnusual } from '../../once/intent/unusual.ts';
import { parseDuration } from '../bot/settings.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { notAWait } from '../say/chain.ts';
import { notAWaitTimeout, waitTimeoutAlone } from '../say/commandLine.ts';
import { inputTooLong, notAPayload, readFromTerminal, stdinOf } from '../say/progress.ts';

const maxFileBytes = 1024 * 1024;

type InputContext = Pick<Context, 'stdin' | 'interrupts' | 'display'>;

async function readBytes(path: string, name: string, context: InputContext): Promise<Uint8Array> {
  const source = {
    path,
    name,
    get stdin() {
      return context.stdin;
    },
    interrupted: context.interrupts.first,
  };
  const { bytesOf } = await import('../../once/input.ts');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const bytes of bytesOf(source)) {
    length += bytes.length;
    if (length > maxFileBytes) throw inputTooLong(name, maxFileBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** What people call what an option reads. */
export function sourceOf(option: string, given: ParsedArgs): string {
  const path = given.text(option) ?? '';
  return path === '-' ? stdinOf(option) : path;
}

/** The text of the file that an option names, if the option is given. */
export async function textOf(
  option: string,
  given: ParsedArgs,
  context: InputContext,
): Promise<string | undefined> {
  const path = given.text(option);
  return path === undefined ? undefined : textAt(path, sourceOf(option, given), context);
}

/** The text of a file, or of stdin if its path is `-`. */
export async function textAt(path: string, source: string, context: InputContext): Promise<string> {
  if (path === '-' && context.stdin.isTTY === true) context.display.notice(readFromTerminal(source));
  const bytes = await readBytes(path, source, context);
  const { decodeUtf8 } = await import('../../once/intent/jsonText.ts');
  return decodeUtf8(bytes, source);
}

/** The JSON in the file that an option names, if the option is given. */
export async function jsonOf(option: string, given: ParsedArgs, context: Context): Promise<unknown> {
  const text = await textOf(option, given, context);
  if (text === undefined) return undefined;
  const { parseJson } = await import('../../once/intent/jsonText.ts');
  return parseJson(text, sourceOf(option, given));
}

/** A field's value from the options, and the options that can set the field. */
type Override = { readonly options: readonly string[]; readonly value: unknown };

type InputFields = { readonly fields: Record<string, unknown>; readonly options: OptionsOfField };

/** The fields of a request: those of `--payload`, if given, overridden by the options. */
export function fieldsOf(
  payload: Record<string, unknown> | undefined,
  overrides: Readonly<Record<string, Override>>,
): InputFields {
  const fields = { ...payload };
  const options: Record<string, readonly string[]> = {};
  for (const [field, override] of Object.entries(overrides)) {
    if (override.value !== undefined) fields[field] = override.value;
    // A field that no option set may come from the payload.
    if (override.value !== undefined || payload === undefined) options[field] = override.options;
  }
  return { fields, options };
}

/** The object of `--payload`: the whole request body, which the other options override. */
export async function payloadOf(
  given: ParsedArgs,
  context: Context,
): Promise<Record<string, unknown> | undefined> {
  const payload = await jsonOf('payload', given, context);
  if (payload === undefined) return undefined;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw notAPayload();
  }
  return { ...payload };
}

export function allowedRecipients(given: ParsedArgs): AllowedRecipients {
  return { offCurve: given.flag('allow-off-curve'), unusual: given.flag('allow-unusual') };
}

/** Called once the bot is known. */
export function refuseUnusualFor({ wanted }: Order, { own }: Bot, given: ParsedArgs): void {
  if (wanted.kind === 'transfer' && !given.flag('allow-unusual')) refuseUnusual(wanted, own);
}

export function namingOf(given: ParsedArgs, { env }: Context, payloadKey: string | undefined): Naming {
  return namingFrom({
    once: given.text('once'),
    run: given.text('run'),
    key: given.text('idempotency-key'),
    payloadKey,
    runFromEnv: env.BOTCTL_RUN,
  });
}

export type WaitOptions = { readonly until: Until; readonly waitMs: number };

const defaultWaitMs = 120_000;

/** The value of `--wait`; undefined without the option. */
export function waitOptions(given: ParsedArgs): WaitOptions | undefined {
  const timeout = given.text('wait-timeout');
  if (!given.flag('wait')) {
    if (timeout !== undefined) throw waitTimeoutAlone();
    return undefined;
  }
  const until = given.text('wait') ?? 'finalized';
  if (until !== 'confirmed' && until !== 'finalized') throw notAWait(until);
  const waitMs = timeout === undefined ? defaultWaitMs : parseDuration(timeout);
  if (waitMs === undefined) throw notAWaitTimeout(timeout ?? '');
  return { until, waitMs };
}

/** What the service may not know. */
export async function doubtsAbout(
  { wanted: { kind, request } }: Order,
  { own = {} }: Pick<Bot, 'own'>,
): Promise<string[]> {
  if (kind === 'message' || !isUnknownAsset(request.asset, own)) return [];
  const { warningWords } = await import('../say/intent.ts');
  return [warningWords({ is: 'unknown-asset', asset: request.asset, known: Object.keys(own.assets ?? {}) })];
}
