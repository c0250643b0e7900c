import { listed, type Suggestion } from './phrases.ts';
import { Told, type ToldDetails, told } from './told.ts';

export const addingProfile: readonly Suggestion[] = [['config', 'add', 'NAME', '--base-url', 'URL']];
export const listingProfiles: readonly Suggestion[] = [['config', 'list']];

/** Names that mean something else wherever a bot is named. */
const reserved: Readonly<Record<string, string>> = {
  sandbox: 'is the built-in bot: use --sandbox, which needs no profile',
  env: 'means a bot whose token does not come from a profile',
};

export function reservedMeaning(name: string): string | undefined {
  return Object.hasOwn(reserved, name) ? reserved[name] : undefined;
}

/** Where the name of a profile was found, if it was not an argument. */
export const theOneInUse = 'the one in use';
export function namedIn(source: string): string {
  return `named by ${source}`;
}

export function keyOfProfile(key: string, name: string): string {
  return `The ${key} of profile ${name}`;
}

export function noSuchProfile(name: string, names: readonly string[], source?: string): Told {
  const meaning = reservedMeaning(name);
  const found = source === undefined ? '' : ` (${source})`;
  return new Told('no-such-profile', `There is no profile ${name}${found}`, {
    ...(meaning === undefined ? knownProfiles(names) : { hint: `${name} ${meaning}.` }),
  });
}

function knownProfiles(names: readonly string[]): ToldDetails {
  if (names.length === 0) return { hint: 'There are no profiles yet. Add one:', next: addingProfile };
  return {
    hint: names.length === 1 ? `The only profile is ${names[0]}.` : `The profiles are ${listed(names)}.`,
  };
}

export function noBot(names: readonly string[]): Told {
  return names.length === 0
    ? told('no-token', { next: addingProfile })`No bot token is set
      Add a profile, or set BOTCTL_TOKEN and BOTCTL_BASE_URL. To try botctl without a token, add --sandbox.`
    : told('no-token', { next: names.slice(0, 3).map((name) => ['config', 'use', name]) })`
      No profile is in use, and none was named
      Use ${listed(names, 'or')}: name it with --profile, or put it in use:`;
}

type ForeignUrl = {
  readonly name: string;
  readonly own: string;
  readonly given: {
    readonly baseUrl: string;
    readonly by: '--base-url' | 'BOTCTL_BASE_URL';
    readonly command: readonly string[] | undefined;
  };
};

/** The command has a base URL that differs from the profile's own. */
export function foreignBaseUrl({ name, own, given: { baseUrl, by, command } }: ForeignUrl): Told {
  const message = `${by} is ${baseUrl}, but the profile ${name} is for ${own}`;
  if (by === '--base-url' || command === undefined)
    return told('base-url', { next: listingProfiles })`${message}
      Leave ${by} out to use ${own}, or name a profile for the other service with --profile.`;
  return told('base-url', { next: [{ shell: [['env', '-u', by, 'botctl', ...command]] }] })`${message}
    To use the other service, name its profile with --profile. To use ${own}, run the command without the variable:`;
}

export const profilesProblems = {
  empty: 'is not JSON: it is empty',
  notJson: 'is not JSON',
  notJsonAt: (line: number, column: number) => `is not JSON (line ${line}, column ${column})`,
  unexpected: (path: string) => `has an unexpected value at ${path === '' ? 'its top level' : path}`,
} as const;

/** What makes a file or folder unsafe for a token, with the commands that fix it. */
export type Danger = {
  readonly problem: string;
  readonly fix: readonly (readonly string[])[];
  readonly hint?: string;
};

export function ownedByAnother(path: string, uid: number, me: number): Danger {
  const chown = ['chown', String(me), path];
  return {
    problem: `belongs to another user (uid ${uid}; you are ${me})`,
    ...(me === 0
      ? { hint: 'Run botctl as that user, without sudo. Or change its owner to root:', fix: [chown] }
      : { hint: 'Change its owner to you:', fix: [['sudo', ...chown]] }),
  };
}

export function openToOthers(path: string, mode: number, privateMode: number): Danger {
  return {
    problem: `is open to other users (mode ${mode.toString(8)})`,
    fix: [chmod(privateMode, path)],
  };
}

export function symbolicLink(path: string, privateMode: number): Danger {
  const aside = `${path}.link`;
  return {
    problem: 'is a symbolic link',
    hint: 'Replace it with a copy of what it points to:',
    fix: [['mv', path, aside], ['cp', '-RH', aside, path], chmod(privateMode, path)],
  };
}

export function notA(what: 'file' | 'folder', path: string): Danger {
  return {
    problem: `is not a ${what}`,
    hint: 'Move it out of the way:',
    fix: [['mv', path, `${path}.old`]],
  };
}

function chmod(mode: number, path: string): string[] {
  return ['chmod', mode.toString(8), path];
}

export function unsafePlace(path: string, { problem, fix, hint = 'Make it private:' }: Danger): Told {
  return told('config-unsafe', { hint, next: [{ shell: fix }] })`${path} ${problem}, so it was not read`;
}

export function unreadablePlace(path: string, reason: string): Told {
  return told('config-unsafe', { next: [{ shell: [['ls', '-ld', path]] }] })`${path} cannot be read: ${reason}
    Check its permissions:`;
}
