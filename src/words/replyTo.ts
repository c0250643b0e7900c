import type { Intent } from '../journal/journal.ts';
import { Told } from './told.ts';

export function noSuchMessage(word: string, place: string): Told {
  return new Told(
    'no-such-intent',
    `No message of the journal ${place} is called ${JSON.stringify(word)}, by --once or by its ID`,
    {
      hint: 'A name is what --once gave to a message. These are the messages that this journal has:',
      next: [['history', '--kind', 'message']],
    },
  );
}

export function repliesElsewhere(
  replied: { readonly id: string; readonly messageId: string; readonly conversation: string | undefined },
  conversation: string,
): Told {
  return new Told(
    'bad-input',
    `Intent ${replied.id} is a message in ${replied.conversation}, and this one would be in ${conversation}`,
    {
      hint: `Leave out --conversation, or give --reply-to ${replied.messageId} instead if it is meant so.`,
      next: [['history', replied.id]],
    },
  );
}

export function severalMessages(word: string, ids: readonly string[]): Told {
  return new Told('usage', `${JSON.stringify(word)} is more than one intent: ${ids.join(', ')}`, {
    hint: 'Give the ID of one of them.',
    next: [['history', ...ids]],
  });
}

export function noMessageToReplyTo(word: string, { id, state }: Pick<Intent, 'id' | 'state'>): Told {
  return new Told(
    'not-allowed-now',
    `${JSON.stringify(word)} (intent ${id}) is ${state}: no message of it is known to reply to`,
    { hint: 'It must be accepted first, with an id in its reply.', next: [['history', id]] },
  );
}
