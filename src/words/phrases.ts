import { envBot } from '../bot/bot.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Attempt, Intent } from '../journal/journal.ts';
import type { Complaint } from '../wire/readReply.ts';
import type { Suggestion } from './suggestion.ts';
import { troubleWords } from './trouble.ts';

/** What happened, and what to do next. */
export type Words = { message: string; hint: string; next?: readonly Suggestion[] };

export const nouns: Readonly<Record<Kind, string>> = { message: 'message', transfer: 'transfer' };
export const done: Readonly<Record<Kind, string>> = { message: 'sent', transfer: 'made' };
export const verbs: Readonly<Record<Kind, string>> = { message: 'send', transfer: 'make' };

/** Whose an earlier payment was that may be the one that is wanted now. */
export function byAnother({ bot }: Pick<Intent, 'bot'>): string {
  return bot === envBot ? 'with a token that is no profile’s' : `by the bot ${bot}`;
}

/** The last reply in a few words: its status and what the service says, or what went wrong on the way. */
export function summary(attempt: Attempt | undefined, complaint: Complaint | undefined): string {
  if (attempt === undefined) return 'no attempt was made';
  const trouble = attempt.trouble && troubleWords(attempt.trouble);
  if (attempt.status === undefined) return trouble ?? 'no reply came';
  const words = complaint?.message ?? complaint?.code;
  const said = words === undefined ? '' : `: "${words}"`;
  return `status ${attempt.status}${said}${trouble === undefined ? '' : `, ${trouble}`}`;
}
