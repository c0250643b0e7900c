import { isUnsentProposal } from '../../once/engine/approval.ts';
import type { Decision, Intent } from '../../once/journal/journal.ts';
import { approving, deciding, givingUp, howToDecide, isUnsent, resolving, titleOf } from './chain.ts';
import { didWords } from './history.ts';
import { done, makes } from './outcomes.ts';
import { counted, formatCount, type Suggestion } from './phrases.ts';
import { Told, told } from './told.ts';

/**
 * Also names what a person may have meant: an open intent continues with its own command, a held one needs a decision.
 */
export function nothingToResume({
  open = 0,
  held = 0,
}: Readonly<Record<string, number>>): [string, Suggestion[]] {
  const left = [
    ...(open === 0
      ? []
      : [
          `${counted(open, 'entry is open and was', 'entries are open and were')} never sent: run ${open === 1 ? 'its own command' : 'their own commands'} again.`,
        ]),
    ...(held === 0 ? [] : [`${counted(held, 'entry is', 'entries are')} held, waiting for you to decide.`]),
  ];
  const next: Suggestion[] = Object.entries({ open, held }).flatMap(([state, count]) =>
    count === 0 ? [] : [['history', '--state', state]],
  );
  return [['There is nothing to resume.', ...left].join(' '), next];
}

export function whichToResume(isBoth: boolean): Told {
  const give = isBoth ? 'Both IDs and --all are given' : 'Nothing to resume is named';
  return told('usage')`${give}
    Give IDs, or --all. This lists what may have happened:
    $ history --state unknown`;
}

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

export function nobodyApproves(id: string): Told {
  return told('held', { next: approving.next(id) })`Transfer ${id} is waiting for approval, ${noTerminalForIt}
    ${approving.hint}`;
}

export function staysAsItWas({ code, message, details }: Told, intent: Intent): Told {
  const what = message.includes(intent.id) ? 'It' : titleOf(intent);
  const stays = `${what} ${isUnsentProposal(intent) ? 'is still waiting for approval' : stillSo(intent)}.`;
  return isUnsent(intent)
    ? new Told(code, `${message} ${stays}`, details)
    : new Told(code, message, { ...details, earlier: stays });
}

function stillSo({ state, kind, resolvedAs }: Intent): string {
  switch (state) {
    case 'open':
      return 'is still not sent';
    case 'held':
      return 'is still undecided';
    case 'unknown':
    case 'sending':
      return `may have been ${done[kind]} by an earlier request`;
    default:
      return `stays ${resolvedAs ?? state}`;
  }
}

export const askWhetherThis = 'Do you mean this entry?';

export function waitsForYouRemark({ id, tainted }: Intent): string {
  const doubt = tainted ? ' An earlier request may have succeeded; approving repeats it, unchanged.' : '';
  return `Transfer ${id} is waiting for your approval.${doubt}`;
}

export function whichDecision(): Told {
  return told('usage')`A decision is either --happened or --did-not-happen
    Give exactly one of them.`;
}

export function noReason(): Told {
  return told('usage')`A decision needs a reason
    Add --reason "what you saw, or why you decided this".`;
}

export function reasonToFillIn(reason: string): Told {
  return told('usage')`The reason still says "${reason}"
    Replace it with what you saw, or why you decided this.`;
}

/** What an operator frees by deciding so. */
export function mayBeSentNow({ kind }: Pick<Intent, 'kind'>): string {
  return `The original command, if run again, now ${makes[kind]} this ${kind}.`;
}

export function signatureOfNothing(): Told {
  return told('usage')`--signature works only with --happened
    A transfer that did not happen has no signature.`;
}

export function notASignature(signature: string): Told {
  return told('usage')`
    --signature ${JSON.stringify(signature)} is not a transaction’s signature (64 bytes in base58)
    Copy it whole from the explorer, or leave it out.`;
}

export function nobodyOverrules(withYes: Suggestion): Told {
  return told('usage', { next: [withYes] })`--overrule asks first, and there is no terminal for the question
    To reverse the earlier decision without being asked, add --yes:`;
}

export function idNotWhole({ id }: Pick<Intent, 'id'>): Told {
  return told('usage')`Without a question, only a whole ID is taken. This one stands for entry ${id}
    Check that you mean this entry, then give its whole ID:
    $ history ${id}`;
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

export function noTokenNow(intent: Intent): Told {
  return told('no-token')`
    ${titleOf(intent)} was started with a token from outside the profiles, and no token is given now
    Give that token with --token-file or BOTCTL_TOKEN, then run the same command again.`;
}

export function anothersToken(intent: Intent, command: string): Told {
  const { id, kind, spelledUrl, tokenHash } = intent;
  const [what, hint] =
    tokenHash === undefined
      ? [
          `The journal does not say which token started ${kind} ${id}, and the token given now has no base URL`,
          'If this token belongs to the same service, give its base URL too:',
        ]
      : [
          `${titleOf(intent)} was sent with a different token, and the token given now has no base URL`,
          'Give the token that sent it. If this one belongs to the same service, give its base URL too:',
        ];
  return told('other-token', { hint })`${what}
    $ ${command} ${id} --base-url ${spelledUrl}`;
}

export function profileGone(intent: Intent): Told {
  const { bot, kind, spelledUrl } = intent;
  if (isUnsentProposal(intent))
    return new Told(
      'no-such-profile',
      `Approving this transfer sends it as ${bot}, and there is no such profile here`,
      {
        hint: `Add it: a token for ${spelledUrl} that may use the wallet. Or give the transfer up:`,
        next: [['config', 'add', bot, '--base-url', spelledUrl], ...ending(intent)],
      },
    );
  return new Told('no-such-profile', `The profile ${bot} no longer exists`, {
    hint: isUnsent(intent)
      ? `This ${kind} was never sent. Add the profile again, or give the ${kind} up:`
      : `Add it again, or decide whether this ${kind} happened:`,
    next: [['config', 'add', bot, '--base-url', spelledUrl], ...ending(intent)],
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

type Earlier = { readonly id: string; readonly key: string; readonly state: string };

export function earlierMayHaveHappened(cause: Told, { id, state }: Earlier, isRunAgainAnyway: boolean): Told {
  const { message, details } = cause;
  const goesOn = 'Then run the same command again: it continues where that one stopped.';
  return new Told(state === 'held' ? 'held' : 'unknown', message, {
    ...details,
    earlier: `It may have happened in an earlier run of this command (ID ${id}, ${state}).`,
    hint: isRunAgainAnyway
      ? (details.hint ?? goesOn)
      : `${(details.hint ?? '').replace(/:$/u, '.')} ${goesOn}`.trim(),
    next: [...(details.next ?? []), ['history', id]],
    cause,
  });
}

export function cannotBeTold({ code, message, details }: Told): Told {
  const earlier = 'Without the journal, botctl cannot tell whether an earlier run did this.';
  return new Told(code, message, { ...details, earlier });
}

export function exportIsCut(limit: number): string {
  const some = limit === 1 ? 'the oldest entry was' : `the oldest ${formatCount(limit)} entries were`;
  return `There are more: only ${some} considered. Without --limit, the export covers all.`;
}

type Unsettled = { readonly id: string; readonly state: string };

/** Intents that the books cannot record yet. `some` are the first of them. */
export function notAllSettled(count: number, some: readonly Unsettled[]): Told {
  const named = some.map(({ id, state }) => `${id} (${state})`).join(', ');
  const more = count > some.length ? ` and ${formatCount(count - some.length)} more` : '';
  return told('not-all-settled', {
    next: [...new Set(some.map(({ state }) => state))].map((state) => ['history', '--state', state]),
  })`
    ${counted(count, 'entry is', 'entries are')} not settled and not in this export: ${named}${more}.
    Resume or resolve them, then export again.`;
}
