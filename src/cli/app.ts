import type { Env } from '../machine/folders.ts';
import type { Chance, Clock, Interrupts } from '../machine/process.ts';
import type { Args } from './parse/args.ts';
import type { Does } from './say/told.ts';
import type { Display } from './show/display.ts';

/** What a command gets: its arguments, and the process around it. */
export type App<Arguments = Args> = ProcessOfCommand & { readonly args: Arguments };

/** Everything outside itself that a command may use. */
type ProcessOfCommand = {
  readonly env: Env;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly display: Display;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  /** This machine's policy, which applies to every bot in addition to a profile's own. */
  readonly machinePolicy: string;
  readonly doing: {
    readonly does: Does;
    /** Set before the first change that is not a claim. */
    hasChanged: boolean;
    readonly begun: boolean;
  };
};
