import { Failure } from '../errors.ts';

const longestName = 64;

/** Names that mean something else wherever a bot is named. */
const reserved: Readonly<Record<string, string>> = {
  sandbox: 'is the built-in bot: use --sandbox, it needs no profile',
  env: 'means a token that is no profile’s',
};

export function reservedMeaning(name: string): string | undefined {
  return Object.hasOwn(reserved, name) ? reserved[name] : undefined;
}

/** Refuses what cannot be a new profile's name. */
export function checkNewName(name: string): void {
  const meaning = reservedMeaning(name);
  if (meaning !== undefined) {
    throw new Failure('bad-input', `A profile cannot be called ${name}: that name ${meaning}.`, {
      hint: 'Choose another name, such as the bot’s own.',
    });
  }
  if (name.length <= longestName && /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name)) return;
  throw new Failure('bad-input', `${JSON.stringify(name)} cannot be a profile’s name.`, {
    hint: `Use letters, digits, dot, underscore and hyphen, a letter or digit first, ${longestName} characters at most.`,
  });
}
