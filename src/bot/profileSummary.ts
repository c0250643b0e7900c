import { Failure } from '../errors.ts';
import type { Env } from '../machine/folders.ts';
import { notARpcUrl } from '../words/rpcUrl.ts';
import { glimpseProblems } from '../words/token.ts';
import { tokenOrigin } from '../words/tokenOrigin.ts';
import type { ProfileRecord, ProfilesFile } from './profilesFile.ts';
import { RpcUrl } from './rpcUrl.ts';
import { settingKeys } from './settingKeys.ts';
import { Token } from './token.ts';
import type { TokenSource } from './tokenSource.ts';

/** A profile as it may be shown: everything but the token. */
export type ProfileSummary = {
  readonly name: string;
  readonly inUse: boolean;
  readonly baseUrl: string;
  readonly token: {
    readonly source: TokenSource['kind'];
    readonly phrase: string;
    /** Its last characters, or why there are none to show. */
    readonly ending?: string;
    readonly problem?: string;
  };
  readonly settings: readonly { readonly key: string; readonly value: string }[];
  /** Of each node its host, or where its URL is read. */
  readonly chain: {
    readonly rpc: readonly string[];
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
      rpc: (profile['rpc-url'] ?? []).map((source) => nodePhrase(source, env)),
      cluster: profile.cluster,
      wallet: profile.wallet,
      assets: profile.assets,
    },
  };
}

export function summariesOf(file: ProfilesFile, env: Env): ProfileSummary[] {
  return Object.entries(file.profiles).map(([name, profile]) => summaryOf(file, name, profile, env));
}

/** The host, and where the URL comes from where that is elsewhere. */
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

/** Files and commands are not asked: a look at a profile must not wait for a pipe or open a vault. */
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
