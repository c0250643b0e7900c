import type { Display } from './display/display.ts';
import type { Chance, Clock, Interrupts } from './engine/ports.ts';

export type Env = Readonly<Record<string, string | undefined>>;

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
};
