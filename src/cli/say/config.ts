import type { Secret } from '../bot/tokenSource.ts';
import { noSecret } from './open.ts';
import { counted, formatDuration, listed, type Suggestion } from './phrases.ts';
import { addingProfile, listingProfiles } from './profiles.ts';
import { interrupted, sentence, Told } from './told.ts';

export function profileExists(name: string): Told {
  return new Told('not-allowed-now', `The profile ${name} already exists`, {
    hint: 'Change it, or remove it first:',
    next: [
      ['config', 'set', name, 'SETTING', 'VALUE'],
      ['config', 'remove', name],
    ],
  });
}

export function reservedProfileName(name: string, meaning: string): Told {
  return new Told('bad-input', `A profile cannot be called ${name}: that name ${meaning}`, {
    hint: 'Choose another name, such as the bot’s own.',
  });
}

export function badProfileName(name: string, longest: number): Told {
  return new Told('bad-input', `${JSON.stringify(name)} cannot be the name of a profile`, {
    hint: `Use letters, digits, dots, underscores and hyphens, starting with a letter or digit, at most ${longest} characters.`,
  });
}

export function noProfileUrl(): Told {
  return new Told('usage', 'A profile needs --base-url', {
    hint: 'Add it, as in --base-url https://bots.example.com. BOTCTL_BASE_URL is not stored in a profile.',
  });
}

export function tokenOfOtherOrigin(name: string, baseUrl: string): Told {
  return new Told('base-url', `The token of profile ${name} is for ${baseUrl} and is never sent elsewhere`, {
    hint: 'Give the token for the new address too: --token-stdin, --token-env, --token-file or --token-command. On a terminal, botctl asks for it.',
  });
}

export function newTokenNeeded(name: string, baseUrl: string): string {
  return `The token of ${name} is for ${baseUrl}: the new address needs its own.`;
}

export function tokenBesideKey(name: string, key: string, value: string): Told {
  return new Told('usage', `A token cannot be given together with ${key}`, {
    hint: 'Set one thing at a time:',
    next: [
      ['config', 'set', name, 'token'],
      ['config', 'set', name, key, value],
    ],
  });
}

export function unknownProfileKey(key: string, keys: readonly string[]): Told {
  return new Told('bad-input', `A profile has no setting ${JSON.stringify(key)}`, {
    hint: `The settings are ${listed(keys)}.`,
  });
}

export function keyWithoutValue(name: string, key: string): Told {
  return new Told('usage', `${key} needs a value`, {
    hint: 'Give one, or reset the setting to its default:',
    next: [
      ['config', 'set', name, key, 'VALUE'],
      ['config', 'unset', name, key],
    ],
  });
}

/** `isNeeded`: every profile must have this key. */
export function keyNotResettable(
  name: string,
  key: string,
  isNeeded: boolean,
  keys: readonly string[],
): Told {
  const problem = isNeeded ? `A profile needs its ${key}` : `A profile has no setting ${JSON.stringify(key)}`;
  return new Told('bad-input', problem, {
    hint: `You can reset ${listed(keys, 'or')}. To remove the whole profile:`,
    next: [['config', 'remove', name]],
  });
}

export function noProfileToShow(isNameEmpty: boolean, path: string): Told {
  const why = isNameEmpty ? 'The name of the profile is empty.' : 'No profile is in use, and none was named.';
  return new Told('no-such-profile', why, {
    hint: `List the profiles in ${path}, or add one:`,
    next: [...listingProfiles, ...addingProfile],
  });
}

export function removalDeclined(name: string): Told {
  return new Told('declined', `Answered No: profile ${name} is still there`, {
    hint: 'Run the same command again to be asked again.',
  });
}

type Removed = { readonly name: string; readonly baseUrl: string; readonly hasStoredToken: boolean };

export function removalQuestion({ name, baseUrl, hasStoredToken }: Removed): string {
  return `Remove profile ${name} (${baseUrl})${hasStoredToken ? ' and the token stored in it' : ''}?`;
}

/** Said when the profile in use is removed. */
export function noneInUse(others: readonly string[]): readonly [string, readonly Suggestion[]] {
  const choose = others.length === 0 ? '' : ' To use another one:';
  return [
    `It was the profile in use. No profile is in use now.${choose}`,
    others.slice(0, 3).map((other) => ['config', 'use', other]),
  ];
}

export function anotherInUse(name: string): readonly [string, readonly Suggestion[]] {
  return ['Another profile is in use. To use this one:', [['config', 'use', name]]];
}

export function outranksInUse(variable: string): string {
  return `${variable} is set here, and it outranks the profile in use.`;
}

export const noProfilesYet = 'There are no profiles yet. To add one:';
export const profileAdded = (name: string): string => `Added profile ${name}.`;
export const profileRemoved = (name: string): string => `Removed profile ${name}.`;
export const profileInUse = (name: string): string => `${name} is now in use.`;
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
  return new Told(
    'config-not-writable',
    `Another botctl process has been writing the profiles for ${formatDuration(waitedMs)}`,
    {
      hint: 'Run the same command again. This shows which process it is:',
      next: [{ shell: [['fuser', lock]] }],
    },
  );
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

export function twoTokenSources(first: string, second: string, secret: Secret): Told {
  return new Told('usage', `${first} and ${second} are both given`, {
    hint: `Both say where the ${secret} is: give only one.`,
  });
}

export function nobodyToAskFor(secret: Secret): Told {
  return new Told('usage', `No ${secret} is given, and there is no terminal for the question`, {
    hint: 'Give it with --token-stdin, --token-env VAR, --token-file PATH or --token-command "…".',
  });
}

/** `meant` is the variable whose value was given instead of its name. */
export function badTokenVariable(meant: string | undefined, secret: Secret): Told {
  return new Told('bad-input', 'The value of --token-env is not a variable name', {
    hint: `Give the name without $, as in --token-env ${meant ?? (secret === 'token' ? 'BOT_TOKEN' : 'RPC_URL')}. botctl reads the variable each time it needs the ${secret}.`,
  });
}

export function noLastingTokenFile(secret: Secret): Told {
  return new Told('bad-input', '--token-file needs a path that can be read again later', {
    hint: `To store the ${secret} that comes on stdin, use --token-stdin.`,
  });
}

/** The value is not echoed: it is a token, and it is already in the shell's history. */
export function tokenAsArgument(): Told {
  return new Told(
    'usage',
    'A token cannot be an argument: arguments are visible in ps and in the shell’s history',
    {
      hint: 'If that was the token, have a new one issued. Leave it out and botctl asks for it, or use --token-stdin.',
    },
  );
}

export function tokenQuestion(profile: string): string {
  return `Token of ${profile} (not shown)`;
}

export const walletQuestion = (profile: string): string => `wallet of ${profile}`;
export const skippable = (question: string): string => `${question}, Enter skips`;
export const profileReady = (name: string): string => `${name} is ready.`;

export function notReady(name: string, checks: readonly string[]): string {
  return `${name} is not ready: ${listed([...new Set(checks)])}.`;
}

export function notReadyBecause(check: string, says: string, todo: string): string {
  return [sentence(`${check}: ${says}`), todo].join(' ').trimEnd();
}

const asOne: Readonly<Record<Secret, string>> = { token: 'a token', 'rpc-url': 'a URL' };

const noShell = 'botctl runs it without a shell: no pipes, no variables, no ~.';

/** Only the first word of a command is shown: the others may hold a secret. */
type SecretCommand = { readonly program: string; readonly secret: Secret };

function failed({ program, secret }: SecretCommand, what: string, hint: string): Told {
  return new Told(noSecret[secret], `The ${secret} command (${program}) ${what}`, { hint });
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
  return new Told('bad-input', `The ${secret} command ${commandProblems[problem]}`, { hint: rule });
}

export const noSuchCommand = 'there is no such command';

export function interruptedBeforeToken(): Told {
  return interrupted('before a token was read');
}

export function emptyTokenInput(origin: string, secret: Secret): Told {
  return new Told(noSecret[secret], `There is no ${secret} in ${origin}: it is empty`, {
    hint: `Put the ${secret} there, alone on one line, and run the same command again.`,
  });
}

export function manyTokenLines(origin: string, secret: Secret): Told {
  return new Told(`bad-${secret}`, `There is more than one line in ${origin}`, {
    hint: `It must contain only the ${secret}, on one line. Is it the right file?`,
  });
}

export function unreadableTokenFile(path: string, reason: string, secret: Secret): Told {
  return new Told(noSecret[secret], `The ${secret} file ${path} cannot be read: ${reason}`, {
    hint: 'Check the path and its permissions, then run the same command again.',
  });
}

/** The mode of a file that holds a secret, and what makes it private. */
const modeOf = (mode: number): string => `(mode ${mode.toString(8)})`;
const privately = (path: string): readonly Suggestion[] => [{ shell: [['chmod', '600', path]] }];

export function tokenFileOpen(path: string, mode: number, secret: Secret): Told {
  return new Told(
    noSecret[secret],
    `The ${secret} file ${path} can be changed by other users ${modeOf(mode)}`,
    {
      hint: 'Check what is in it. Then make it yours alone:',
      next: privately(path),
    },
  );
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

export function tokenStdinIsTerminal(secret: Secret): Told {
  return new Told(noSecret[secret], `The ${secret} must come from stdin, but stdin is a terminal`, {
    hint: 'Pipe it in, as in: op read op://vault/bot/token | botctl …',
  });
}

export const journalInUse = (place: string): string => `Commands that name no journal use ${place}.`;

export const journalSets = (place: string): string =>
  `From now on, commands that name no journal use ${place}.`;

export const journalOutranked = 'BOTCTL_JOURNAL is set, and still comes first in this shell.';

export function journalSetAndUnset(): Told {
  return new Told('usage', 'A journal and --unset cannot both be given', { hint: 'Give one of them.' });
}

export function journalNotLeft(place: string, state: string): Told {
  return new Told(
    'not-allowed-now',
    `The journal ${place} has entries that are not settled: under another they could happen twice`,
    { hint: 'Settle them first:', next: [['history', '--state', state]] },
  );
}

/** A journal that is gone for good is given up in the file, by hand. */
export function journalNotOpened({ code, message, details }: Told, path: string): Told {
  return new Told(code, message, {
    ...details,
    hint: `It may have entries that are not settled. If it is gone for good, remove "journal" from ${path}.`,
    next: [],
  });
}
