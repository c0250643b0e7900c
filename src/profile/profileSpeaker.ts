import { Failure } from '../errors.ts';
import { type BaseUrl, originOf } from '../intent/baseUrl.ts';
import { findProfile } from './findProfile.ts';
import { parseNamedUrl } from './namedUrl.ts';
import { type ProfileRecord, type ProfilesFile, profileOf } from './profilesFile.ts';
import { readSettings } from './settings.ts';
import type { GivenBaseUrl, Speaker, SpeakerWorld } from './speaker.ts';
import { readProfiles, storePlace } from './store.ts';
import { phraseOf, readToken } from './tokenSource.ts';

/** The speaker of the profile that `--profile` or `BOTCTL_PROFILE` names. */
export async function profileSpeaker(
  name: string,
  namedBy: string,
  given: GivenBaseUrl | undefined,
  world: SpeakerWorld,
): Promise<Speaker> {
  const file = readProfiles(storePlace(world.env));
  return speakerOf(name, findProfile(file, name, ` (named by ${namedBy})`), given, world);
}

/** The speaker of the profile in use. */
export async function speakerInUse(given: GivenBaseUrl | undefined, world: SpeakerWorld): Promise<Speaker> {
  const file = readProfiles(storePlace(world.env));
  const name = file['in-use'];
  if (name === undefined) throw nobodySpeaks(file);
  return speakerOf(name, findProfile(file, name, ' (the one in use)'), given, world);
}

/** The speaker of a profile at its own base URL, whatever the command line says. */
export async function ownSpeaker(name: string, world: SpeakerWorld): Promise<Speaker | undefined> {
  const profile = profileOf(readProfiles(storePlace(world.env)), name);
  return profile === undefined ? undefined : speakerOf(name, profile, undefined, world);
}

async function speakerOf(
  name: string,
  profile: ProfileRecord,
  given: GivenBaseUrl | undefined,
  world: SpeakerWorld,
): Promise<Speaker> {
  const baseUrl = baseUrlOf(name, profile, given);
  const settings = readSettings(profile, (key) => `${key} of profile ${name}`);
  const token = await readToken(profile.token, name, world);
  return {
    bot: name,
    baseUrl,
    token,
    tokenSource: `profile ${name}: ${phraseOf(profile.token)}`,
    settings,
  };
}

/** A profile's token belongs to its profile's origin: nothing that is given may lead it elsewhere. */
function baseUrlOf(name: string, profile: ProfileRecord, given: GivenBaseUrl | undefined): BaseUrl {
  const own = parseNamedUrl(profile['base-url'], `base-url of profile ${name}`);
  if (given === undefined) return own;
  if (originOf(given.baseUrl) === originOf(own)) return given.baseUrl;
  throw new Failure(
    'base-url',
    `${given.by} is ${given.baseUrl}, but profile ${name} belongs to ${originOf(own)}; nothing was sent: its token goes nowhere else.`,
    {
      hint: `${given.by === '--base-url' ? 'Leave --base-url out' : 'Unset BOTCTL_BASE_URL'}, or name a profile of that service with --profile (botctl config list shows them).`,
    },
  );
}

function nobodySpeaks(file: ProfilesFile): Failure {
  const names = Object.keys(file.profiles);
  return names.length === 0
    ? new Failure('no-token', 'There is no token to speak with; nothing was sent.', {
        hint: 'Add a profile: botctl config add NAME --base-url URL. Or set BOTCTL_TOKEN and BOTCTL_BASE_URL. To try without either, add --sandbox.',
      })
    : new Failure('no-token', 'No profile is in use and none is named; nothing was sent.', {
        hint: `Choose one of ${names.join(', ')}: botctl config use NAME, or add --profile NAME.`,
      });
}
