import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, type Env } from '../../machine/folders.ts';
import { type Bot, envBot } from '../../once/connection.ts';
import { identityUrl, parseBaseUrl } from '../../once/intent/baseUrl.ts';
import type { Spellings } from '../../once/intent/spellings.ts';
import { theFile } from '../say/open.ts';
import { Told, told } from '../say/told.ts';
import type { ChosenSettings } from './profileBot.ts';
import { Token } from './token.ts';
import type { BotInputs, GivenBaseUrl } from './tokenSource.ts';

/** What the options of a command say about the bot. */
export type BotOptions = {
  profile?: string | undefined;
  tokenFile?: string | undefined;
  baseUrl?: string | undefined;
  /** The whole command, as words: a refusal suggests it again without the faulty part. */
  command?: readonly string[] | undefined;
};

/** Where the token comes from. The first match wins. */
type Choice =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly token: string }
  | { readonly kind: 'profile'; readonly name: string; readonly namedBy: '--profile' | 'BOTCTL_PROFILE' }
  | { readonly kind: 'in-use' };

function tokenChoice(options: BotOptions, env: Env): Choice {
  if (options.tokenFile !== undefined)
    return { kind: 'file', path: notEmpty(options.tokenFile, '--token-file') };
  if (options.profile !== undefined) {
    return { kind: 'profile', name: notEmpty(options.profile, '--profile'), namedBy: '--profile' };
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

/** An empty value means a missing secret or variable, never a wish to use another bot. */
function notEmpty(value: string, where: string): string {
  if (value === '') throw emptyBotInput(where);
  return value;
}

/** Chooses the bot without sending anything. The code for profiles loads only if a profile is used. */
export async function chooseBot(options: BotOptions, inputs: BotInputs): Promise<Bot> {
  const { env } = inputs;
  const choice = tokenChoice(options, env);
  const given = givenBaseUrl(options, env);
  switch (choice.kind) {
    case 'variable':
      return envBotWith('BOTCTL_TOKEN', given, env, () => Token.from(choice.token, 'BOTCTL_TOKEN'));
    case 'file': {
      const { readTokenFile, readTokenStdin } = await import('./tokenInput.ts');
      if (choice.path === '-')
        return envBotWith('stdin', given, env, () => readTokenStdin(inputs.stdin, inputs));
      return envBotWith(theFile(choice.path), given, env, () => readTokenFile(choice.path, inputs));
    }
    case 'profile': {
      const { botNamed } = await import('./profileBot.ts');
      return botNamed(choice.name, choice.namedBy, given, inputs);
    }
    case 'in-use': {
      const { botInUse } = await import('./profileBot.ts');
      return botInUse(given, inputs);
    }
  }
}

/** The settings that the chosen profile holds. Its token is not read. */
export async function settingsOfChoice(
  options: BotOptions,
  { env }: Pick<BotInputs, 'env'>,
): Promise<ChosenSettings> {
  const choice = tokenChoice(options, env);
  if (choice.kind === 'variable' || choice.kind === 'file')
    return { settings: {}, spellings: await spellingsOfUser(env) };
  const { settingsOfProfile } = await import('./profileBot.ts');
  return settingsOfProfile(choice.kind === 'profile' ? choice : undefined, env);
}

/** What the user's profiles call tokens. Their code loads only if there are profiles. */
async function spellingsOfUser(env: Env): Promise<Spellings | undefined> {
  try {
    if (!existsSync(join(configFolder(env), 'config.json'))) return undefined;
  } catch {
    // Without a home folder there are no profiles.
    return undefined;
  }
  const { spellingsOfProfiles } = await import('./profileBot.ts');
  return spellingsOfProfiles(env);
}

/** Where the chosen bot's transfers can be seen. Its token is not read. */
export async function chainOfChoice(
  options: BotOptions,
  inputs: BotInputs,
): Promise<Pick<Bot, 'name' | 'chain' | 'settings'>> {
  const choice = tokenChoice(options, inputs.env);
  if (choice.kind === 'variable' || choice.kind === 'file') return { name: envBot, settings: {} };
  const { chainOfNamed } = await import('./profileBot.ts');
  return chainOfNamed(choice.kind === 'profile' ? choice : undefined, inputs);
}

/** The bot of a profile at the profile's own base URL; undefined if the profile no longer exists. */
export async function botOfProfile(name: string, inputs: BotInputs): Promise<Bot | undefined> {
  const { botAtOwnUrl } = await import('./profileBot.ts');
  return botAtOwnUrl(name, inputs);
}

/** Where a profile's transfers can be seen. Nothing is sent, so its token is not read. */
export async function chainOfProfile(
  name: string,
  inputs: BotInputs,
): Promise<Pick<Bot, 'name' | 'chain' | 'settings'> | undefined> {
  const { chainAtProfile } = await import('./profileBot.ts');
  return chainAtProfile(name, inputs);
}

function givenBaseUrl(options: BotOptions, env: Env): GivenBaseUrl | undefined {
  const by = options.baseUrl === undefined ? 'BOTCTL_BASE_URL' : '--base-url';
  const text = options.baseUrl ?? env.BOTCTL_BASE_URL;
  if (text === undefined) return undefined;
  return { baseUrl: parseBaseUrl(notEmpty(text, by), by), by, command: options.command };
}

async function envBotWith(
  tokenSource: string,
  given: GivenBaseUrl | undefined,
  env: Env,
  read: () => Token | Promise<Token>,
): Promise<Bot> {
  if (given === undefined)
    throw told('base-url')`The token from ${tokenSource} has no base URL
      Add --base-url URL or set BOTCTL_BASE_URL.`;
  const baseUrl = identityUrl(given.baseUrl);
  const token = await read();
  const spellings = await spellingsOfUser(env);
  return { name: envBot, baseUrl, spelledUrl: given.baseUrl, token, tokenSource, settings: {}, spellings };
}

/** An option or a variable that names the bot has no value. */
function emptyBotInput(source: string): Told {
  const code = source === 'BOTCTL_TOKEN' ? 'no-token' : 'usage';
  return new Told(code, `${source} is empty`, {
    hint: source.startsWith('--')
      ? `Give ${source} a value, or leave it out.`
      : `Give ${source} a value, or unset it. In CI, check that the secret or variable is defined for this job.`,
  });
}
