import type { Bot } from '../bot/bot.ts';
import type { Connection } from '../bot/connection.ts';
import type { Journal } from '../journal/journal.ts';
import type { Chance } from '../machine/chance.ts';
import type { Clock } from '../machine/clock.ts';
import type { Interrupts } from '../machine/interrupts.ts';
import type { Policies } from '../policy/policy.ts';
import type { Commit, Observer, Pace } from './ports.ts';

export type ChainBefore = {
  readonly genesis: string;
  readonly slot: number;
  readonly nodeMs: number | undefined;
};

/** Everything the engine reaches of the world outside it. */
export type EngineContext = {
  readonly journal: Journal;
  readonly bot: Bot;
  readonly connection: Pick<Connection, 'url' | 'channel'>;
  readonly limits: {
    /** One attempt. */
    readonly timeoutMs: number;
    /** Attempts after the first; where it is not given, only the time bounds them. */
    readonly retries: number | undefined;
    /** How long after the end of the first attempt the last pause may end. */
    readonly maxWaitMs: number;
    /** How long another process is waited for that sends the same; `maxWaitMs` where it is not given. */
    readonly ownerWaitMs?: number;
  };
  /** What a transfer may spend; absent where nobody says. */
  readonly policies?: Policies | undefined;
  /** Of the journal's own policy, which is one of them. */
  readonly policyNumber?: number | undefined;
  /** What would begin is put on record for a person to send; nothing leaves. */
  readonly proposes?: boolean;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  readonly observer: Observer;
  readonly commit: Commit;
  /** How far a chain had come by what was heard of it last: kept with a transfer's first attempt. */
  readonly chainBefore?: () => ChainBefore | undefined;
  /** Only in a batch: there a limit is waited out by all together, beside `--max-wait` and `--retries`. */
  readonly pace?: Pace;
};
