import type { Intent, Journal } from '../../../once/journal/journal.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { noMessageToReplyTo, noSuchMessage, repliesElsewhere, severalMessages } from '../../say/decisions.ts';
import { idOrSignature, requestOf } from '../../show/report.ts';
import { isJournalThere, journalLocation, openJournalOf, shownLocation } from '../openJournal.ts';
import { storedReport } from '../stored.ts';

export type RepliedTo = {
  readonly id: string;
  readonly messageId: string;
  readonly conversation: string | undefined;
};

/** The accepted message of an intent of this journal, by its ID or by its --once name. */
export async function repliedTo(word: string, given: ParsedArgs, context: Context): Promise<RepliedTo> {
  if (!(await isJournalThere(given, context)))
    throw noSuchMessage(word, await shownLocation(await journalLocation(given, context)));
  const journal = await openJournalOf(given, context, 'look');
  try {
    const intent = await messageOf(word, journal);
    const messageId = idOrSignature(await storedReport(intent, given.command, journal.reads));
    if (intent.state !== 'accepted' || messageId === undefined) throw noMessageToReplyTo(word, intent);
    const { conversation_id: conversation } = requestOf(intent);
    return {
      id: intent.id,
      messageId,
      conversation: typeof conversation === 'string' ? conversation : undefined,
    };
  } finally {
    await journal.close();
  }
}

/** Refuses a message of another conversation: its name or ID is a mistake. */
export function refuseElsewhere(replied: RepliedTo, conversation: unknown): void {
  if (replied.conversation === undefined || replied.conversation === conversation) return;
  throw repliesElsewhere(replied, String(conversation));
}

async function messageOf(word: string, journal: Journal): Promise<Intent> {
  const named = await namedSo(word, journal);
  const byId = await idBeginsSo(word, journal);
  const found = new Map([...named, ...byId].map((intent) => [intent.id, intent]));
  if (found.size > 1) throw severalMessages(word, [...found.keys()]);
  const [only] = found.values();
  if (only?.kind === 'message') return only;
  throw noSuchMessage(word, journal.place);
}

async function namedSo(name: string, { reads }: Journal): Promise<readonly Intent[]> {
  const named: Intent[] = [];
  for await (const intent of reads.select({ nameStart: name, kind: 'message', limit: mostOfOneStart }))
    if (intent.name === name && intent.namedBy === 'once') named.push(intent);
  return named;
}

const mostOfOneStart = 10_000;

async function idBeginsSo(word: string, { reads }: Journal): Promise<readonly Intent[]> {
  return word.length < 4 ? [] : reads.startingWith(word);
}
