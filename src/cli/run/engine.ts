import type { EngineContext, Progress, Waiting, WhatCame } from '../../once/engine/context.ts';
import type { Kind } from '../../once/entry/wanted.ts';
import type { Journal } from '../../once/journal/journal.ts';
import { formatPause } from '../../once/phrases.ts';
import { troubleWords } from '../../once/wire/trouble.ts';
import type { Policies } from '../../policy/policy.ts';
import { mayClaimUnder } from '../../policy/spend.ts';
import type { App } from '../app.ts';
import type { ConnectedBot } from '../open/bot.ts';
import { defaultMaxWaitMs, defaultTimeoutMs, whoDecides } from '../open/journal.ts';
/** The engine with its bot and the connection to the bot's service. */
export type Engine = EngineContext & ConnectedBot;

export async function openEngine(app: App, keepAlive?: true): Promise<Engine> {
  app.settings();
  const connected = await app.connectedBot(keepAlive);
  // Read before the journal is opened: if a policy cannot be read, no journal is made.
  const policies = await app.policies();
  return engineOf(connected, policies, await app.journal('send'), app);
}

export function engineOf(
  { bot, connection }: ConnectedBot,
  policies: Policies | undefined,
  journal: Journal,
  app: App,
): Engine {
  const { display, clock, chance, interrupts } = app;
  const settings = { ...bot.settings, ...app.settings() };
  return {
    mayClaim: mayClaimUnder(policies),
    journal,
    bot,
    connection,
    limits: {
      timeoutMs: settings.timeoutMs ?? defaultTimeoutMs,
      maxWaitMs: settings.maxWaitMs ?? defaultMaxWaitMs,
    },
    who: whoDecides(),
    // Times and ages on record come from the journal's own clock.
    clock: { now: () => journal.clock.now(), sleep: (waitMs, signal) => clock.sleep(waitMs, signal) },
    chance,
    interrupts,
    observer: {
      during: (waiting, work) => {
        const waited = display.waiting(waitingWords(waiting), work);
        if (waiting.for !== 'reply') return waited;
        return whileInFlight(waited, interrupts.first, () =>
          display.notice(waitingForReplyWords(waiting.kind)),
        );
      },
      step: (progress) => display.step(progressWords(progress)),
    },
    commit: (work, guards) => journal.commit(work, guards),
  };
}

/** After an interrupt, says at once that a request is still in flight. */
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

function whatCame(what: WhatCame | undefined): string {
  return typeof what === 'object' ? troubleWords(what) : `status ${what}`;
}

/** The reason for a wait, shown beside a spinner. */
function waitingWords(waiting: Waiting): string {
  switch (waiting.for) {
    case 'reply':
      return `Sending the ${waiting.kind}`;
    case 'other-process':
      return `Another botctl is sending ${waiting.id}; waiting for its outcome`;
    case 'next-try':
      return `Trying again in ${formatPause(waiting.waitMs)} (${whatCame(waiting.why)})`;
  }
}

function waitingForReplyWords(kind: Kind): string {
  return `Interrupted while the ${kind} is being sent: waiting up to 5 s for its reply. Interrupt again to leave at once; then its outcome is unknown.`;
}

/** A line of --verbose. */
function progressWords(progress: Progress): string {
  switch (progress.is) {
    case 'sending':
      return `request ${progress.number}: POST ${progress.url}`;
    case 'came-back':
      return `request ${progress.number}: ${whatCame(progress.what)}, ${progress.tookMs} ms`;
    case 'waiting':
      return `${progress.verdict}: waiting ${progress.waitMs} ms`;
  }
}
