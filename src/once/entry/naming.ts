import { entryFailure, type NameSource, type Unseen } from './failures.ts';
import { digestOf, type Kind, type Wanted } from './wanted.ts';

export type Naming =
  | { readonly by: 'nothing' }
  | { readonly by: 'once'; readonly name: string }
  | { readonly by: 'run'; readonly name: string }
  | { readonly by: 'key'; readonly key: string }
  /** A row of a batch: its `id`, or its body and its number among equal rows. */
  | { readonly by: 'row'; readonly name: string; readonly row: string; readonly id?: string };

/** Names and keys are unique within a service and a kind. */
export type Scope = { readonly baseUrl: string; readonly kind: Kind };

export type NamingChoice = {
  once: string | undefined;
  key: string | undefined;
  /** A payload's `idempotency_key` counts as the option. */
  payloadKey: string | undefined;
  runFromEnv: string | undefined;
};

/** At most one name may be given. A flag outranks the environment, and no name may be empty. */
export function namingFrom(choice: NamingChoice): Naming {
  const key = choice.key ?? choice.payloadKey;
  const keySource = choice.key === undefined ? 'payload' : '--idempotency-key';
  const sources: NameSource[] = [];
  if (choice.once !== undefined) sources.push('--once');
  if (key !== undefined) sources.push(keySource);
  if (sources.length > 1) throw entryFailure('several-names', { sources });
  if (choice.once !== undefined) return { by: 'once', name: notEmpty('--once', choice.once) };
  if (key !== undefined) return { by: 'key', key: notEmpty(keySource, key) };
  if (choice.runFromEnv !== undefined) return { by: 'run', name: notEmpty('BOTCTL_RUN', choice.runFromEnv) };
  return { by: 'nothing' };
}

const maxNameBytes = 512;

function notEmpty(source: NameSource, name: string): string {
  if (name.trim() === '') throw entryFailure('empty-name', { source });
  if (Buffer.byteLength(name) > maxNameBytes)
    throw entryFailure('long-name', { source, mostBytes: maxNameBytes });
  const unseen = invisibleIn(name);
  if (unseen !== undefined) throw entryFailure('unseen-in-name', { source, unseen });
  return name;
}

export function isNamed(naming: Naming): boolean {
  return naming.by !== 'nothing';
}

/** The name as it is kept and shown. */
export function nameOf(naming: Naming): string | undefined {
  if (naming.by === 'nothing') return undefined;
  if (naming.by === 'key') return naming.key;
  return naming.name;
}

/** The fields, besides base URL and kind, that make two commands the same. */
function identityFields(naming: Exclude<Naming, { by: 'nothing' }>, canonical: string): string[] {
  switch (naming.by) {
    case 'once':
      return ['once', naming.name];
    case 'run':
      return ['run', naming.name, canonical];
    case 'key':
      return ['key', naming.key];
    case 'row':
      return ['row', naming.name, naming.row];
  }
}

/** Has the form of a UUIDv4, because services check it. */
function asUuid(hex: string): string {
  const variant = '89ab'.charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}

/** The idempotency key. It is random for an unnamed entry, and the same on every machine for any other. */
export function keyFor(naming: Naming, scope: Scope, canonical: string, randomKey: () => string): string {
  if (naming.by === 'nothing') return randomKey();
  if (naming.by === 'key') return naming.key;
  return asUuid(digestOf('botctl-key/1', [scope.baseUrl, scope.kind, ...identityFields(naming, canonical)]));
}

/** Two commands mean the same entry if and only if their identities are equal. */
export function identityFor(naming: Naming, scope: Scope, bot: BotIdentity, canonical: string): string {
  const fields =
    naming.by === 'nothing'
      ? ['unnamed', bot.bot, bot.tokenHash ?? '', canonical]
      : identityFields(naming, canonical);
  return digestOf('botctl-identity/1', [scope.baseUrl, scope.kind, ...fields]);
}

type BotIdentity = {
  readonly bot: string;
  /** Only for the bot `env`: unnamed commands with different tokens count as different bots'. */
  readonly tokenHash: string | undefined;
};

// Matches nearly every name, and so avoids loading the Unicode tables, which is slow at start-up.
const plain = /^[!-~](?:[ -~]*[!-~])?$/u;
/** Two texts that differ only in these characters look the same. */
export const hidden = /[\p{Cc}\p{Cf}\p{DI}\p{Cs}\u2800]/u;
const otherBlank = /^(?! )[\p{Zs}\p{Zl}\p{Zp}]$/u;

/**
 * Finds an invisible character in a name, a key or a row's id. They are refused, never repaired: only the author knows
 * which one was meant.
 */
export function invisibleIn(text: string): Unseen | undefined {
  if (plain.test(text)) return undefined;
  const characters = [...text];
  for (const [index, character] of characters.entries()) {
    const is = unseenAs(character, index === 0 || index === characters.length - 1);
    if (is !== undefined) return { is, codePoint: codePoint(character), position: index + 1 };
  }
  return decomposedIn(characters);
}

function unseenAs(character: string, isAtEnd: boolean): Unseen['is'] | undefined {
  if (hidden.test(character)) return 'hidden';
  if (otherBlank.test(character)) return 'other-blank';
  if (character === '\ufffd') return 'lost';
  return isAtEnd && character === ' ' ? 'blank-at-end' : undefined;
}

/** Unicode can spell some characters in two ways. A name must use the composed form (NFC). */
function decomposedIn(characters: readonly string[]): Unseen | undefined {
  if (characters.join('') === characters.join('').normalize('NFC')) return undefined;
  let soFar = '';
  for (const [index, character] of characters.entries()) {
    soFar += character;
    if (soFar === soFar.normalize('NFC')) continue;
    return { is: 'decomposed', codePoint: codePoint(character), position: index + 1 };
  }
  return undefined;
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}

/** One thing that must be done once: the request and its name. */
export type Order = {
  readonly wanted: Wanted;
  readonly naming: Naming;
  /** The other columns of a row, as a JSON object. They are kept, never sent, and part of no identity. */
  readonly columns?: string | undefined;
};
