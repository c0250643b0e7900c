import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';
import { originOf, sandboxBaseUrl } from '../intent/baseUrl.ts';
import type { Intent } from '../journal/journal.ts';
import { envBot, resolveSpeaker, type Speaker, speakerOfProfile } from '../profile/speaker.ts';
import { sayIfSlow } from './sayIfSlow.ts';
import { openVoice, speakerWorld, type Voice, voiceOf, waitingForToken } from './session.ts';

/** Why nobody can speak for an intent: told of each by its own id. */
type Silence = (intent: Intent) => Failure;

/** The bots of many intents, each opened once: at the base URL that was stored with its intents. */
export class Voices {
  readonly #given: Given;
  readonly #context: Context;
  readonly #open = new Map<string, Promise<Voice | Silence>>();

  constructor(given: Given, context: Context) {
    this.#given = given;
    this.#context = context;
  }

  async of(intent: Intent): Promise<Voice> {
    const place = `${intent.bot} ${intent.baseUrl}`;
    const opened = this.#open.get(place) ?? this.#voiceOf(intent);
    this.#open.set(place, opened);
    const voice = await opened;
    if (typeof voice === 'function') throw voice(intent);
    return voice;
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    for (const voice of opened) {
      if (voice.status === 'fulfilled' && typeof voice.value !== 'function') await voice.value.close();
    }
  }

  async #voiceOf(intent: Intent): Promise<Voice | Silence> {
    if (intent.baseUrl === sandboxBaseUrl) return this.#sandbox();
    const speaker = await (intent.bot === envBot ? this.#envSpeaker(intent) : this.#profileSpeaker(intent));
    if (speaker === undefined) return gone;
    if (originOf(speaker.baseUrl) !== originOf(intent.baseUrl)) return (asked) => moved(asked, speaker);
    return voiceOf({ ...speaker, baseUrl: intent.baseUrl }, this.#context);
  }

  async #sandbox(): Promise<Voice> {
    if (this.#given.flag('sandbox')) {
      const voice = await openVoice(this.#given, this.#context);
      await voice.readyToSend();
      return voice;
    }
    throw new Failure('bot-moved', 'It belongs to the sandbox; nothing was sent.', {
      hint: 'Add --sandbox.',
    });
  }

  #profileSpeaker(intent: Intent): Promise<Speaker | undefined> {
    const resolving = speakerOfProfile(intent.bot, speakerWorld(this.#context));
    return sayIfSlow(waitingForToken, resolving, this.#context.display);
  }

  /** The token that is given now; without a base URL beside it, the stored one is meant. */
  async #envSpeaker(intent: Intent): Promise<Speaker> {
    const given = this.#given;
    const baseUrl = given.text('base-url') ?? this.#context.env.BOTCTL_BASE_URL ?? intent.baseUrl;
    const speaker = await resolveSpeaker(
      { tokenFile: given.text('token-file'), baseUrl },
      speakerWorld(this.#context),
    );
    if (speaker.bot === envBot) return speaker;
    throw new Failure(
      'no-token',
      'It was sent with a token that is no profile’s, and none is given now; nothing was sent.',
      {
        hint: 'Give it with --token-file or BOTCTL_TOKEN.',
      },
    );
  }
}

function gone(intent: Intent): Failure {
  return new Failure('no-such-profile', `The profile ${intent.bot} is gone; nothing was sent.`, {
    hint: `Add it again (botctl config add ${intent.bot} --base-url ${intent.baseUrl}), or decide with botctl resolve ${intent.id}.`,
  });
}

function moved(intent: Intent, speaker: Speaker): Failure {
  return new Failure(
    'bot-moved',
    `The bot ${intent.bot} now belongs to ${originOf(speaker.baseUrl)}, the intent to ${originOf(intent.baseUrl)}; nothing was sent.`,
    { hint: `A token goes nowhere but to its own service. Decide with botctl resolve ${intent.id}.` },
  );
}
