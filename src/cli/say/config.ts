import type { Secret } from '../bot/tokenSource.ts';
import { noSecret } from './open.ts';
import { formatDuration, type Suggestion } from './phrases.ts';
import { addingProfile, listingProfiles } from './profiles.ts';
import { interrupted, type Sentence, says, Told, told } from './told.ts';

export function tokenOfOtherOrigin(name: string, baseUrl: string): Told {
  return told('base-url')`The token of profile ${name} is for ${baseUrl} and is never sent elsewhere
    Give the token for the new address too: --token-stdin, --token-env, --token-file or --token-command. On a terminal, botctl asks for it.`;
}

export function noProfileToShow(isNameEmpty: boolean, path: string): Told {
  const why = isNameEmpty ? 'The name of the profile is empty.' : 'No profile is in use, and none was named.';
  return told('no-such-profile', { next: [...listingProfiles, ...addingProfile] })`${why}
    List the profiles in ${path}, or add one:`;
}

/** Said when the profile in use is removed. */
export function noneInUse(others: readonly string[]): readonly [string, readonly Suggestion[]] {
  const choose = others.length === 0 ? '' : ' To use another one:';
  return [
    `It was the profile in use. No profile is in use now.${choose}`,
    others.slice(0, 3).map((other) => ['config', 'use', other]),
  ];
}

export function interruptedBeforeChange(): Told {
  return interrupted('before the profiles were changed');
}

export function profilesBusy(waitedMs: number, lock: string): Told {
  return told('config-not-writable', { next: [{ shell: [['fuser', lock]] }] })`
    Another botctl process has been writing the profiles for ${formatDuration(waitedMs)}
    Run the same command again. This shows which process it is:`;
}

type NotWritable = {
  readonly folder: string;
  /** The deepest part of the path that exists. */
  readonly nearest: string;
  readonly reason: string;
  readonly isFull: boolean;
};

export function profilesNotWritable({ folder, nearest, reason, isFull }: NotWritable): Told {
  return new Told('config-not-writable', `The profiles could not be written: ${reason}`, {
    hint: isFull
      ? `Free some space on the disk of ${folder}, then run the same command again.`
      : `Make ${folder} writable, then run the same command again.`,
    next: [{ shell: [isFull ? ['df', '-h', nearest] : ['ls', '-ld', nearest]] }],
  });
}

/** The value is not echoed: it is a token, and it is already in the shell's history. */
export function tokenAsArgument(): Told {
  return told('usage')`A token cannot be an argument: arguments are visible in ps and in the shell’s history
    If that was the token, have a new one issued. Leave it out and botctl asks for it, or use --token-stdin.`;
}

const asOne: Readonly<Record<Secret, string>> = { token: 'a token', 'rpc-url': 'a URL' };

const noShell = 'botctl runs it without a shell: no pipes, no variables, no ~.';

/** Only the first word of a command is shown: the others may hold a secret. */
type SecretCommand = { readonly program: string; readonly secret: Secret };

function failed({ program, secret }: SecretCommand, what: string, hint: string): Told {
  return told(noSecret[secret], { hint })`The ${secret} command (${program}) ${what}`;
}

export function tokenCommandNotStarted(command: SecretCommand, reason: string): Told {
  return failed(command, `could not be started: ${reason}`, `Is it installed and on PATH? ${noShell}`);
}

export function tokenCommandTooSlow(command: SecretCommand, limitMs: number): Told {
  return failed(
    command,
    `was stopped after ${formatDuration(limitMs)}`,
    'Run it by hand: is it waiting for a password or for the network?',
  );
}

export function tokenCommandTooMuch(command: SecretCommand): Told {
  return failed(
    command,
    `printed far more than ${asOne[command.secret]}`,
    `Run it by hand: its first line must be the ${command.secret}.`,
  );
}

export function tokenCommandPrintedNothing(command: SecretCommand): Told {
  return failed(command, 'printed nothing', `Run it by hand: its first line must be the ${command.secret}.`);
}

type Exited = { readonly code: number | null; readonly signal: string | null; readonly wantsShell: boolean };

export function tokenCommandFailed(command: SecretCommand, { code, signal, wantsShell }: Exited): Told {
  return failed(
    command,
    code === null ? `was ended by ${signal}` : `exited with code ${code}`,
    wantsShell
      ? `Its own message is above. ${noShell} If it needs a shell, use sh -c '…'.`
      : `Its own message is above. Run it by hand until it prints the ${command.secret}, then run the same command again.`,
  );
}

export function interruptedBeforeToken(): Told {
  return interrupted('before a token was read');
}

export function endsWithApiPath(baseUrl: string, without: string): Sentence {
  return says`${baseUrl} ends with a path that botctl adds itself
    Give it without that: ${without}`;
}
