import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Naming } from '../intent/naming.ts';
import type { Wanted } from '../intent/wanted.ts';
import type { Attempt, Intent, Journal } from '../journal/journal.ts';
import type { Line } from '../wire/flight.ts';
import type { Limits } from './backoff.ts';
import type { Chance, Clock, Commit, Interrupts, Observer, Pace } from './ports.ts';

/** Who speaks: the token is revealed only to be hashed and to be sent. */
export type Speaking = {
  readonly bot: string;
  /** What the intent's identity says of where: for the sandbox its name, whatever port it got. */
  readonly baseUrl: BaseUrl;
  readonly token: { reveal(): string };
  readonly keyAgeMs: number | undefined;
};

/** How requests reach the service: known only once something must be sent. */
export type Service = {
  readonly url: string;
  readonly line: Line;
};

/** One thing to be done once, as a command asks for it. */
export type Asked = {
  readonly wanted: Wanted;
  readonly naming: Naming;
};

/** Everything the engine reaches of the world outside it. */
export type Doing = {
  readonly journal: Journal;
  readonly speaking: Speaking;
  readonly service: Service;
  readonly limits: Limits & { readonly timeoutMs: number };
  readonly clock: Clock;
  readonly chance: Chance;
  readonly interrupts: Interrupts;
  readonly observer: Observer;
  readonly commit: Commit;
  /** Only in a batch: there a limit is waited out by all together, beside `--max-wait` and `--retries`. */
  readonly pace?: Pace;
};

export type Stopped =
  | { readonly because: 'no-tries-left' }
  | { readonly because: 'would-wait-too-long'; readonly comeBackAtMs: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'nothing-to-gain' };

/** How a command's part in an intent ended. */
export type Ended =
  | {
      readonly is: 'concluded';
      readonly intent: Intent;
      readonly attempt: Attempt | undefined;
      /** Nothing was sent now: the journal knew, or another process did it. */
      readonly replayed: false | 'from-journal' | 'by-another-process';
      /** This very run created the intent. */
      readonly begun: boolean;
      readonly stopped?: Stopped;
    }
  | { readonly is: 'still-sending'; readonly intent: Intent }
  | {
      readonly is: 'refused';
      readonly because:
        | 'other-bot'
        | 'other-body'
        | 'unfinished-twin'
        | 'twin-still-sending'
        | 'interrupted'
        | 'declined';
      readonly intent?: Intent;
    }
  /** A reply came, but the journal could not take it. */
  | {
      readonly is: 'not-recorded';
      readonly intent: Intent;
      readonly attempt: Attempt;
      readonly cause: unknown;
    };
