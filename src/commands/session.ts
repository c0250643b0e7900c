import type { ConnectedBot, Connection } from '../bot/connection.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { EngineContext } from '../engine/context.ts';
import type { Journal } from '../journal/journal.ts';
import type { Policies } from '../policy/policy.ts';
import { newOneNotice } from '../words/notices.ts';
import { landingWords, progressWords, waitingWords } from '../words/progress.ts';
import { openJournalOf } from './journalPath.ts';
import { openBot } from './openBot.ts';
import { policiesOf, refuseOtherJournal } from './policies.ts';
import { defaultMaxWaitMs, defaultTimeoutMs, settingsOf } from './settingsOf.ts';
import { whileInFlight } from './whileInFlight.ts';

/** All that a command needs to do things once, and what must be closed when it is over. */
export type Session = {
  readonly engine: EngineContext;
  readonly connection: Connection;
  close(): Promise<void>;
};

export async function openSession(given: Given, context: Context, keepAlive = false): Promise<Session> {
  settingsOf(given);
  const { bot, connection } = await openBot(given, context, keepAlive);
  try {
    // Before anything else is opened: where a policy cannot be read, nothing is sent.
    const policies = await policiesOf(bot, context);
    const journal = await openJournalOf(given, context, 'send');
    return {
      engine: engineContext({ bot, connection }, policies, journal, given, context),
      connection,
      close: async () => {
        await journal.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export function engineContext(
  { bot, connection }: ConnectedBot,
  policies: Policies | undefined,
  journal: Journal,
  given: Given,
  { display, clock, chance, interrupts }: Context,
): EngineContext {
  const settings = { ...bot.settings, ...settingsOf(given) };
  if (policies !== undefined) refuseOtherJournal(policies, journal);
  if (policies !== undefined && journal.isShared) throw new Error('a shared journal counts nothing yet');
  return {
    policies,
    journal,
    bot,
    connection,
    limits: {
      timeoutMs: settings.timeoutMs ?? defaultTimeoutMs,
      retries: settings.retries,
      maxWaitMs: settings.maxWaitMs ?? defaultMaxWaitMs,
    },
    // What is on record is dated by the journal's own clock, and its age told by it.
    clock: { now: () => journal.clock.now(), sleep: (waitMs, signal) => clock.sleep(waitMs, signal) },
    chance,
    interrupts,
    observer: {
      during: (waiting, work) => {
        const told = display.waiting(waitingWords(waiting), work);
        if (waiting.for !== 'reply') return told;
        return whileInFlight(told, interrupts.first, () => display.notice(landingWords(waiting.kind)));
      },
      step: (progress) => display.step(progressWords(progress)),
      beginsAnew: (after) => display.notice(newOneNotice(after)),
    },
    commit: (work, guards) => journal.commit(work, guards),
  };
}
