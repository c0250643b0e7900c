import type { Outcome } from '../engine/outcome.ts';
import type { NotSentKind, OtherUrlKind } from '../engine/planKinds.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import type { Intent } from '../journal/journal.ts';
import { approving, deciding, givingUp, resolving, waitsUnsent } from './decisionCommands.ts';
import { byAnother, nouns, type Words } from './phrases.ts';
import { policyWords, type Refused } from './policy.ts';
import { anotherProcess } from './process.ts';
import { iso } from './time.ts';

/** Why nothing was sent now, and what to do about it. */
export function notSentWords(outcome: Outcome & { is: 'not-sent' }): Words & Refused {
  switch (outcome.because) {
    case 'policy':
      return policyWords(outcome.refusal);
    case 'declined':
      return { message: 'Answered No.', hint: 'Run the same command again to be asked again.' };
    case 'interrupted':
      return {
        message: `Interrupted while another process was sending the same payment (intent ${outcome.intent.id}).`,
        hint: 'Run the same command again when you are ready.',
      };
    case 'twin-still-sending':
      return {
        message: `${anotherProcess(outcome.by)} is still sending the same amount to the same address (intent ${outcome.intent.id}).`,
        hint: `Wait for it, then run the same command again.${nameIt(outcome.intent)}`,
      };
    case 'other-url':
    case 'unknown-at-other-url':
    case 'held-at-other-url':
      return otherUrlWords(outcome);
    default:
      return wordsOf[outcome.because](outcome.intent);
  }
}

/** One service may have many paths, and nobody can say of two that they are not one. */
function otherUrlWords({ intent, url }: Extract<Outcome, { readonly url: BaseUrl }>): Words {
  const { id, state, spelledUrl } = intent;
  const message = `This name was used at ${spelledUrl} (intent ${id}, ${state}), and this command is for ${url}, which may be the same service.`;
  if (waitsUnsent(intent))
    return { message, hint: 'Settle it first: send it, or give it up.', next: approving.next(id) };
  switch (state) {
    case 'unknown':
    case 'sending':
      return {
        message,
        hint: 'It may have happened. Settle it first: resume it, or decide whether it happened.',
        next: [['resume', id], ...resolving(id)],
      };
    case 'held':
      return { message, hint: 'It may have happened. Settle it first.', next: deciding(id) };
    default:
      return {
        message,
        hint: `Use that base URL, or give another ${nouns[intent.kind]} a new name. A second service on the same host needs a journal of its own (--journal FILE).`,
        next: [['history', id]],
      };
  }
}

const wordsOf: Readonly<Record<Exclude<NotSentKind, OtherUrlKind>, (intent: Intent) => Words>> = {
  'other-bot': ({ id, bot }) => ({
    message: `This name belongs to the bot ${bot} (intent ${id}).`,
    hint: 'Use that bot, or give this one a name of its own.',
    next: [['history', id]],
  }),

  'other-body': ({ id, namedBy, state }) => {
    const whose =
      namedBy === undefined
        ? `This key belongs to the unnamed intent ${id}`
        : `This name belongs to intent ${id}, which has another body`;
    const isOpen = state === 'open';
    return {
      message: `${whose}; it is ${state}.`,
      hint: `Give the new body a new name. ${isOpen ? 'Or give up the old one: nothing of it was sent.' : 'The history shows what the name stands for.'}`,
      next: isOpen ? givingUp(id) : [['history', id]],
    };
  },

  'unfinished-twin': (twin) =>
    waitsUnsent(twin)
      ? {
          message: `An earlier transfer of the same amount to the same address waits for approval (intent ${twin.id}).`,
          hint: `Settle it first: send it, or give it up.${nameIt(twin)}`,
          next: approving.next(twin.id),
        }
      : {
          message: `An earlier transfer of the same amount to the same address is not settled (intent ${twin.id}, ${twin.state}).`,
          hint: `Settle it first: resume it, or decide whether it happened.${nameIt(twin)}`,
          next: twin.state === 'held' ? deciding(twin.id) : [['resume', twin.id], ...resolving(twin.id)],
        },

  'recently-done': (twin) => {
    const { id, updatedAtMs, reportedAtMs } = twin;
    const why =
      reportedAtMs === undefined
        ? 'and no command has reported its outcome yet'
        : `${byAnother(twin)}: its command may have been this one`;
    return {
      message: `A transfer of the same amount to the same address was made at ${iso(updatedAtMs)} (intent ${id}), ${why}.`,
      hint: 'See the earlier one first. If this is another payment, name it:',
      next: [['resume', id]],
    };
  },

  'reported-ahead': ({ id }) => ({
    message: `The same was done before (intent ${id}), at a time that is still to come by this machine’s clock: nobody can say whether this is the same again.`,
    hint: 'Check this machine’s clock. If this is another one, name it.',
    next: [['doctor']],
  }),
};

/** Two payments that are both named for good may be equal; an unnamed one has to be settled. */
function nameIt({ namedBy }: Intent): string {
  const isNamedForGood = namedBy !== undefined && namedBy !== 'run';
  return isNamedForGood ? ' If this is another payment, name it too: --once NAME.' : '';
}
