import { Failure } from '../errors.ts';
import { resolving } from './decisionCommands.ts';
import { unsent } from './nothing.ts';

// Why no bot can speak for an intent.

export function ofTheSandbox(id: string, journal: string): Failure {
  return new Failure('bot-moved', unsent('The intent belongs to the sandbox'), {
    hint: 'Add --sandbox.',
    next: [['resume', id, '--sandbox', '--journal', journal]],
  });
}

export function noTokenNow(): Failure {
  return new Failure(
    'no-token',
    unsent('It was sent with a token that is not a profile’s, and no token is given now'),
    { hint: 'Give that token with --token-file or BOTCTL_TOKEN, then run the same command again.' },
  );
}

export function anothersToken(id: string, url: string): Failure {
  return new Failure(
    'other-token',
    unsent(
      `The token given now is not the one that intent ${id} was sent with, and no base URL is given with it`,
    ),
    {
      hint: 'Give the token that it was sent with. If this one belongs to the same service, give its base URL too:',
      next: [['resume', id, '--base-url', url]],
    },
  );
}

export function profileGone(profile: string, id: string, url: string): Failure {
  return new Failure('no-such-profile', unsent(`The profile ${profile} is gone`), {
    hint: 'Add it again, or decide whether the intent happened.',
    next: [['config', 'add', profile, '--base-url', url], ...resolving(id)],
  });
}

export function botMoved(
  bot: string,
  id: string,
  origins: { readonly bots: string; readonly intents: string },
): Failure {
  return new Failure(
    'bot-moved',
    unsent(`The bot ${bot} now belongs to ${origins.bots}, the intent to ${origins.intents}`),
    {
      hint: 'A token is sent to its own service only. Decide whether the intent happened.',
      next: resolving(id),
    },
  );
}
