import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { bytesOf } from '../input/bytes.ts';
import type { OptionsOfField } from '../intent/complaint.ts';
import { inputTooLong, notAPayload, readFromTerminal, sharedStdin, stdinOf } from '../words/requestInput.ts';

const maxFileBytes = 1024 * 1024;

/** Options that read a file, or stdin where they say `-`. Only one of them can have stdin. */
export function refuseSharedStdin(given: Given, names: readonly string[]): void {
  const readers = names.filter((name) => given.text(name) === '-');
  if (readers.length >= 2) throw sharedStdin(readers);
}

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
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const bytes of bytesOf(source)) {
    length += bytes.length;
    if (length > maxFileBytes) throw inputTooLong(name, maxFileBytes);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** The text of the file that an option names, if it is given. */
export async function textOf(
  option: string,
  given: Given,
  context: InputContext,
): Promise<string | undefined> {
  const path = given.text(option);
  if (path === undefined) return undefined;
  const source = path === '-' ? stdinOf(option) : path;
  if (path === '-' && context.display.interactive) {
    context.display.notice(readFromTerminal(option));
  }
  const bytes = await readBytes(path, source, context);
  const { decodeUtf8 } = await import('../intent/jsonText.ts');
  return decodeUtf8(bytes, source);
}

/** The JSON of the file that an option names, if it is given. */
export async function jsonOf(option: string, given: Given, context: Context): Promise<unknown> {
  const text = await textOf(option, given, context);
  if (text === undefined) return undefined;
  const path = given.text(option);
  const { parseJson } = await import('../intent/jsonText.ts');
  return parseJson(text, path === '-' ? stdinOf(option) : String(path));
}

/** What an option says of a field, and the options that can say it. */
type Override = { readonly options: readonly string[]; readonly value: unknown };

type Fields = { readonly fields: Record<string, unknown>; readonly options: OptionsOfField };

/** The fields of a request: those of `--payload`, where it is given, and over them what options say. */
export function fieldsOf(
  payload: Record<string, unknown> | undefined,
  overrides: Readonly<Record<string, Override>>,
): Fields {
  const fields = { ...payload };
  const options: Record<string, readonly string[]> = {};
  for (const [field, override] of Object.entries(overrides)) {
    if (override.value !== undefined) fields[field] = override.value;
    // A field that no option gave is looked for in the payload.
    if (override.value !== undefined || payload === undefined) options[field] = override.options;
  }
  return { fields, options };
}

/** The object of `--payload`: the whole request body, which the other options override. */
export async function payloadOf(
  given: Given,
  context: Context,
): Promise<Record<string, unknown> | undefined> {
  const payload = await jsonOf('payload', given, context);
  if (payload === undefined) return undefined;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw notAPayload();
  }
  return { ...payload };
}
