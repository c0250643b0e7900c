import { Chalk } from 'chalk';
import type { ColourLevel } from './colour.ts';
import type { Paint } from './display.ts';

export function paintOf(level: ColourLevel): Paint {
  return new Chalk({ level });
}
