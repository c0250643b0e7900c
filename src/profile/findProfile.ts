import { Failure } from '../errors.ts';
import { reservedMeaning } from './profileName.ts';
import { type ProfileRecord, type ProfilesFile, profileOf } from './profilesFile.ts';

/** The profile of that name, or a failure that names the ones there are. `why` says who asked for it. */
export function findProfile(file: ProfilesFile, name: string, why = ''): ProfileRecord {
  const profile = profileOf(file, name);
  if (profile !== undefined) return profile;
  const meaning = reservedMeaning(name);
  throw new Failure('no-such-profile', `There is no profile ${name}${why}; nothing was sent or changed.`, {
    hint: meaning === undefined ? knownProfiles(file) : `${name} ${meaning}.`,
  });
}

function knownProfiles(file: ProfilesFile): string {
  const names = Object.keys(file.profiles);
  return names.length === 0
    ? 'There is none yet: botctl config add NAME --base-url URL makes one.'
    : `There ${names.length === 1 ? 'is only' : 'are'} ${names.join(', ')}.`;
}
