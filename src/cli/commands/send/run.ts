import { intentFailure } from '../../../once/intent/facts.ts';
import { type ButtonWord, parseMessage, rowsFrom } from '../../../once/intent/message.ts';
import type { Order } from '../../../once/intent/naming.ts';
import type { Context, ParsedArgs, Run } from '../../parse/command.ts';
import { bothGiven } from '../../say/progress.ts';
import { fieldsOf, jsonOf, namingOf, payloadOf, textOf } from '../inputs.ts';
import { doOnce } from '../once.ts';
import type { RepliedTo } from './replyTo.ts';

export const run: Run = async (given, context) => doOnce(await parse(given, context), given, context);

async function parse(given: ParsedArgs, context: Context): Promise<Order> {
  refuseBoth(given, 'content', 'content-file');
  refuseBoth(given, 'button', 'components');
  refuseBoth(given, 'reply-to', 'reply-to-entry');
  const payload = await payloadOf(given, context);
  const fromFile = given.text('content-file') !== undefined;
  const drawn = given.text('components') === undefined;
  const replied = await repliedToOf(given, context);
  const overrides = {
    conversation_id: {
      options: ['--conversation'],
      // Without another value, a reply goes to the conversation of the original message.
      value:
        given.text('conversation') ??
        (payload?.conversation_id === undefined ? replied?.conversation : undefined),
    },
    content: {
      options: fromFile ? ['--content-file'] : ['--content', '--content-file'],
      value: await contentOf(given, context),
    },
    reply_to_message_id: {
      options: [replied === undefined ? '--reply-to' : '--reply-to-entry'],
      value: replied?.messageId ?? given.text('reply-to'),
    },
    components: { options: [drawn ? '--button' : '--components'], value: await componentsOf(given, context) },
  };
  const { fields, options } = fieldsOf(payload, overrides);
  const { wanted, payloadKey } = parseMessage(fields, options);
  if (replied !== undefined) (await import('./replyTo.ts')).refuseElsewhere(replied, fields.conversation_id);
  return { wanted, naming: namingOf(given, context, payloadKey) };
}

async function repliedToOf(given: ParsedArgs, context: Context): Promise<RepliedTo | undefined> {
  const word = given.text('reply-to-entry');
  if (word === undefined) return undefined;
  const { repliedTo } = await import('./replyTo.ts');
  return repliedTo(word, given, context);
}

async function contentOf(given: ParsedArgs, context: Context): Promise<string | undefined> {
  const reader = given.text('content') === '-' ? 'content' : 'content-file';
  const fromFile = await textOf(reader, given, context);
  if (fromFile === undefined) return given.text('content');
  // Most tools end a file with a newline that is not part of the message.
  return fromFile.replace(/\r?\n$/u, '');
}

async function componentsOf(given: ParsedArgs, context: Context): Promise<unknown> {
  const words: ButtonWord[] = given.occurrences.flatMap(({ name, value }): ButtonWord[] => {
    if (name === 'row') return ['row'];
    return name === 'button' && value !== true ? [{ button: value }] : [];
  });
  const fromFile = await jsonOf('components', given, context);
  if (words.length === 0) return fromFile;
  const { rows, complaints } = rowsFrom(words);
  if (complaints.length > 0) throw intentFailure('not-valid', { kind: 'message', complaints, options: {} });
  return rows;
}

function refuseBoth({ occurrences }: ParsedArgs, one: string, other: string): void {
  const isGiven = (option: string): boolean => occurrences.some(({ name }) => name === option);
  if (isGiven(one) && isGiven(other)) throw bothGiven(one, other);
}
