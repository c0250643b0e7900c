import { badProfileName, reservedProfileName } from '../words/profileChanges.ts';
import { reservedMeaning } from '../words/profiles.ts';

const longestName = 64;

/** Refuses what cannot be a new profile's name. */
export function checkNewName(name: string): void {
  const meaning = reservedMeaning(name);
  if (meaning !== undefined) throw reservedProfileName(name, meaning);
  if (name.length <= longestName && /^[A-Za-z0-9][A-Za-z0-9._-]*$/u.test(name)) return;
  throw badProfileName(name, longestName);
}
