import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import type { Asked } from '../engine/doing.ts';
import { Failure } from '../errors.ts';
import { type ButtonWord, rowsFrom } from '../intent/buttons.ts';
import { refusal } from '../intent/complaint.ts';
import { parseMessage } from '../intent/message.ts';
import { jsonOf, payloadOf, refuseSharedStdin, textOf } from './inputs.ts';
import { namingOf } from './naming.ts';
import { doOnce } from './once.ts';

export const run: Run = async (given, context) => doOnce(await parse(given, context), given, context);

async function parse(given: Given, context: Context): Promise<Asked> {
  refuseBoth(given, 'content', 'content-file');
  refuseBoth(given, 'button', 'components');
  refuseSharedStdin(given, ['content-file', 'components', 'payload', 'token-file']);
  const payload = await payloadOf(given, context);
  const overrides = {
    conversation_id: given.text('conversation'),
    content: await contentOf(given, context),
    reply_to_message_id: given.text('reply-to'),
    components: await componentsOf(given, context),
  };
  const fields = { ...payload };
  for (const [name, value] of Object.entries(overrides)) if (value !== undefined) fields[name] = value;
  const { wanted, payloadKey } = parseMessage(fields);
  return { wanted, naming: namingOf(given, context, payloadKey) };
}

async function contentOf(given: Given, context: Context): Promise<string | undefined> {
  const fromFile = await textOf('content-file', given, context);
  if (fromFile === undefined) return given.text('content');
  // The newline that every tool puts at the end of a file is not part of what was written.
  return fromFile.replace(/\r?\n$/u, '');
}

async function componentsOf(given: Given, context: Context): Promise<unknown> {
  const words: ButtonWord[] = given.occurrences.flatMap(({ name, value }): ButtonWord[] => {
    if (name === 'row') return ['row'];
    return name === 'button' && value !== true ? [{ button: value }] : [];
  });
  const fromFile = await jsonOf('components', given, context);
  if (words.length === 0) return fromFile;
  const { rows, complaints } = rowsFrom(words);
  if (complaints.length > 0) throw refusal(complaints, 'The message');
  return rows;
}

function refuseBoth({ occurrences }: Given, one: string, other: string): void {
  if (![one, other].every((option) => occurrences.some(({ name }) => name === option))) return;
  throw new Failure('usage', `--${one} and --${other} are both given; nothing was sent.`, {
    hint: 'Give one of them.',
  });
}
