import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import { glimpseProblems } from '../words/token.ts';
import { tokenOrigin } from '../words/tokenOrigin.ts';
import type { ProfileRecord, ProfilesFile } from './profilesFile.ts';
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
  };
}

export function summariesOf(file: ProfilesFile, env: Env): ProfileSummary[] {
  return Object.entries(file.profiles).map(([name, profile]) => summaryOf(file, name, profile, env));
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
