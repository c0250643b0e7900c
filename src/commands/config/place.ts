import type { Context } from '../../context.ts';
import { type StorePlace, storePlace } from '../../profile/store.ts';

export function profilesPlace({ env, display }: Context): StorePlace {
  const place = storePlace(env);
  display.step(`profiles: ${place.file}`);
  return place;
}
