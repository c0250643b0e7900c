import type { Env } from '../context.ts';
import { Failure } from '../errors.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import { parseNamedUrl } from './namedUrl.ts';
import type { Settings } from './settings.ts';
import { Token } from './token.ts';

/** Who speaks, and where: all that an attempt needs to know about the bot. */
export type Speaker = {
  /** The profile's name, or `env` when the token is not a profile's. */
  bot: string;
  baseUrl: BaseUrl;
  token: Token;
  /** A phrase for people; never the token. */
  tokenSource: string;
  settings: Settings;
};

/** What the options of a command say about the speaker. */
export type Asked = {
  profile?: string | undefined;
  tokenFile?: string | undefined;
  baseUrl?: string | undefined;
};

export type SpeakerWorld = { env: Env; stdin: NodeJS.ReadableStream; interrupted: AbortSignal };

/** The speaker of a token that is no profile's. */
export const envBot = 'env';

/** Where the token comes from: first found wins. */
type Choice =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly token: string }
  | { readonly kind: 'profile'; readonly name: string; readonly namedBy: string }
  | { readonly kind: 'in-use' };

function choose(asked: Asked, env: Env): Choice {
  if (asked.tokenFile !== undefined) return { kind: 'file', path: notEmpty(asked.tokenFile, '--token-file') };
  if (asked.profile !== undefined) {
    return { kind: 'profile', name: notEmpty(asked.profile, '--profile'), namedBy: '--profile' };
  }
  if (env.BOTCTL_TOKEN !== undefined) {
    return { kind: 'variable', token: notEmpty(env.BOTCTL_TOKEN, 'BOTCTL_TOKEN') };
  }
  if (env.BOTCTL_PROFILE !== undefined) {
    return {
      kind: 'profile',
      name: notEmpty(env.BOTCTL_PROFILE, 'BOTCTL_PROFILE'),
      namedBy: 'BOTCTL_PROFILE',
    };
  }
  return { kind: 'in-use' };
}

/** An empty value is a secret or a variable that is missing somewhere, never a wish to be somebody else. */
function notEmpty(value: string, where: string): string {
  if (value !== '') return value;
  const isToken = where === 'BOTCTL_TOKEN';
  throw new Failure(isToken ? 'no-token' : 'usage', `${where} is given but empty; nothing was sent.`, {
    hint: where.startsWith('--')
      ? `Give ${where} a value, or leave it out.`
      : `Give ${where} a value, or unset it. In CI: is the secret or variable defined for this job?`,
  });
}

/** Who is to speak. Reads, and never sends; a profile's code loads only where a profile is asked for. */
export async function resolveSpeaker(asked: Asked, world: SpeakerWorld): Promise<Speaker> {
  const { env } = world;
  const choice = choose(asked, env);
  const given = givenBaseUrl(asked, env);
  switch (choice.kind) {
    case 'variable':
      return envSpeaker('BOTCTL_TOKEN', given, () => Token.from(choice.token, 'BOTCTL_TOKEN'));
    case 'file': {
      const { readTokenFile, readTokenStdin } = await import('./tokenInput.ts');
      if (choice.path === '-') return envSpeaker('stdin', given, () => readTokenStdin(world.stdin, world));
      return envSpeaker(`the file ${choice.path}`, given, () => readTokenFile(choice.path, world));
    }
    case 'profile': {
      const { profileSpeaker } = await import('./profileSpeaker.ts');
      return profileSpeaker(choice.name, choice.namedBy, given, world);
    }
    case 'in-use': {
      const { speakerInUse } = await import('./profileSpeaker.ts');
      return speakerInUse(given, world);
    }
  }
}

/** The speaker of a profile at the profile's own base URL; undefined where the profile is gone. */
export async function speakerOfProfile(name: string, world: SpeakerWorld): Promise<Speaker | undefined> {
  const { ownSpeaker } = await import('./profileSpeaker.ts');
  return ownSpeaker(name, world);
}

/** A base URL that the caller gave, with the name of what gave it. */
export type GivenBaseUrl = { readonly baseUrl: BaseUrl; readonly by: '--base-url' | 'BOTCTL_BASE_URL' };

function givenBaseUrl(asked: Asked, env: Env): GivenBaseUrl | undefined {
  const by = asked.baseUrl === undefined ? 'BOTCTL_BASE_URL' : '--base-url';
  const text = asked.baseUrl ?? env.BOTCTL_BASE_URL;
  return text === undefined ? undefined : { baseUrl: parseNamedUrl(notEmpty(text, by), by), by };
}

async function envSpeaker(
  tokenSource: string,
  given: GivenBaseUrl | undefined,
  read: () => Token | Promise<Token>,
): Promise<Speaker> {
  if (given === undefined) {
    throw new Failure(
      'base-url',
      `The token from ${tokenSource} is no profile’s, and nothing says where to send it; nothing was sent.`,
      { hint: 'Add --base-url URL or set BOTCTL_BASE_URL.' },
    );
  }
  return { bot: envBot, baseUrl: given.baseUrl, token: await read(), tokenSource, settings: {} };
}
