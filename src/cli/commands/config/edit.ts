import { resolve } from 'node:path';
import { RpcUrl } from '../../../chain/cluster.ts';
import { parseBaseUrl } from '../../../once/entry/baseUrl.ts';
import { asFailure, type Exit, failureWith } from '../../../once/failures.ts';
import { listed } from '../../../once/phrases.ts';
import type { Suggestion } from '../../../once/sentence.ts';
import { leastTellingLength } from '../../../once/wire/withoutToken.ts';
import type { App } from '../../app.ts';
import {
  changeProfile,
  changeProfiles,
  needsTokenAgain,
  removeProfile,
  tokenOfOtherOrigin,
  useProfile,
} from '../../bot/changeProfiles.ts';
import { parseAssets } from '../../bot/chooseBot.ts';
import {
  findProfile,
  type ProfileRecord,
  type ProfilesFile,
  profileOf,
  profilesPaths,
  readProfiles,
  type TokenSource,
} from '../../bot/profiles.ts';
import { type Secret, Token } from '../../bot/token.ts';
import { commandWords, readTokenStdin } from '../../bot/tokenInput.ts';
import type { Args } from '../../parse/args.ts';
import { chainKeys, settingKeys } from '../../parse/args.ts';
import { card, type Fact, fieldsOf } from '../../show/card.ts';
import { rpcUrlAsArgument, theCommandLine, theTerminal } from '../../wording/open.ts';
import { answeredNo, problemOf } from '../../wording/problem.ts';
import type { SetArgs, TokenArgs } from './config.spec.ts';
import { profileFacts, profilesPathsOf, shownValue } from './show.ts';

/** Settings with a default, which can be reset. */
const unsettable: readonly string[] = [...settingKeys, ...chainKeys];

export async function set(app: App<SetArgs>): Promise<Exit> {
  const [name = '', key = '', value] = app.args.words;
  findProfile(readProfiles(profilesPaths(app.env)), name);
  const change = await changeFor(name, key, value, app);
  const exit = await changeAndShow(
    app,
    name,
    (file) => changeProfile(file, name, change),
    (now, before) => `Set ${key} of profile ${name}: ${shownValue(now, key)}${was(before, key)}`,
  );
  if (change.policy !== undefined) await warnOfPolicy(change.policy, app);
  return exit;
}

/** The file may be added later, but nothing is sent until then, so the user should know now. */
export async function warnOfPolicy(path: string, { display }: App): Promise<void> {
  const { policyAt } = await import('../../bot/policyFile.ts');
  try {
    policyAt(path, 'is-refused');
  } catch (thrown) {
    const { message, next } = problemOf(asFailure(thrown));
    display.warn(`${message} Until that is fixed, this profile cannot send anything.`, next);
  }
}

async function changeFor(
  name: string,
  key: string,
  value: string | undefined,
  app: App<SetArgs>,
): Promise<Partial<ProfileRecord>> {
  if (key === 'token') {
    // The value is not echoed: it is a token, and it is already in the shell's history.
    if (value !== undefined)
      throw failureWith('usage')`
        A token cannot be an argument: arguments are visible in ps and in the shell’s history
        If that was the token, have a new one issued. Leave it out and botctl asks for it, or use --token-stdin.`;
    return { token: await givenSource(name, app) };
  }
  if (key === 'rpc-url') return { 'rpc-url': await nodeSource(name, value, app) };
  if (key !== 'base-url' && !unsettable.includes(key))
    throw failureWith('bad-input')`A profile has no setting ${JSON.stringify(key)}
      The settings are ${listed(['base-url', 'token', ...unsettable])}.`;
  if (value === undefined)
    throw failureWith('usage')`${key} needs a value
      Give it after the key.`;
  if (key === 'base-url') return movedTo(name, value, app);
  if (waysGiven(app.args).length > 0)
    throw failureWith('usage')`A token cannot be given together with ${key}
      Set one thing at a time.`;
  if (key === 'assets') return { assets: parseAssets(value) };
  // Stored as an absolute path: the profile is used in other folders too.
  return { [key]: key === 'policy' ? resolve(value) : value };
}

/** A node's URL often contains a key, so it is entered like a token. An argument may only be a URL without a key. */
async function nodeSource(name: string, value: string | undefined, app: App<SetArgs>): Promise<TokenSource> {
  if (value === undefined) {
    const source = await sourceOf('rpc-url', name, app);
    if (source.kind === 'stored') RpcUrl.from(source.secret, 'the input');
    return source;
  }
  const url = RpcUrl.from(value, theCommandLine);
  if (!url.isPlain || waysGiven(app.args).length > 0) throw rpcUrlAsArgument('set');
  return { kind: 'stored', secret: url.reveal() };
}

/** The new base URL and its token: the given one, or one that is asked for if the old one must not go there. */
async function movedTo(name: string, value: string, app: App<TokenArgs>): Promise<Partial<ProfileRecord>> {
  const baseUrl = parseBaseUrl(value, 'base-url');
  const profile = findProfile(readProfiles(profilesPaths(app.env)), name);
  if (waysGiven(app.args).length === 0) {
    if (!needsTokenAgain(profile, baseUrl)) return { 'base-url': baseUrl };
    if (app.display.terminal() === 'none') throw tokenOfOtherOrigin(name, profile);
    app.display.notice(`The token of ${name} is for ${profile['base-url']}: the new address needs its own.`);
  }
  return { 'base-url': baseUrl, token: await givenSource(name, app) };
}

export async function unset(app: App): Promise<Exit> {
  const [name = '', key = ''] = app.args.words;
  if (!unsettable.includes(key))
    throw failureWith('bad-input')`A profile has no setting ${JSON.stringify(key)} that can be reset
      You can reset ${listed(unsettable, 'or')}. To remove the whole profile:
      $ config remove ${name}`;
  return changeAndShow(
    app,
    name,
    (file) => changeProfile(file, name, { [key]: undefined }),
    (_now, before) => `Reset ${key} of profile ${name} to its default${was(before, key)}`,
  );
}

export async function use(app: App): Promise<Exit> {
  const [name = ''] = app.args.words;
  const exit = await changeAndShow(
    app,
    name,
    (file) => useProfile(file, name),
    () => `${name} is now in use.`,
  );
  for (const variable of ['BOTCTL_TOKEN', 'BOTCTL_PROFILE']) {
    if (app.env[variable] !== undefined)
      app.display.warn(`${variable} is set here, and it outranks the profile in use.`);
  }
  return exit;
}

export async function remove(app: App<Args<'yes'>>): Promise<Exit> {
  const [name = ''] = app.args.words;
  const { env, display } = app;
  const paths = profilesPathsOf(app);
  const file = readProfiles(paths);
  const { 'base-url': baseUrl, token } = findProfile(file, name);
  if (display.terminal() !== 'none' && !app.args.flag('yes')) {
    const hasStoredToken = token.kind === 'stored';
    const question = `Remove profile ${name} (${baseUrl})${hasStoredToken ? ' and the token stored in it' : ''}?`;
    if (!(await display.confirm(() => question))) throw answeredNo();
  }
  await changeProfiles(paths, (before) => removeProfile(before, name));
  const headline = `Removed profile ${name}.`;
  const removed = fieldsOf(profileFacts(file, name, env));
  await display.show(card(app.args.command, headline, [['', undefined, { removed }]], name));
  if (file['in-use'] === name) {
    const others = Object.keys(file.profiles).filter((other) => other !== name);
    display.notice(...noneInUse(others));
  }
  return 0;
}

/** Shown when the profile in use is removed. */
function noneInUse(others: readonly string[]): readonly [string, readonly Suggestion[]] {
  const choose = others.length === 0 ? '' : ' To use another one:';
  return [
    `It was the profile in use. No profile is in use now.${choose}`,
    others.slice(0, 3).map((other) => ['config', 'use', other]),
  ];
}

/** Makes one change, and reports it in one line from the profile's new and old facts. */
async function changeAndShow(
  app: App,
  name: string,
  change: (file: ProfilesFile) => ProfilesFile,
  headline: (now: readonly Fact[], before: readonly Fact[]) => string,
): Promise<Exit> {
  const { env, display } = app;
  let before: readonly Fact[] = [];
  const noted = (file: ProfilesFile): ProfilesFile => {
    before = profileOf(file, name) === undefined ? [] : profileFacts(file, name, env);
    return change(file);
  };
  const file = await changeProfiles(profilesPathsOf(app), noted);
  const now = profileFacts(file, name, env);
  const fields = { profile: fieldsOf(now) };
  await display.show(card(app.args.command, headline(now, before), [['', undefined, fields]], name));
  return 0;
}

function was(before: readonly Fact[], key: string): string {
  const value = shownValue(before, key);
  return value === undefined ? '' : ` (it was: ${value})`;
}

/** The token source that the options name. Warns if a token to be stored is too short. */
export async function givenSource(profile: string, app: App<TokenArgs>): Promise<TokenSource> {
  const source = await sourceOf('token', profile, app);
  if (source.kind === 'stored' && source.secret.length < leastTellingLength)
    app.display.warn(
      `This token is shorter than ${leastTellingLength} characters. If the service repeats it in a reply, botctl cannot recognise it there and will store and show it.`,
    );
  return source;
}

/** The options that say where a secret is. If none is given, the secret is asked for. */
export function waysGiven(args: TokenArgs): string[] {
  const file = args.text('token-file');
  const ways = {
    '--token-stdin': args.flag('token-stdin') || file === '-',
    '--token-env': args.text('token-env') !== undefined,
    '--token-file': file !== undefined && file !== '-',
    '--token-command': args.text('token-command') !== undefined,
  };
  return Object.entries(ways).flatMap(([way, isGiven]) => (isGiven ? way : []));
}

/** The token source that a profile will keep. The secret is not fetched now: it may exist only where the bot runs. */
async function sourceOf(secret: Secret, profile: string, app: App<TokenArgs>): Promise<TokenSource> {
  const { env, stdin, interrupts, display } = app;
  const [way, second] = waysGiven(app.args);
  if (second !== undefined)
    throw failureWith('usage')`${way ?? ''} and ${second} are both given
      Both say where the ${secret} is: give only one.`;
  const of = (option: 'token-env' | 'token-file' | 'token-command'): string => app.args.text(option) ?? '';
  switch (way) {
    case '--token-env': {
      const variable = of('token-env');
      // A value instead of a name is most likely the secret itself, so it is never echoed.
      const meant = Object.keys(env).find((name) => env[name] === variable && env[variable] === undefined);
      if (meant === undefined && /^[A-Za-z_][A-Za-z0-9_]*$/u.test(variable)) return { kind: 'env', variable };
      throw failureWith('bad-input')`The value of --token-env is not a variable name
        Give the name without $, as in --token-env ${meant ?? (secret === 'token' ? 'BOT_TOKEN' : 'RPC_URL')}. botctl reads the variable each time it needs the ${secret}.`;
    }
    case '--token-file':
      if (of('token-file') !== '') return { kind: 'file', path: resolve(of('token-file')) };
      throw failureWith('bad-input')`--token-file needs a path that can be read again later
        To store the ${secret} that comes on stdin, use --token-stdin.`;
    case '--token-command':
      commandWords(of('token-command'), secret);
      return { kind: 'command', command: of('token-command') };
    case '--token-stdin': {
      const token = await readTokenStdin(stdin, interrupts.first, secret);
      return { kind: 'stored', secret: token.reveal() };
    }
  }
  if (display.terminal() === 'none')
    throw failureWith('usage')`No ${secret} is given, and there is no terminal for the question
      Give it with --token-stdin, --token-env VAR, --token-file PATH or --token-command "…".`;
  const question = `${secret === 'token' ? 'Token' : secret} of ${profile} (not shown)`;
  const token = Token.from((await display.askHidden(question)).trim(), theTerminal, secret);
  return { kind: 'stored', secret: token.reveal() };
}
