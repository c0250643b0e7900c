import { entryFailure } from '../../once/entry/failures.ts';
import { parseMessage, rowsFrom } from '../../once/entry/message.ts';
import type { Order } from '../../once/entry/naming.ts';
import type { Context, Run } from '../parse/command.ts';
import type { SendArgs } from '../parse/sendingSpecs.ts';
import { bothGiven } from '../say/told.ts';
import { fieldsOf, jsonOf, namingOf, payloadOf, textOf } from './inputs.ts';
import { doOnce } from './once.ts';

export const run: Run<SendArgs> = async (given, context) =>
  doOnce(await parse(given, context), given, context);

async function parse(given: SendArgs, context: Context): Promise<Order> {
  refuseBoth(given, 'content', 'content-file');
  refuseBoth(given, 'button', 'components');
  const payload = await payloadOf(given, context);
  const fromFile = given.text('content-file') !== undefined;
  const drawn = given.text('components') === undefined;
  const overrides = {
    conversation_id: { options: ['--conversation'], value: given.text('conversation') },
    content: {
      options: fromFile ? ['--content-file'] : ['--content', '--content-file'],
      value: await contentOf(given, context),
    },
    reply_to_message_id: { options: ['--reply-to'], value: given.text('reply-to') },
    components: { options: [drawn ? '--button' : '--components'], value: await componentsOf(given, context) },
  };
  const { fields, options } = fieldsOf(payload, overrides);
  const { wanted, payloadKey } = parseMessage(fields, options);
  return { wanted, naming: namingOf(given, context, payloadKey) };
}

async function contentOf(given: SendArgs, context: Context): Promise<string | undefined> {
  const reader = given.text('content') === '-' ? 'content' : 'content-file';
  const fromFile = await textOf(reader, given, context);
  if (fromFile === undefined) return given.text('content');
  // Most tools end a file with a newline that is not part of the message.
  return fromFile.replace(/\r?\n$/u, '');
}

async function componentsOf(given: SendArgs, context: Context): Promise<unknown> {
  const buttons = given.all('button');
  const fromFile = await jsonOf('components', given, context);
  if (buttons.length === 0) return fromFile;
  const { rows, complaints } = rowsFrom(buttons);
  if (complaints.length > 0) throw entryFailure('not-valid', { kind: 'message', complaints, options: {} });
  return rows;
}

function refuseBoth({ occurrences }: SendArgs, one: string, other: string): void {
  const isGiven = (option: string): boolean => occurrences.some(({ name }) => name === option);
  if (isGiven(one) && isGiven(other)) throw bothGiven(one, other);
}
