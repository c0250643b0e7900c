import type { Intent } from '../journal/journal.ts';
import { approving, deciding, waitsUnsent } from './decisionCommands.ts';
import { counted } from './list.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

/** And what a person may have taken for it: an open one goes on with its own command, a held one is decided about. */
export function nothingToResume({
  open = 0,
  held = 0,
}: Readonly<Record<string, number>>): [string, Suggestion[]] {
  const left = [
    ...(open === 0
      ? []
      : [
          `${counted(open, 'intent is', 'intents are')} open and did not leave this machine: run ${open === 1 ? 'its own command' : 'their own commands'} again.`,
        ]),
    ...(held === 0 ? [] : [`${counted(held, 'intent is', 'intents are')} held, for a person to decide.`]),
  ];
  const next: Suggestion[] = Object.entries({ open, held }).flatMap(([state, count]) =>
    count === 0 ? [] : [['history', '--state', state]],
  );
  return [['There is nothing to resume.', ...left].join(' '), next];
}

export function whichToResume(isBoth: boolean): Told {
  const give = isBoth
    ? 'Give either the intents to resume or --all, not both'
    : 'Give the intents to resume, or --all';
  return new Told('usage', give, {
    hint: 'The history lists what may have happened.',
    next: [['history', '--state', 'unknown']],
  });
}

export function heldWithoutAll(): Told {
  return new Told('usage', '--held goes with --all', {
    hint: 'A single held intent needs only its ID.',
  });
}

export function interruptedBefore(id: string): Told {
  return new Told('interrupted', `Interrupted before intent ${id}`, {
    hint: 'Run the same command again to go on.',
  });
}

export function nobodyDecides(intent: Intent): Told {
  const { id } = intent;
  const noTerminal = 'and there is no terminal to ask on';
  if (waitsUnsent(intent))
    return new Told('held', `Intent ${id} waits for a person’s approval, ${noTerminal}`, {
      hint: approving.hint,
      next: approving.next(id),
    });
  return new Told(
    'held',
    `Intent ${id} may have happened, so sending it again needs a decision, ${noTerminal}`,
    {
      hint: 'See what is known of it, then decide; or send it again with the same key and --yes:',
      next: deciding(id),
    },
  );
}

export function approvedByItself(id: string): Told {
  return new Told('held', `Intent ${id} waits for approval, which --all does not give`, {
    hint: 'Check it, then send it by its ID:',
    next: [
      ['history', id],
      ['resume', id],
    ],
  });
}

export function staysAsItWas({ code, message, details }: Told, { id, state }: Intent): Told {
  return new Told(code, message, { ...details, earlier: `Intent ${id} stays ${state}.` });
}

export function isHeldRemark(intent: Intent): string {
  const { id, key } = intent;
  const why = waitsUnsent(intent) ? 'waits for your approval' : 'is held: it may have happened';
  return `Intent ${id} ${why}. Its key is ${key}.`;
}

export function askToSend(intent: Intent): string {
  return waitsUnsent(intent) ? 'Send it?' : 'Send it again with the same key?';
}
