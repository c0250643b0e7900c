import { entryFailure } from '../../once/entry/failures.ts';
import { parseMessage, rowsFrom } from '../../once/entry/message.ts';
import type { Order } from '../../once/entry/naming.ts';
import type { App } from '../app.ts';
import type { Run } from '../parse/command.ts';
import { jsonFromOption, namingOf, payloadFields, payloadOf, textFromOption } from '../run/inputs.ts';
import { doOnce } from '../run/once.ts';
import { bothGiven } from '../wording/problem.ts';
import type { SendArgs } from './send.spec.ts';

export const run: Run<SendArgs> = async (app) => doOnce(await parse(app), app);

async function parse(app: App<SendArgs>): Promise<Order> {
  refuseBoth(app.args, 'content', 'content-file');
  refuseBoth(app.args, 'button', 'components');
  const payload = await payloadOf(app);
  const fromFile = app.args.text('content-file') !== undefined;
  const drawn = app.args.text('components') === undefined;
  const overrides = {
    conversation_id: { options: ['--conversation'], value: app.args.text('conversation') },
    content: {
      options: fromFile ? ['--content-file'] : ['--content', '--content-file'],
      value: await contentOf(app),
    },
    reply_to_message_id: { options: ['--reply-to'], value: app.args.text('reply-to') },
    components: { options: [drawn ? '--button' : '--components'], value: await componentsOf(app) },
  };
  const { fields, options } = payloadFields(payload, overrides);
  const { wanted, payloadKey } = parseMessage(fields, options);
  return { wanted, naming: namingOf(app, payloadKey) };
}

async function contentOf(app: App<SendArgs>): Promise<string | undefined> {
  const reader = app.args.text('content') === '-' ? 'content' : 'content-file';
  const fromFile = await textFromOption(reader, app);
  if (fromFile === undefined) return app.args.text('content');
  // Most tools end a file with a newline that is not part of the message.
  return fromFile.replace(/\r?\n$/u, '');
}

async function componentsOf(app: App<SendArgs>): Promise<unknown> {
  const buttons = app.args.all('button');
  const fromFile = await jsonFromOption('components', app);
  if (buttons.length === 0) return fromFile;
  const { rows, complaints } = rowsFrom(buttons);
  if (complaints.length > 0) throw entryFailure('not-valid', { kind: 'message', complaints, options: {} });
  return rows;
}

function refuseBoth({ occurrences }: SendArgs, one: string, other: string): void {
  const isGiven = (option: string): boolean => occurrences.some(({ name }) => name === option);
  if (isGiven(one) && isGiven(other)) throw bothGiven(one, other);
}
