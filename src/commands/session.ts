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
import { type HeldBy, heldBy, policiesOf } from './policies.ts';
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
    const own = await policiesOf(bot, context);
    const journal = await openJournalOf(given, context, 'send');
    const engine = await heldEngine({ bot, connection }, own, journal, given, context).catch(
      async (error: unknown) => {
        await journal.close();
        throw error;
      },
    );
    return {
      engine,
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

/** The same, held to what the journal says itself, too. */
export async function heldEngine(
  connected: ConnectedBot,
  own: Policies | undefined,
  journal: Journal,
  given: Given,
  context: Context,
): Promise<EngineContext> {
  return engineContext(connected, await heldBy(own, connected.bot, journal), journal, given, context);
}

function engineContext(
  { bot, connection }: ConnectedBot,
  held: HeldBy,
  journal: Journal,
  given: Given,
  { display, clock, chance, interrupts }: Context,
): EngineContext {
  const settings = { ...bot.settings, ...settingsOf(given) };
  return {
    ...held,
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
