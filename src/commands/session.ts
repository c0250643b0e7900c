import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { Doing, Service, Speaking } from '../engine/doing.ts';
import { Failure } from '../errors.ts';
import { originOf, sandboxBaseUrl } from '../intent/baseUrl.ts';
import type { Journal } from '../journal/journal.ts';
import { readSettings, type Settings } from '../profile/settings.ts';
import { resolveSpeaker, type SpeakerWorld } from '../profile/speaker.ts';
import { version } from '../version.ts';
import type { Line } from '../wire/flight.ts';
import { LateLine } from '../wire/lateLine.ts';
import { poolLines } from '../wire/linePool.ts';
import { openJournalOf, sandboxFolder } from './journalPlace.ts';
import { sayIfSlow } from './sayIfSlow.ts';

/** All that a command needs to do things once, and what must be closed when it is over. */
export type Session = {
  readonly doing: Doing;
  /** Before anything is journaled that is to be sent. */
  readyToSend(): Promise<void>;
  close(): Promise<void>;
};

/** Somebody to speak as, and a way to where that one speaks. */
export type Voice = {
  readonly speaking: Speaking;
  readonly service: Service;
  readonly settings: Settings;
  readyToSend(): Promise<void>;
  close(): Promise<void>;
};

export async function openSession(given: Given, context: Context, keepAlive = false): Promise<Session> {
  const voice = await openVoice(given, context, keepAlive);
  try {
    const journal = await openJournalOf(given, context);
    return {
      doing: doingOf(voice, journal, given, context),
      readyToSend: voice.readyToSend,
      close: async () => {
        journal.close();
        await voice.close();
      },
    };
  } catch (error) {
    await voice.close();
    throw error;
  }
}

export function doingOf(voice: Voice, journal: Journal, given: Given, context: Context): Doing {
  const settings = { ...voice.settings, ...settingsOf(given) };
  const { display, clock, chance, interrupts } = context;
  return {
    journal,
    speaking: voice.speaking,
    service: voice.service,
    limits: {
      timeoutMs: settings.timeoutMs ?? 30_000,
      retries: settings.retries ?? 4,
      maxWaitMs: settings.maxWaitMs ?? 60_000,
    },
    clock,
    chance,
    interrupts,
    observer: {
      during: (why, work) => display.waiting(why, work),
      step: (text) => display.step(text),
      notice: (text) => display.notice(text),
    },
    commit: async (work) => journal.atomically(work),
  };
}

export function settingsOf(given: Given): Settings {
  const texts = {
    timeout: given.text('timeout'),
    retries: given.text('retries'),
    'max-wait': given.text('max-wait'),
  };
  return readSettings(texts, (key) => `--${key}`);
}

export function speakerWorld(context: Context): SpeakerWorld {
  return {
    env: context.env,
    get stdin() {
      return context.stdin;
    },
    interrupted: context.interrupts.first,
  };
}

export const waitingForToken = 'Waiting for the token.';

export async function openVoice(given: Given, context: Context, keepAlive = false): Promise<Voice> {
  settingsOf(given);
  if (given.flag('sandbox')) return openSandboxVoice(given, context, keepAlive);
  const asked = {
    profile: given.text('profile'),
    tokenFile: given.text('token-file'),
    baseUrl: given.text('base-url'),
  };
  const resolving = resolveSpeaker(asked, speakerWorld(context));
  const speaker = await sayIfSlow(waitingForToken, resolving, context.display);
  context.display.step(
    `speaking as ${speaker.bot} (token from ${speaker.tokenSource}) to ${speaker.baseUrl}`,
  );
  return lateVoiceOf(speaker, context, keepAlive);
}

type Voiced = Pick<Speaking, 'bot' | 'baseUrl' | 'token'> & { readonly settings: Settings };

/** The way to where a speaker speaks, opened. */
export async function voiceOf(speaker: Voiced, context: Context): Promise<Voice> {
  const voice = lateVoiceOf(speaker, context, false);
  await voice.readyToSend();
  return voice;
}

function lateVoiceOf(speaker: Voiced, context: Context, keepAlive: boolean): Voice {
  const { bot, baseUrl, token, settings } = speaker;
  const line = lineTo(originOf(baseUrl), context, { keepAlive, direct: false });
  return {
    speaking: { bot, baseUrl, token, keyAgeMs: settings.keyAgeMs },
    service: { url: baseUrl, line },
    settings,
    readyToSend: () => line.ready(),
    close: () => line.close(),
  };
}

function lineTo(origin: string, { env }: Context, how: { keepAlive: boolean; direct: boolean }): LateLine {
  return new LateLine(async () => {
    const { openLine } = await import('../wire/undiciLine.ts');
    const open = (): Line => openLine({ origin, env, userAgent: `botctl/${version}`, ...how });
    return how.keepAlive ? poolLines(open) : open();
  });
}

const foreignToSandbox = ['base-url', 'token-file', 'profile'] as const;

export function refuseBesideSandbox(given: Given): void {
  const other = foreignToSandbox.find((name) => given.text(name) !== undefined);
  if (other === undefined) return;
  throw new Failure(
    'usage',
    `--sandbox speaks to the embedded service only: --${other} cannot go with it. Nothing was sent.`,
    {
      hint: `Leave out --sandbox, or --${other}.`,
    },
  );
}

/** The built-in bot: its service runs inside this command, on a free port of this machine. */
async function openSandboxVoice(given: Given, context: Context, keepAlive: boolean): Promise<Voice> {
  refuseBesideSandbox(given);
  const { embeddedAdvice, openSandbox } = await import('./openSandbox.ts');
  const starting = openSandbox({ dataDir: sandboxFolder(context.env), port: 0 }, embeddedAdvice);
  const running = await context.display.waiting('Starting the sandbox', starting);
  const line = lineTo(running.baseUrl, context, { keepAlive, direct: true });
  return {
    speaking: {
      bot: 'sandbox',
      baseUrl: sandboxBaseUrl,
      token: { reveal: () => running.tokens.full },
      keyAgeMs: undefined,
    },
    service: { url: running.baseUrl, line },
    settings: {},
    readyToSend: () => line.ready(),
    close: async () => {
      await line.close();
      await running.close();
    },
  };
}
