import * as z from 'zod/mini';
import { profilesProblems } from '../words/profilesFile.ts';
import type { TokenSource } from './tokenSource.ts';

const text = z.string();
const optionalText = z.optional(text);

const source: z.ZodMiniType<TokenSource> = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('stored'), secret: text }),
  z.looseObject({ kind: z.literal('env'), variable: text }),
  z.looseObject({ kind: z.literal('file'), path: text }),
  z.looseObject({ kind: z.literal('command'), command: text }),
]);

// Loose, so that what a newer botctl wrote survives being rewritten by this one.
const profile = z.looseObject({
  'base-url': text,
  token: source,
  'key-age': optionalText,
  timeout: optionalText,
  retries: optionalText,
  'max-wait': optionalText,
  policy: optionalText,
  'rpc-url': z.optional(z.array(source)),
  cluster: optionalText,
  wallet: optionalText,
  assets: z.optional(z.record(text, text)),
});

const profilesFile = z.looseObject({
  version: z.literal(1),
  'in-use': optionalText,
  profiles: z.record(text, profile),
});

/** One profile, as it stands in the file. Texts are checked where they are used: one bad one spoils no other. */
export type ProfileRecord = z.infer<typeof profile>;

export type ProfilesFile = z.infer<typeof profilesFile>;

export const noProfiles: ProfilesFile = { version: 1, profiles: {} };

/** What the text of the file means, or why it means nothing. The text may hold secrets: it is never quoted. */
type Parsed =
  | { readonly kind: 'profiles'; readonly file: ProfilesFile }
  | { readonly kind: 'damaged'; readonly problem: string };

export function parseProfiles(content: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    return { kind: 'damaged', problem: jsonProblem(error, content) };
  }
  const parsed = profilesFile.safeParse(value);
  if (parsed.success) return { kind: 'profiles', file: parsed.data };
  const path = parsed.error.issues[0]?.path.join('.') ?? '';
  return {
    kind: 'damaged',
    problem: profilesProblems.unexpected(path),
  };
}

function jsonProblem(error: unknown, content: string): string {
  const [, digits] = /position (\d+)/u.exec(error instanceof Error ? error.message : '') ?? [];
  if (digits === undefined) return profilesProblems[content.trim() === '' ? 'empty' : 'notJson'];
  const before = content.slice(0, Number(digits)).split('\n');
  return profilesProblems.notJsonAt(before.length, (before.at(-1)?.length ?? 0) + 1);
}

export function profileOf(file: ProfilesFile, name: string): ProfileRecord | undefined {
  return Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
}
