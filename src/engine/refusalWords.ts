import type { FailureCode } from '../errors.ts';
import type { Intent } from '../journal/journal.ts';
import type { Ended } from './doing.ts';
import type { Words } from './phrases.ts';

/** Two payments that are both named for good may be equal; an unnamed one has to be settled. */
function nameIt(twin: Intent | undefined): string {
  const isNamedForGood = twin?.namedBy !== undefined && twin.namedBy !== 'run';
  return isNamedForGood ? ' If this is another payment, name it too: --once NAME.' : '';
}

/** Why nothing was sent now. */
export function refusalWords({ because, intent }: Ended & { is: 'refused' }): [FailureCode, Words] {
  const id = intent?.id ?? '';
  switch (because) {
    case 'declined':
      return [
        'declined',
        { message: 'Answered No; nothing was sent.', hint: 'Run the same command again to be asked again.' },
      ];
    case 'interrupted':
      return [
        'interrupted',
        {
          message: `Interrupted while another process was sending the same payment (intent ${id}); nothing was sent now.`,
          hint: 'Run the same command again when you are ready.',
        },
      ];
    case 'other-bot':
      return [
        'other-bot',
        {
          message: `This name belongs to the bot ${intent?.bot ?? ''} (intent ${id}); nothing was sent now.`,
          hint: 'Speak as that bot, or give this one a name of its own.',
        },
      ];
    case 'other-body':
      return [
        'other-body',
        {
          message: `${intent?.namedBy === undefined ? `This key belongs to the unnamed intent ${id}` : `This name belongs to intent ${id}, which has another body`}; it is ${intent?.state ?? 'not over'}; nothing was sent now.`,
          hint:
            intent?.state === 'open'
              ? `Give the new body a new name; or give the old one up, of which nothing has left: botctl resolve ${id} --did-not-happen --reason TEXT.`
              : `Give the new body a new name. What the name stands for: botctl history ${id}.`,
        },
      ];
    case 'unfinished-twin':
      return [
        'unfinished-twin',
        {
          message: `An earlier transfer of the same amount to the same address is not settled (intent ${id}, ${intent?.state ?? ''}); nothing was sent now.`,
          hint: `Settle it first: botctl resume ${id}, or botctl resolve ${id} --happened (or --did-not-happen) --reason TEXT.${nameIt(intent)}`,
        },
      ];
    case 'twin-still-sending':
      return [
        'unfinished-twin',
        {
          message: `Another process is still sending the same amount to the same address (intent ${id}); nothing was sent now.`,
          hint: `Wait for it, then run the same command again.${nameIt(intent)}`,
        },
      ];
  }
}
