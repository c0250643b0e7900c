import type { Display } from './display/display.ts';
import type { Chance } from './machine/chance.ts';
import type { Clock } from './machine/clock.ts';
import type { Env } from './machine/folders.ts';
import type { Interrupts } from './machine/interrupts.ts';
import type { Does } from './words/ends.ts';

/** All that a command may reach of the world outside it. */
export type Context = {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream;
  readonly display: Display;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  /** The policy of this machine, which applies to every bot, beside a profile's own. */
  readonly machinePolicy: string;
  readonly doing: {
    readonly does: Does;
    /** Set before the first change that is not a claim. */
    hasChanged: boolean;
    readonly begun: boolean;
  };
};
