import { noSuchProfile } from '../words/profiles.ts';
import { type ProfileRecord, type ProfilesFile, profileOf } from './profilesFile.ts';

/** The profile of that name, or a failure that names the ones there are. `source` says where the name was found. */
export function findProfile(file: ProfilesFile, name: string, source?: string): ProfileRecord {
  const profile = profileOf(file, name);
  if (profile === undefined) throw noSuchProfile(name, Object.keys(file.profiles), source);
  return profile;
}
