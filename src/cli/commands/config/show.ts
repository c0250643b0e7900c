import { RpcUrl } from '../../../chain/cluster.ts';
import type { Env } from '../../../machine/folders.ts';
import { type Exit, Failure, failureWith } from '../../../once/failures.ts';
import type { App } from '../../app.ts';
import {
  findProfile,
  type ProfilesFile,
  type ProfilesPaths,
  profilesPaths,
  readProfiles,
  type TokenSource,
} from '../../bot/profiles.ts';
import { Token } from '../../bot/token.ts';
import { lastingLocation, shownLocation } from '../../open/journal.ts';
import { settingKeys } from '../../parse/args.ts';
import { card, type Fact, fieldsOf, under } from '../../show/card.ts';
import { safeLine } from '../../show/text.ts';
import { tokenOrigin } from '../../wording/open.ts';
import { addingProfile, listingProfiles } from '../../wording/profiles.ts';

export async function show(app: App): Promise<Exit> {
  const { env, display } = app;
  const paths = profilesPathsOf(app);
  const file = readProfiles(paths);
  const name = app.args.words[0] ?? app.args.text('profile') ?? env.BOTCTL_PROFILE ?? file['in-use'];
  if (name === undefined || name === '')
    throw failureWith('no-such-profile', { next: [...listingProfiles, ...addingProfile] })`
      ${name === '' ? 'The name of the profile is empty.' : 'No profile is in use, and none was named.'}
      List the profiles in ${paths.file}, or add one:`;
  const journal = file.journal && (await shownLocation(await lastingLocation(app)));
  const facts: Fact[] = [
    ...under('profile', profileFacts(file, name, env)),
    ['journal', journal, { journal }],
    ['file', paths.file, { path: paths.file }],
  ];
  await display.show(card(app.args.command, undefined, facts, name));
  return 0;
}

export async function list(app: App): Promise<Exit> {
  const { env, display } = app;
  const file = readProfiles(profilesPathsOf(app));
  const names = Object.keys(file.profiles);
  if (names.length === 0) display.notice('There are no profiles yet. To add one:', addingProfile);
  const width = Math.max(0, ...names.map(({ length }) => length));
  for (const name of names) {
    const facts = profileFacts(file, name, env);
    const view = card(
      app.args.command,
      ({ paint }) => {
        const mark = file['in-use'] === name ? paint.green('*') : ' ';
        const [url, token] = [shownValue(facts, 'base-url'), shownValue(facts, 'token')].map((text = '') =>
          safeLine(text),
        );
        return `${mark} ${paint.bold(safeLine(name).padEnd(width))}  ${url}  ${paint.dim(token)}\n`;
      },
      [['', undefined, { profile: fieldsOf(facts) }]],
      name,
    );
    if ((await display.show(view)) === 'closed') break;
  }
  return 0;
}

export function profilesPathsOf({ env, display }: App): ProfilesPaths {
  const paths = profilesPaths(env);
  display.step(`profiles: ${paths.file}`);
  return paths;
}

/** Everything about a profile except its token. */
export function profileFacts(file: ProfilesFile, name: string, env: Env): Fact[] {
  const profile = findProfile(file, name);
  const inUse = file['in-use'] === name;
  const { kind: source } = profile.token;
  const from = tokenOrigin(profile.token);
  const { ending, problem } = glimpse(profile.token, env);
  const known = ending === undefined ? problem : `ends in ${ending}`;
  const rpc = profile['rpc-url'] && nodePhrase(profile['rpc-url'], env);
  const { cluster, wallet, assets } = profile;
  return [
    ['profile', inUse ? `${name} (in use)` : name, { name, in_use: inUse }],
    ['base-url', profile['base-url'], { base_url: profile['base-url'] }],
    [
      'token',
      known === undefined ? from : `${from} (${known})`,
      { token: { source, from, ending, problem } },
    ],
    ...settingKeys.map((key): Fact => [key, profile[key], { [key.replaceAll('-', '_')]: profile[key] }]),
    ['rpc-url', rpc, { rpc }],
    ['cluster', cluster, { cluster }],
    ['wallet', wallet, { wallet }],
    [
      'assets',
      assets &&
        Object.entries(assets)
          .map((pair) => pair.join(' '))
          .join(', '),
      { assets },
    ],
  ];
}

export function shownValue(facts: readonly Fact[], key: string): string | undefined {
  return facts.find(([label]) => label === key)?.[1];
}

/** The host, and the source of the URL if it is not stored in the profile. */
function nodePhrase(source: TokenSource, env: Env): string {
  const text =
    source.kind === 'stored' ? source.secret : source.kind === 'env' ? env[source.variable] : undefined;
  try {
    const host = text === undefined ? undefined : RpcUrl.from(text, tokenOrigin(source)).host;
    if (source.kind === 'stored') return host ?? '';
    return host === undefined ? tokenOrigin(source) : `${host} (${tokenOrigin(source)})`;
  } catch (error) {
    if (error instanceof Failure) return `${tokenOrigin(source)} (not a usable URL)`;
    throw error;
  }
}

/** Files and commands are not read: showing a profile must not wait for a pipe or open a vault. */
function glimpse(source: TokenSource, env: Env): { ending?: string; problem?: string } {
  if (source.kind === 'file' || source.kind === 'command') return {};
  const text = source.kind === 'stored' ? source.secret : env[source.variable];
  if (text === undefined) return { problem: 'not set here' };
  try {
    const ending = Token.from(text, tokenOrigin(source)).ending();
    return ending === '' ? {} : { ending };
  } catch (error) {
    if (error instanceof Failure) return { problem: text === '' ? 'empty' : 'not a token' };
    throw error;
  }
}
