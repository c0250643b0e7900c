import type { Env } from '../../machine/folders.ts';
import type { Chance, Clock, Interrupts } from '../../machine/process.ts';
import type { Settings } from '../../once/connection.ts';
import type { Args } from '../parse/args.ts';
import type { Display } from '../show/display.ts';
import type { Does } from '../wording/problem.ts';

/** The arguments of a command, and everything outside itself that it may use. */
export type ProcessOfCommand<Arguments = Args> = {
  readonly args: Arguments;
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

export type Closable = { close(): void | Promise<void> };

/** What an opener needs: the process, the settings, and `owns`, which closes what it opened. */
export type Opening<Arguments = Args> = ProcessOfCommand<Arguments> & {
  /** The settings for timeouts. The first call refuses a bad option. */
  settings(): Settings;
  /** Closes `opened` when the command ends, in reverse order of opening. */
  owns<Opened extends Closable>(opened: Opened): Opened;
};
