import { Told } from './told.ts';

/** Said when a token is stored that is too short to be taken out of a reply that repeats it. */
export function shortTokenWarning(leastLength: number): string {
  return `This token is shorter than ${leastLength} characters. If the service repeats it in a reply, botctl cannot recognise it there and will store and show it.`;
}

export function twoTokenSources(first: string, second: string): Told {
  return new Told('usage', `${first} and ${second} are both given`, {
    hint: 'A profile has one token: give only one of them.',
  });
}

export function nobodyToAskForToken(): Told {
  return new Told('usage', 'No token is given, and there is no terminal to ask on', {
    hint: 'Give it with --token-stdin, --token-env VAR, --token-file PATH or --token-command "…".',
  });
}

/** `meant` is the variable whose value was given where its name belongs. */
export function badTokenVariable(meant: string | undefined): Told {
  return new Told('bad-input', 'The value of --token-env is not the name of a variable', {
    hint: `Give the name without $, as in --token-env ${meant ?? 'BOT_TOKEN'}. botctl reads the variable each time it needs the token.`,
  });
}

export function noLastingTokenFile(): Told {
  return new Told('bad-input', '--token-file needs a path that can be read again later', {
    hint: 'To store the token that comes on stdin, use --token-stdin.',
  });
}

/** The value is not echoed: it is a token that by now stands in the shell's history. */
export function tokenAsArgument(): Told {
  return new Told(
    'usage',
    'A token is never an argument: arguments are visible in ps and in the shell’s history',
    {
      hint: 'If that was the token, have a new one issued. Leave it out to be asked for it, or use --token-stdin.',
    },
  );
}

export function tokenQuestion(profile: string): string {
  return `Token of ${profile} (not shown)`;
}
