import type { Display } from '../display/display.ts';

const noticeableMs = 300;

/**
 * Says once what is waited for, where a person is there to wait. For work in which something else may be talking
 * on the terminal, a vault asking for its password: there nothing must spin.
 */
export async function sayIfSlow<Result>(
  why: string,
  work: Promise<Result>,
  display: Pick<Display, 'interactive' | 'quiet' | 'notice'>,
): Promise<Result> {
  if (!display.interactive || display.quiet) return work;
  const timer = setTimeout(() => display.notice(why), noticeableMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
