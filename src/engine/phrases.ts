import type { Kind } from '../intent/wanted.ts';
import type { Attempt } from '../journal/journal.ts';
import { readReply } from '../wire/reading.ts';

/** What happened, and what to do next. */
export type Words = { message: string; hint: string };

export const nouns: Readonly<Record<Kind, string>> = { message: 'message', transfer: 'transfer' };
export const done: Readonly<Record<Kind, string>> = { message: 'sent', transfer: 'made' };

export function iso(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/u, 'Z');
}

/** How long a wait is, as people say it. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 3600
    ? `${Math.floor(seconds / 60)} min ${seconds % 60} s`
    : `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** The last reply in a few words: its status and what the service says, or what went wrong on the way. */
export function shortly(attempt: Attempt | undefined): string {
  if (attempt === undefined) return 'no attempt was made';
  if (attempt.status === undefined) return attempt.trouble ?? 'no reply came';
  const complaint =
    attempt.reply === undefined || attempt.verdict === 'accepted'
      ? undefined
      : readReply({ body: attempt.reply, headers: attempt.headers }).complaint;
  const words = complaint?.message ?? complaint?.code;
  const trouble = attempt.trouble === undefined ? '' : `, ${attempt.trouble}`;
  return `status ${attempt.status}${words === undefined ? '' : `: "${words}"`}${trouble}`;
}
