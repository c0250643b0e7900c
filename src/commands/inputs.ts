import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { bytesOf } from '../input/bytes.ts';

const maxFileBytes = 1024 * 1024;

/** Options that read a file, or stdin where they say `-`. Only one of them can have stdin. */
export function refuseSharedStdin(given: Given, names: readonly string[]): void {
  const readers = names.filter((name) => given.text(name) === '-');
  if (readers.length < 2) return;
  throw new Failure('usage', `--${readers.join(' and --')} all want to read stdin. Nothing was sent.`, {
    hint: 'Only one of them can be -; give the others as files.',
  });
}

type World = Pick<Context, 'stdin' | 'interrupts' | 'display'>;

async function readBytes(path: string, name: string, world: World): Promise<Uint8Array> {
  const source = {
    path,
    name,
    get stdin() {
      return world.stdin;
    },
    interrupted: world.interrupts.first,
  };
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const bytes of bytesOf(source)) {
    length += bytes.length;
    if (length > maxFileBytes) throw tooLong(name);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function tooLong(source: string): Failure {
  return new Failure('bad-file', `${source} is longer than ${maxFileBytes} bytes. Nothing was sent.`, {
    hint: 'No request of this service is that long. Is it the right file?',
  });
}

/** The text of the file that an option names, if it is given. */
export async function textOf(option: string, given: Given, world: World): Promise<string | undefined> {
  const path = given.text(option);
  if (path === undefined) return undefined;
  const source = path === '-' ? `--${option} (stdin)` : path;
  if (path === '-' && world.display.interactive) {
    world.display.notice(`--${option} is read from the terminal; Ctrl-D ends it.`);
  }
  const bytes = await readBytes(path, source, world);
  const { decodeUtf8 } = await import('../intent/jsonText.ts');
  return decodeUtf8(bytes, source);
}

/** The JSON of the file that an option names, if it is given. */
export async function jsonOf(option: string, given: Given, context: Context): Promise<unknown> {
  const text = await textOf(option, given, context);
  if (text === undefined) return undefined;
  const path = given.text(option);
  const { parseJson } = await import('../intent/jsonText.ts');
  return parseJson(text, path === '-' ? `--${option} (stdin)` : String(path));
}

/** The object of `--payload`: the whole request body, which the other options override. */
export async function payloadOf(given: Given, context: Context): Promise<Record<string, unknown>> {
  const payload = await jsonOf('payload', given, context);
  if (payload === undefined) return {};
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new Failure('bad-input', 'The payload is not a JSON object. Nothing was sent.', {
      hint: 'Give the whole request body, like {"conversation_id": "…", "content": "…"}.',
    });
  }
  return { ...payload };
}
