import type { ConnectedBot, Connection } from '../../once/connection.ts';
import type { EngineContext } from '../../once/engine/context.ts';
import type { Journal } from '../../once/journal/journal.ts';
import type { Policies } from '../../once/policy/policy.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { newOneNotice } from '../say/explain.ts';
import { landingWords, progressWords, waitingWords } from '../say/progress.ts';
import { openBot } from './openBot.ts';
import { defaultMaxWaitMs, defaultTimeoutMs, openJournalOf, settingsOf, whoDecides } from './openJournal.ts';
import { type PoliciesInForce, policiesInForce, policiesOf } from './policies.ts';

/** Everything that a command needs to send, which it must close at the end. */
export type Session = {
  readonly engine: EngineContext;
  readonly connection: Connection;
  close(): Promise<void>;
};

export async function openSession(given: ParsedArgs, context: Context, keepAlive = false): Promise<Session> {
  settingsOf(given);
  const { bot, connection } = await openBot(given, context, keepAlive);
  try {
    // Opened first: if a policy cannot be read, nothing is sent.
    const own = await policiesOf(bot, context);
    const journal = await openJournalOf(given, context, 'send');
    const engine = await engineWithPolicies({ bot, connection }, own, journal, given, context).catch(
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

/** The engine, bound by the stored policy too. */
export async function engineWithPolicies(
  connected: ConnectedBot,
  own: Policies | undefined,
  journal: Journal,
  given: ParsedArgs,
  context: Context,
): Promise<EngineContext> {
  return engineContext(
    connected,
    await policiesInForce(own, connected.bot, journal),
    journal,
    given,
    context,
  );
}

function engineContext(
  { bot, connection }: ConnectedBot,
  inForce: PoliciesInForce,
  journal: Journal,
  given: ParsedArgs,
  { display, clock, chance, interrupts }: Context,
): EngineContext {
  const settings = { ...bot.settings, ...settingsOf(given) };
  return {
    ...inForce,
    journal,
    bot,
    connection,
    limits: {
      timeoutMs: settings.timeoutMs ?? defaultTimeoutMs,
      retries: settings.retries,
      maxWaitMs: settings.maxWaitMs ?? defaultMaxWaitMs,
    },
    who: whoDecides(),
    // Times and ages on record come from the journal's own clock.
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
      paysAgain: async () => {},
    },
    commit: (work, guards) => journal.commit(work, guards),
  };
}

/** After an interrupt, says at once which request it waits for. */
export async function whileInFlight<Result>(
  work: Promise<Result>,
  interrupted: AbortSignal,
  say: () => void,
): Promise<Result> {
  if (interrupted.aborted) say();
  else interrupted.addEventListener('abort', say, { once: true });
  try {
    return await work;
  } finally {
    interrupted.removeEventListener('abort', say);
  }
}
