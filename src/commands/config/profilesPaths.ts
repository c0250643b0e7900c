import { type ProfilesPaths, profilesPaths } from '../../bot/readProfiles.ts';
import type { Context } from '../../context.ts';

export function profilesPathsOf({ env, display }: Context): ProfilesPaths {
  const paths = profilesPaths(env);
  display.step(`profiles: ${paths.file}`);
  return paths;
}
