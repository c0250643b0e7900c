import type { Secret } from '../bot/tokenSource.ts';
import { noSecret } from './open.ts';
import { counted, formatDuration, listed, type Suggestion } from './phrases.ts';
import { addingProfile, listingProfiles } from './profiles.ts';
import { interrupted, type Sentence, says, Told, told } from './told.ts';

export function tokenOfOtherOrigin(name: string, baseUrl: string): Told {
  return told('base-url')`The token of profile ${name} is for ${baseUrl} and is never sent elsewhere
    Give the token for the new address too: --token-stdin, --token-env, --token-file or --token-command. On a terminal, botctl asks for it.`;
}

/** `isNeeded`: every profile must have this key. */
export function keyNotResettable(
  name: string,
  key: string,
  isNeeded: boolean,
  keys: readonly string[],
): Told {
  const problem = isNeeded ? `A profile needs its ${key}` : `A profile has no setting ${JSON.stringify(key)}`;
  return told('bad-input')`${problem}
    You can reset ${listed(keys, 'or')}. To remove the whole profile:
    $ config remove ${name}`;
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

export function keySet(name: string, key: string, now: string, before: string | undefined): string {
  return `Set ${key} of profile ${name}: ${now}${was(before)}`;
}

export function keyReset(name: string, key: string, before: string | undefined): string {
  return `Reset ${key} of profile ${name} to its default${was(before)}`;
}

function was(before: string | undefined): string {
  return before === undefined ? '' : ` (it was: ${before})`;
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

/** Said when a stored token is too short to be removed from a reply that repeats it. */
export function shortTokenWarning(leastLength: number): string {
  return `This token is shorter than ${leastLength} characters. If the service repeats it in a reply, botctl cannot recognise it there and will store and show it.`;
}

/** `meant` is the variable whose value was given instead of its name. */
export function badTokenVariable(meant: string | undefined, secret: Secret): Told {
  return told('bad-input')`The value of --token-env is not a variable name
    Give the name without $, as in --token-env ${meant ?? (secret === 'token' ? 'BOT_TOKEN' : 'RPC_URL')}. botctl reads the variable each time it needs the ${secret}.`;
}

/** The value is not echoed: it is a token, and it is already in the shell's history. */
export function tokenAsArgument(): Told {
  return told('usage')`A token cannot be an argument: arguments are visible in ps and in the shell’s history
    If that was the token, have a new one issued. Leave it out and botctl asks for it, or use --token-stdin.`;
}

export const skippable = (question: string): string => `${question}, Enter skips`;
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

const rule =
  'Spaces separate words; \'…\' keeps everything as it is; "…" keeps spaces, with \\" and \\\\ inside; \\ outside quotes keeps the next character. No shell runs: no variables, pipes or ~.';

const commandProblems = {
  backslash: 'ends in a backslash',
  'open-quote': 'has an unclosed quote',
  empty: 'is empty',
  'zero-byte': 'contains a zero byte',
} as const;

export function badTokenCommand(problem: keyof typeof commandProblems, secret: Secret): Told {
  return told('bad-input')`The ${secret} command ${commandProblems[problem]}
    ${rule}`;
}

export function interruptedBeforeToken(): Told {
  return interrupted('before a token was read');
}

export function manyTokenLines(origin: string, secret: Secret): Told {
  return told(`bad-${secret}`)`There is more than one line in ${origin}
    It must contain only the ${secret}, on one line. Is it the right file?`;
}

/** The mode of a file that holds a secret, and what makes it private. */
const modeOf = (mode: number): string => `(mode ${mode.toString(8)})`;
const privately = (path: string): readonly Suggestion[] => [{ shell: [['chmod', '600', path]] }];

export function tokenFileOpen(path: string, mode: number, secret: Secret): Told {
  return told(noSecret[secret], { next: privately(path) })`
    The ${secret} file ${path} can be changed by other users ${modeOf(mode)}
    Check what is in it. Then make it yours alone:`;
}

export function tokenFileReadable(
  path: string,
  mode: number,
  secret: Secret,
): [says: string, next: readonly Suggestion[]] {
  return [`The ${secret} file ${path} can be read by other users ${modeOf(mode)}.`, privately(path)];
}

export function unknownUnderOldToken(
  name: string,
  count: number,
): [says: string, next: readonly Suggestion[]] {
  const [transfers, are] = [counted(count, 'transfer'), count === 1 ? 'is' : 'are'];
  return [
    `${transfers} of ${name} ${are} unknown and can be settled under the old token only. With it:`,
    [['resume', '--all']],
  ];
}

export const journalInUse = (place: string): string => `Commands that name no journal use ${place}.`;

export const journalSets = (place: string): string =>
  `From now on, commands that name no journal use ${place}.`;

/** A journal that is gone for good is given up in the file, by hand. */
export function journalNotOpened({ code, message, details }: Told, path: string): Told {
  return new Told(code, message, {
    ...details,
    hint: `It may have entries that are not settled. If it is gone for good, remove "journal" from ${path}.`,
    next: [],
  });
}

export function endsWithApiPath(baseUrl: string, without: string): Sentence {
  return says`${baseUrl} ends with a path that botctl adds itself
    Give it without that: ${without}`;
}
