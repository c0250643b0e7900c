import type { Decision, Intent } from '../../once/journal/journal.ts';
import { approving, deciding, givingUp, howToDecide, isUnsent, resolving, titleOf } from './chain.ts';
import { didWords } from './history.ts';
import type { Suggestion } from './phrases.ts';
import { Told, told } from './told.ts';

export function nobodyDecides(intent: Intent): Told {
  return new Told(
    'held',
    `${titleOf(intent)} may have happened, so only a person can send it again, ${noTerminalForIt}`,
    {
      hint: howToDecide(intent),
      next: deciding(intent),
    },
  );
}

const noTerminalForIt = 'and there is no terminal for the question';

export function nobodyApproves(what: string, looks: Suggestion): Told {
  return told('held', { next: [looks] })`${what} for approval, ${noTerminalForIt}
    ${approving.hint}`;
}

/** The last line of what was decided of a batch. */
export function approvedRows(
  kind: 'approved' | 'declined',
  name: string,
  sum: string,
): [string, Suggestion[]] {
  if (kind === 'declined') return [`Declined: ${sum}. Nothing was sent.`, []];
  return [
    `Approved: ${sum}. Nothing was sent yet: run the command of batch ${name} again, or this, which also goes on with what is unknown:`,
    [['resume', '--all']],
  ];
}

/** The last line of an approval. */
export function howToSend({
  id,
  kind,
  rowId,
}: Pick<Intent, 'id' | 'kind' | 'rowId'>): [string, Suggestion[]] {
  const own = rowId === undefined ? 'its own command' : 'the command of its batch';
  return [`Nothing was sent yet. To send the ${kind}, run ${own} again, or:`, [['resume', id]]];
}

export function earlierDecision({ who, kind, reason }: Pick<Decision, 'who' | 'kind' | 'reason'>): string {
  return `${who} ${didWords[kind]} ("${reason}").`;
}

// Why no bot can send an intent.

export function ofTheSandbox(id: string, journal: string, command: string): Told {
  return told('bot-moved')`This entry belongs to the sandbox
    Add --sandbox.
    $ ${command} ${id} --sandbox --journal ${journal}`;
}

export function profileGone(intent: Intent): Told {
  const { bot, kind, baseUrl } = intent;
  return new Told('no-such-profile', `The profile ${bot} no longer exists`, {
    hint: isUnsent(intent)
      ? `This ${kind} was never sent. Add the profile again, or give the ${kind} up:`
      : `Add it again, or decide whether this ${kind} happened:`,
    next: [['config', 'add', bot, '--base-url', baseUrl], ...ending(intent)],
  });
}

export function botMoved(intent: Intent, origins: { readonly bots: string; readonly intents: string }): Told {
  const { bot, kind } = intent;
  return new Told(
    'bot-moved',
    `The bot ${bot} now belongs to ${origins.bots}, but this ${kind} belongs to ${origins.intents}`,
    {
      hint: isUnsent(intent)
        ? `A token is sent only to its own service. This ${kind} was never sent: give it up.`
        : `A token is sent only to its own service. Decide whether this ${kind} happened.`,
      next: ending(intent),
    },
  );
}

/** How to settle it without a bot. */
function ending(intent: Intent): Suggestion[] {
  return isUnsent(intent) ? givingUp(intent) : resolving(intent.id);
}

// What keeps a command from starting, with what is known about an earlier run.
