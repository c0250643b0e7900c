import { neverTwice } from './nothing.ts';
import { Told } from './told.ts';

// What is said where an outcome cannot be told as it should be.

export const runAgainToSee = `Run the same command again to see its outcome: ${neverTwice}.`;

type IntentFacts = {
  readonly kind: string;
  readonly state: string;
  readonly id: string;
  readonly key: string;
};

/** What keeps an intent from being shown, and where it stands all the same. */
export function standsAllTheSame({ code, message, details }: Told, intent: IntentFacts): Told {
  const { kind, state, id, key } = intent;
  return new Told(code, message, {
    ...details,
    earlier: `The ${kind} is ${state} (intent ${id}, key ${key}).`,
  });
}

/** For stderr, where stdout takes the reply no more than the journal did. */
export function replyWas(trouble: string, reply: string | undefined): string {
  return reply === undefined ? trouble : `${trouble} The reply was: ${reply}`;
}

export function notNotedAsReported(trouble: string): string {
  return `not noted as reported: ${trouble}`;
}
