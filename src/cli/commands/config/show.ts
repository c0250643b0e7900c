import type { Env } from '../../../machine/folders.ts';
import { RpcUrl } from '../../../once/chain/cluster.ts';
import { type Exit, Failure } from '../../../once/failures.ts';
import {
  findProfile,
  type ProfileRecord,
  type ProfilesFile,
  type ProfilesPaths,
  profilesPaths,
  readProfiles,
} from '../../bot/profiles.ts';
import { Token } from '../../bot/token.ts';
import type { TokenSource } from '../../bot/tokenSource.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { settingKeys } from '../../parse/setUpSpecs.ts';
import { noProfileToShow } from '../../say/config.ts';
import { tokenOrigin } from '../../say/open.ts';
import { addingProfile } from '../../say/profiles.ts';
import type { View } from '../../show/display.ts';
import { safeLine } from '../../show/text.ts';
import { lastingLocation, shownLocation } from '../openJournal.ts';

export async function show(given: ParsedArgs, context: Context): Promise<Exit> {
  const { env, display } = context;
  const paths = profilesPathsOf(context);
  const file = readProfiles(paths);
  const name = given.args[0] ?? given.text('profile') ?? env.BOTCTL_PROFILE ?? file['in-use'];
  if (name === undefined || name === '') throw noProfileToShow(name === '', paths.file);
  const summary = summaryOf(file, name, findProfile(file, name), env);
  const journal = file.journal && (await shownLocation(await lastingLocation(context)));
  await display.show(profileView(given.command, summary, { path: paths.file, journal }));
  return 0;
}

export async function list(given: ParsedArgs, context: Context): Promise<Exit> {
  const { env, display } = context;
  const summaries = summariesOf(readProfiles(profilesPathsOf(context)), env);
  if (summaries.length === 0) display.notice('There are no profiles yet. To add one:', addingProfile);
  const nameWidth = Math.max(0, ...summaries.map(({ name }) => name.length));
  for (const summary of summaries) {
    if ((await display.show(profileRow(given.command, summary, nameWidth))) === 'closed') break;
  }
  return 0;
}

export function profilesPathsOf({ env, display }: Context): ProfilesPaths {
  const paths = profilesPaths(env);
  display.step(`profiles: ${paths.file}`);
  return paths;
}

function tokenText({ token }: ProfileSummary): string {
  const known = token.ending === undefined ? token.problem : `ends in ${token.ending}`;
  return known === undefined ? token.phrase : `${token.phrase} (${known})`;
}

export function profileJson(summary: ProfileSummary): Record<string, unknown> {
  const { source, phrase, ending, problem } = summary.token;
  return {
    name: summary.name,
    in_use: summary.inUse,
    base_url: summary.baseUrl,
    token: { source, from: phrase, ending, problem },
    ...chainJson(summary),
    ...Object.fromEntries(summary.settings.map(({ key, value }) => [key.replaceAll('-', '_'), value])),
  };
}

function chainJson({ chain }: ProfileSummary): Record<string, unknown> {
  const { rpc, cluster, wallet, assets } = chain;
  return { rpc, cluster, wallet, assets };
}

function chainRows({ chain }: ProfileSummary): [string, string][] {
  const { rpc, cluster, wallet, assets = {} } = chain;
  return [
    ...(rpc === undefined ? [] : [['rpc-url', rpc] as [string, string]]),
    ...(cluster === undefined ? [] : [['cluster', cluster] as [string, string]]),
    ...(wallet === undefined ? [] : [['wallet', wallet] as [string, string]]),
    ...Object.entries(assets).map(([asset, mint]): [string, string] => ['asset', `${asset} ${mint}`]),
  ];
}

function rowsOf(summary: ProfileSummary): [string, string][] {
  return [
    ['profile', summary.inUse ? `${summary.name} (in use)` : summary.name],
    ['base-url', summary.baseUrl],
    ['token', tokenText(summary)],
    ...summary.settings.map(({ key, value }): [string, string] => [key, value]),
    ...chainRows(summary),
  ];
}

/** The text shown for one key. */
export function shownValue(summary: ProfileSummary, wanted: string): string | undefined {
  // Each asset has a row of its own.
  const rowKey = wanted === 'assets' ? 'asset' : wanted;
  const values = rowsOf(summary).flatMap(([key, value]) => (key === rowKey ? [value] : []));
  return values.length === 0 ? undefined : values.join(', ');
}

/** A line that says what was done; as JSON, the profile after the change. */
export function changedView(command: string, summary: ProfileSummary, line: string): View {
  return { ...profileView(command, summary), human: () => `${safeLine(line)}\n` };
}

/** A profile that was shown or added; `headline` says what was done, `path` is the file that has it. */
export function profileView(
  command: string,
  summary: ProfileSummary,
  {
    headline,
    path,
    journal,
  }: { readonly headline?: string; readonly path?: string; readonly journal?: string | undefined } = {},
): View {
  const beside = Object.entries({ journal, file: path }).filter(
    (row): row is [string, string] => row[1] !== undefined,
  );
  const rows = [...rowsOf(summary), ...beside];
  return {
    json: { schema: 'botctl/1', command, profile: profileJson(summary), journal, path },
    human: ({ paint }) => {
      const lines = rows.map(([key, value]) => `${paint.dim(key.padEnd(9))} ${safeLine(value)}`);
      return `${[...(headline === undefined ? [] : [safeLine(headline)]), ...lines].join('\n')}\n`;
    },
    quiet: summary.name,
  };
}

/** One line of the list. */
function profileRow(command: string, summary: ProfileSummary, nameWidth: number): View {
  return {
    json: { schema: 'botctl/1', command, profile: profileJson(summary) },
    human: ({ paint }) => {
      const mark = summary.inUse ? paint.green('*') : ' ';
      const name = paint.bold(safeLine(summary.name).padEnd(nameWidth));
      return `${mark} ${name}  ${safeLine(summary.baseUrl)}  ${paint.dim(safeLine(tokenText(summary)))}\n`;
    },
    quiet: summary.name,
  };
}

/** Everything about a profile that may be shown: all but the token. */
export type ProfileSummary = {
  readonly name: string;
  readonly inUse: boolean;
  readonly baseUrl: string;
  readonly token: {
    readonly source: TokenSource['kind'];
    readonly phrase: string;
    /** The token's last characters, if they may be shown. */
    readonly ending?: string;
    readonly problem?: string;
  };
  readonly settings: readonly { readonly key: string; readonly value: string }[];
  readonly chain: {
    /** The node's host, or where its URL is read from. */
    readonly rpc: string | undefined;
    readonly cluster: string | undefined;
    readonly wallet: string | undefined;
    readonly assets: Readonly<Record<string, string>> | undefined;
  };
};

export function summaryOf(
  file: ProfilesFile,
  name: string,
  profile: ProfileRecord,
  env: Env,
): ProfileSummary {
  return {
    name,
    inUse: file['in-use'] === name,
    baseUrl: profile['base-url'],
    token: { source: profile.token.kind, phrase: tokenOrigin(profile.token), ...glimpse(profile.token, env) },
    settings: settingKeys.flatMap((key) => {
      const value = profile[key];
      return value === undefined ? [] : [{ key, value }];
    }),
    chain: {
      rpc: profile['rpc-url'] && nodePhrase(profile['rpc-url'], env),
      cluster: profile.cluster,
      wallet: profile.wallet,
      assets: profile.assets,
    },
  };
}

function summariesOf(file: ProfilesFile, env: Env): ProfileSummary[] {
  return Object.entries(file.profiles).map(([name, profile]) => summaryOf(file, name, profile, env));
}

/** The host, and where the URL comes from if it is not stored in the profile. */
function nodePhrase(source: TokenSource, env: Env): string {
  const text =
    source.kind === 'stored' ? source.secret : source.kind === 'env' ? env[source.variable] : undefined;
  try {
    const host = text === undefined ? undefined : RpcUrl.from(text, tokenOrigin(source)).host;
    if (source.kind === 'stored') return host ?? '';
    return host === undefined ? tokenOrigin(source) : `${host} (${tokenOrigin(source)})`;
  } catch (error) {
    if (error instanceof Failure) return `${tokenOrigin(source)} (${notARpcUrl})`;
    throw error;
  }
}

/** Files and commands are not read: showing a profile must not wait for a pipe or open a vault. */
function glimpse(source: TokenSource, env: Env): { ending?: string; problem?: string } {
  if (source.kind === 'file' || source.kind === 'command') return {};
  const text = source.kind === 'stored' ? source.secret : env[source.variable];
  if (text === undefined) return { problem: glimpseProblems.unset };
  try {
    const ending = Token.from(text, tokenOrigin(source)).ending();
    return ending === '' ? {} : { ending };
  } catch (error) {
    if (error instanceof Failure)
      return { problem: text === '' ? glimpseProblems.empty : glimpseProblems.notAToken };
    throw error;
  }
}

/** Why the ending of a token cannot be shown. */
const glimpseProblems = { unset: 'not set here', empty: 'empty', notAToken: 'not a token' } as const;

/** Shown beside a source whose text is checked without being fetched. */
const notARpcUrl = 'not a usable URL';
