import type { Intent } from '../journal/journal.ts';
import { givingUp, isUnsent, resolving } from './decisionCommands.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

// Why no bot can speak for an intent.

export function ofTheSandbox(id: string, journal: string): Told {
  return new Told('bot-moved', 'The intent belongs to the sandbox', {
    hint: 'Add --sandbox.',
    next: [['resume', id, '--sandbox', '--journal', journal]],
  });
}

export function noTokenNow({ id }: Intent): Told {
  return new Told(
    'no-token',
    `Intent ${id} was begun with a token that is not a profile’s, and no token is given now`,
    { hint: 'Give that token with --token-file or BOTCTL_TOKEN, then run the same command again.' },
  );
}

export function anothersToken({ id, spelledUrl, tokenHash }: Intent): Told {
  const [what, hint] =
    tokenHash === undefined
      ? [
          `It is not kept with which token intent ${id} was begun, and no base URL is given with the one given now`,
          'If this token belongs to the same service, give its base URL too:',
        ]
      : [
          `The token given now is not the one that intent ${id} was sent with, and no base URL is given with it`,
          'Give the token that it was sent with. If this one belongs to the same service, give its base URL too:',
        ];
  return new Told('other-token', what, { hint, next: [['resume', id, '--base-url', spelledUrl]] });
}

export function profileGone(intent: Intent): Told {
  const { bot, spelledUrl } = intent;
  return new Told('no-such-profile', `The profile ${bot} is gone`, {
    hint: isUnsent(intent)
      ? 'Nothing of the intent was sent. Add the profile again, or give the intent up:'
      : 'Add it again, or decide whether the intent happened.',
    next: [['config', 'add', bot, '--base-url', spelledUrl], ...ending(intent)],
  });
}

export function botMoved(intent: Intent, origins: { readonly bots: string; readonly intents: string }): Told {
  const { bot } = intent;
  return new Told(
    'bot-moved',
    `The bot ${bot} now belongs to ${origins.bots}, the intent to ${origins.intents}`,
    {
      hint: isUnsent(intent)
        ? 'A token is sent to its own service only. Nothing of the intent was sent: give it up.'
        : 'A token is sent to its own service only. Decide whether the intent happened.',
      next: ending(intent),
    },
  );
}

/** What ends it without a bot. */
function ending(intent: Intent): Suggestion[] {
  return isUnsent(intent) ? givingUp(intent.id) : resolving(intent.id);
}
