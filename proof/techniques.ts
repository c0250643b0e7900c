import { killed } from './techniques/killed.ts';
import type { Technique } from './techniques/technique.ts';
import { weather } from './techniques/weather.ts';
import { wire } from './techniques/wire.ts';

/** In the order of the table. */
export const techniques: readonly Technique[] = [killed, wire, weather];
