import type { Suggestion } from '../../once/sentence.ts';

export const addingProfile: readonly Suggestion[] = [['config', 'add', 'NAME', '--base-url', 'URL']];
export const listingProfiles: readonly Suggestion[] = [['config', 'list']];

/** Names that mean something else in every place that takes a bot's name. */
const reserved: Readonly<Record<string, string>> = {
  sandbox: 'is the built-in bot: use --sandbox, which needs no profile',
  env: 'means a bot whose token does not come from a profile',
};

export function reservedMeaning(name: string): string | undefined {
  return Object.hasOwn(reserved, name) ? reserved[name] : undefined;
}
