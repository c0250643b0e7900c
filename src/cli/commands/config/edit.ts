import { resolve } from 'node:path';
import type { Env } from '../../../machine/folders.ts';
import { RpcUrl } from '../../../once/chain/cluster.ts';
import type { Exit } from '../../../once/failures.ts';
import { type BaseUrl, parseBaseUrl } from '../../../once/intent/baseUrl.ts';
import { waitsADay } from '../../../once/policy/policy.ts';
import { leastTellingLength } from '../../../once/wire/withoutToken.ts';
import {
  changeProfiles,
  isChainKey,
  isProfileKey,
  isSettingKey,
  needsTokenAgain,
  type ProfileKey,
  profileKeys,
  removeProfile,
  setBaseUrl,
  setChainKey,
  setRpcUrl,
  setSetting,
  setToken,
  unsetSetting,
  useProfile,
} from '../../bot/changeProfiles.ts';
import { findProfile, type ProfilesFile, profilesPaths, readProfiles } from '../../bot/profiles.ts';
import { Token } from '../../bot/token.ts';
import { commandWords, readTokenStdin } from '../../bot/tokenInput.ts';
import type { Secret, TokenSource } from '../../bot/tokenSource.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { type ChainKey, chainKeys, type SettingKey, settingKeys } from '../../parse/help.ts';
import { keyReset, keySet, noneInUse, tokenAsArgument, tokenOfOtherOrigin } from '../../say/config.ts';
import { inWords } from '../../say/inWords.ts';
import { rpcUrlAsArgument, rpcUrlQuestion, theCommandLine, theTerminal } from '../../say/open.ts';
import { listed } from '../../say/phrases.ts';
import { youngJournalWaits } from '../../say/policy.ts';
import { problemOf, type Told, told } from '../../say/told.ts';
import { safeLine } from '../../show/text.ts';
import {
  changedView,
  type ProfileSummary,
  profileJson,
  profilesPathsOf,
  shownValue,
  summaryOf,
} from './show.ts';
import type { SetArgs, TokenArgs } from './spec.ts';

export async function set(given: SetArgs, context: Context): Promise<Exit> {
  const [name = '', key = '', value] = given.args;
  findProfile(readProfiles(profilesPaths(context.env)), name);
  const change = await changeFor(name, checkedKey(key), value, given, context);
  const exit = await changeAndShow(given, context, name, change, {
    key,
    of: (now, before) => keySet(name, key, now, before),
  });
  if (key === 'policy' && value !== undefined) await warnOfPolicy(resolve(value), context);
  return exit;
}

function checkedKey(key: string): ProfileKey {
  if (isProfileKey(key)) return key;
  throw told('bad-input')`A profile has no setting ${JSON.stringify(key)}
    The settings are ${listed(profileKeys)}.`;
}

/** The file may be added later, but nothing is sent until then, so the user should know now. */
async function warnOfPolicy(path: string, { display }: Context): Promise<void> {
  const { policyAt } = await import('../../bot/policyFile.ts');
  try {
    const policy = policyAt(path, 'is-refused');
    if (policy !== undefined && waitsADay(policy)) display.notice(youngJournalWaits);
  } catch (thrown) {
    const { message, next } = problemOf(await inWords(thrown));
    display.warn(policyNotUsable(message), next);
  }
}

async function changeFor(
  name: string,
  key: ProfileKey,
  value: string | undefined,
  given: SetArgs,
  context: Context,
): Promise<(file: ProfilesFile) => ProfilesFile> {
  if (key === 'token') {
    if (value !== undefined) throw tokenAsArgument();
    const { warnOfUnknown } = await import('./unknown.ts');
    await warnOfUnknown(name, given, context);
    const source = await givenSource(name, given, context);
    return (file) => setToken(file, name, source);
  }
  if (key === 'rpc-url') return rpcUrlChange(name, value, given, context);
  if (given.flag('add'))
    throw told('usage')`--add works only with rpc-url
      Every other setting has one value.`;
  const text = requiredValue(name, key, value);
  if (key === 'base-url') {
    const baseUrl = parseBaseUrl(text, 'base-url');
    const source = await sourceFor(name, baseUrl, given, context);
    return (file) => setBaseUrl(file, name, baseUrl, source);
  }
  if (givesSource(sourceOptions(given)))
    throw told('usage')`A token cannot be given together with ${key}
      Set one thing at a time:
      $ config set ${name} token
      $ config set ${name} ${key} ${text}`;
  if (isChainKey(key)) return (file) => setChainKey(file, name, key, text);
  // It applies wherever the profile is used.
  const setting = key === 'policy' && text !== '' ? resolve(text) : text;
  return (file) => setSetting(file, name, key, setting);
}

/** The URL often carries a key, so it is entered like a token. The command line takes only a URL without one. */
async function rpcUrlChange(
  name: string,
  value: string | undefined,
  given: SetArgs,
  context: Context,
): Promise<(file: ProfilesFile) => ProfilesFile> {
  const adds = given.flag('add');
  if (value === undefined) {
    const source = await givenRpcSource(name, given, context);
    return (file) => setRpcUrl(file, name, source, adds);
  }
  const url = RpcUrl.from(value, theCommandLine);
  if (!url.isPlain || givesSource(sourceOptions(given))) throw rpcUrlAsArgument('set');
  return (file) => setRpcUrl(file, name, { kind: 'stored', secret: url.reveal() }, adds);
}

/** The token for a new base URL: the given one, or a requested one if the old one must not go there. */
async function sourceFor(
  name: string,
  baseUrl: BaseUrl,
  given: TokenArgs,
  context: Context,
): Promise<TokenSource | undefined> {
  const options = sourceOptions(given);
  const profile = findProfile(readProfiles(profilesPaths(context.env)), name);
  if (!givesSource(options)) {
    if (!needsTokenAgain(profile, baseUrl)) return undefined;
    if (context.display.terminal() === 'none') throw tokenOfOtherOrigin(name, profile['base-url']);
    context.display.notice(
      `The token of ${name} is for ${profile['base-url']}: the new address needs its own.`,
    );
  }
  return givenSource(name, given, context);
}

function requiredValue(name: string, key: ProfileKey, value: string | undefined): string {
  if (value === undefined)
    throw told('usage')`${key} needs a value
      Give one, or reset the setting to its default:
      $ config set ${name} ${key} VALUE
      $ config unset ${name} ${key}`;
  return value;
}

export async function unset(given: ParsedArgs, context: Context): Promise<Exit> {
  const [name = '', text = ''] = given.args;
  const key = unsettableKey(text, name);
  return changeAndShow(given, context, name, (file) => unsetSetting(file, name, key), {
    key,
    of: (_now, before) => keyReset(name, key, before),
  });
}

function unsettableKey(key: string, name: string): SettingKey | ChainKey {
  if (isSettingKey(key) || isChainKey(key)) return key;
  throw keyNotResettable(name, key, isProfileKey(key), [...settingKeys, ...chainKeys]);
}

export async function use(given: ParsedArgs, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const exit = await changeAndShow(
    given,
    context,
    name,
    (file) => useProfile(file, name),
    `${name} is now in use.`,
  );
  for (const variable of ['BOTCTL_TOKEN', 'BOTCTL_PROFILE']) {
    if (context.env[variable] !== undefined)
      context.display.warn(`${variable} is set here, and it outranks the profile in use.`);
  }
  return exit;
}

export async function remove(given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const [name = ''] = given.args;
  const { env, display, interrupts } = context;
  const paths = profilesPathsOf(context);
  const file = readProfiles(paths);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  if (display.terminal() !== 'none' && !given.flag('yes')) {
    const hasStoredToken = summary.token.source === 'stored';
    const question = `Remove profile ${name} (${summary.baseUrl})${hasStoredToken ? ' and the token stored in it' : ''}?`;
    if (!(await display.confirm(() => question)))
      throw told('declined')`Answered No: profile ${name} is still there
        Run the same command again to be asked again.`;
  }
  await changeProfiles(paths, (before) => removeProfile(before, name), interrupts.first);
  await display.show({
    json: { schema: 'botctl/1', command: given.command, removed: profileJson(summary) },
    human: ({ own }) => `${own(`Removed profile ${safeLine(name)}.`)}\n`,
    quiet: name,
  });
  if (summary.inUse) {
    const others = Object.keys(file.profiles).filter((other) => other !== name);
    display.notice(...noneInUse(others));
  }
  return 0;
}

/** What was done, in a line, with the values of a key before and after. */
type Headline =
  | string
  | { readonly key: string; readonly of: (now: string, before: string | undefined) => string };

/** Makes one change and reports it in a line. */
async function changeAndShow(
  given: ParsedArgs,
  context: Context,
  name: string,
  change: (file: ProfilesFile) => ProfilesFile,
  headline: Headline,
): Promise<Exit> {
  const { env, display, interrupts } = context;
  let before: ProfileSummary | undefined;
  const noted = (file: ProfilesFile): ProfilesFile => {
    const profile = file.profiles[name];
    before = profile && summaryOf(file, name, profile, env);
    return change(file);
  };
  const file = await changeProfiles(profilesPathsOf(context), noted, interrupts.first);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  const line =
    typeof headline === 'string'
      ? headline
      : headline.of(shownValue(summary, headline.key) ?? '', before && shownValue(before, headline.key));
  await display.show(changedView(given.command, summary, line));
  return 0;
}

/** The token source that the options name. Warns if a token to be stored is too short. */
export async function givenSource(profile: string, given: TokenArgs, context: Context): Promise<TokenSource> {
  const source = await newSource(sourceOptions(given), sourceInputs(profile, context));
  if (source.kind === 'stored' && source.secret.length < leastTellingLength) {
    context.display.warn(shortTokenWarning(leastTellingLength));
  }
  return source;
}

/** The same for the URL of a node. Storing it checks it. */
async function givenRpcSource(profile: string, given: TokenArgs, context: Context): Promise<TokenSource> {
  const source = await newSource(sourceOptions(given), sourceInputs(profile, context, 'rpc-url'));
  if (source.kind === 'stored') RpcUrl.from(source.secret, 'the input');
  return source;
}

function sourceOptions(given: TokenArgs): SourceOptions {
  const file = given.text('token-file');
  return {
    stdin: given.flag('token-stdin') || file === '-',
    env: given.text('token-env'),
    file: file === '-' ? undefined : file,
    command: given.text('token-command'),
  };
}

function sourceInputs(
  profile: string,
  { env, stdin, interrupts, display }: Context,
  secret: Secret = 'token',
): SourceInputs {
  const question = secret === 'token' ? `Token of ${profile} (not shown)` : rpcUrlQuestion(profile);
  return {
    secret,
    env,
    stdin,
    interrupted: interrupts.first,
    ask: display.terminal() === 'none' ? undefined : () => display.askHidden(question),
  };
}

/** How the command line gives a token to a profile: one of these, or none, and then it is asked for. */
type SourceOptions = {
  readonly stdin: boolean;
  readonly env: string | undefined;
  readonly file: string | undefined;
  readonly command: string | undefined;
};

type SourceInputs = {
  readonly secret: Secret;
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream;
  readonly interrupted: AbortSignal;
  /** Asks a person for the token without showing it; undefined if nobody can be asked. */
  readonly ask: (() => Promise<string>) | undefined;
};

function givesSource(options: SourceOptions): boolean {
  return namesOf(options).length > 0;
}

function namesOf(options: SourceOptions): string[] {
  const { stdin, env, file, command } = options;
  const given = { '--token-stdin': stdin || undefined, '--token-env': env, '--token-file': file };
  return Object.entries({ ...given, '--token-command': command }).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  );
}

/** The source that a profile will keep. The token is not fetched now: it may exist only where the bot runs. */
async function newSource(options: SourceOptions, inputs: SourceInputs): Promise<TokenSource> {
  const { secret } = inputs;
  const [first, second] = namesOf(options);
  if (first !== undefined && second !== undefined)
    throw told('usage')`${first} and ${second} are both given
      Both say where the ${secret} is: give only one.`;
  if (options.env !== undefined) return { kind: 'env', variable: checkVariable(options.env, inputs) };
  if (options.file !== undefined) return { kind: 'file', path: checkPath(options.file, secret) };
  if (options.command !== undefined) {
    commandWords(options.command, secret);
    return { kind: 'command', command: options.command };
  }
  const token = options.stdin ? await readTokenStdin(inputs.stdin, inputs) : await askFor(inputs);
  return { kind: 'stored', secret: token.reveal() };
}

async function askFor({ ask, secret }: SourceInputs): Promise<Token> {
  if (ask === undefined)
    throw told('usage')`No ${secret} is given, and there is no terminal for the question
      Give it with --token-stdin, --token-env VAR, --token-file PATH or --token-command "…".`;
  return Token.from((await ask()).trim(), theTerminal, secret);
}

/** A value in place of a name is most likely the secret itself, so it is never echoed. */
function checkVariable(variable: string, { env, secret }: SourceInputs): string {
  const named = Object.keys(env).find((name) => env[name] === variable && env[variable] === undefined);
  if (/^[A-Za-z_][A-Za-z0-9_]*$/u.test(variable) && named === undefined) return variable;
  throw badTokenVariable(named, secret);
}

function checkPath(path: string, secret: Secret): string {
  if (path !== '') return resolve(path);
  throw told('bad-input')`--token-file needs a path that can be read again later
    To store the ${secret} that comes on stdin, use --token-stdin.`;
}

/** `isNeeded`: every profile must have this key. */
function keyNotResettable(name: string, key: string, isNeeded: boolean, keys: readonly string[]): Told {
  const problem = isNeeded ? `A profile needs its ${key}` : `A profile has no setting ${JSON.stringify(key)}`;
  return told('bad-input')`${problem}
    You can reset ${listed(keys, 'or')}. To remove the whole profile:
    $ config remove ${name}`;
}

/** Said when a stored token is too short to be removed from a reply that repeats it. */
function shortTokenWarning(leastLength: number): string {
  return `This token is shorter than ${leastLength} characters. If the service repeats it in a reply, botctl cannot recognise it there and will store and show it.`;
}

/** `meant` is the variable whose value was given instead of its name. */
function badTokenVariable(meant: string | undefined, secret: Secret): Told {
  return told('bad-input')`The value of --token-env is not a variable name
    Give the name without $, as in --token-env ${meant ?? (secret === 'token' ? 'BOT_TOKEN' : 'RPC_URL')}. botctl reads the variable each time it needs the ${secret}.`;
}

/** Said when a profile was just given this policy. */
function policyNotUsable(message: string): string {
  return `${message} Until that is fixed, this profile cannot send anything.`;
}
