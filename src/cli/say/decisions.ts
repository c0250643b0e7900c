import type { Decision, Intent } from '../../once/journal/journal.ts';
import { approving, deciding, givingUp, isUnsent, resolving } from './chain.ts';
import { counted, formatCount, type Suggestion } from './phrases.ts';
import { declined, Told } from './told.ts';

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
  return new Told(
    'held',
    `Intent ${intent.id} may have happened, so sending it again needs a decision, ${noTerminalToAskOn}`,
    {
      hint: 'See what is known of it, then decide; or send it again with the same key and --yes:',
      next: deciding(intent),
    },
  );
}

const noTerminalToAskOn = 'and there is no terminal to ask on';

export function nobodyApproves(id: string): Told {
  return new Told('held', `Intent ${id} waits for a person’s approval, ${noTerminalToAskOn}`, {
    hint: approving.hint,
    next: approving.next(id),
  });
}

export function staysAsItWas({ code, message, details }: Told, { id, state }: Intent): Told {
  return new Told(code, message, { ...details, earlier: `Intent ${id} stays ${state}.` });
}

export function isHeldRemark({ id, key }: Intent): string {
  return `Intent ${id} is held: it may have happened. Its key is ${key}.`;
}

export const askToSendAgain = 'Send it again with the same key?';

export function waitsForYouRemark({ id, key, tainted }: Intent): string {
  const doubt = tainted ? ' An earlier attempt may have happened; the same key is used.' : '';
  return `Intent ${id} waits for your approval. Its key is ${key}.${doubt}`;
}

export const askToApprove = 'Approve it, and send it?';

export const askToDecline = 'Decline it now?';

function usage(message: string, hint: string, next?: readonly Suggestion[]): Told {
  return new Told('usage', message, { hint, ...(next === undefined ? {} : { next }) });
}

export function whichDecision(): Told {
  return usage('A decision is either --happened or --did-not-happen', 'Give exactly one of them.');
}

export function noReason(): Told {
  return usage('A decision needs its reason', 'Add --reason "what you saw, or why you decide so".');
}

export function reasonToFillIn(reason: string): Told {
  return usage(`The reason still says "${reason}"`, 'Replace it with what you saw, or why you decide so.');
}

export function signatureOfNothing(): Told {
  return usage('--signature goes with --happened only', 'What did not happen has none.');
}

export function notASignature(signature: string): Told {
  return usage(
    `--signature ${JSON.stringify(signature)} is not a transaction’s signature (64 bytes in base58)`,
    'Copy it whole from the explorer, or leave it out.',
  );
}

export function nobodyOverrules(withYes: Suggestion): Told {
  return usage(
    '--overrule asks first, and there is no terminal to ask on',
    'To reverse the earlier decision without being asked, add --yes:',
    [withYes],
  );
}

export function earlierDecision({ who, kind, reason }: Pick<Decision, 'who' | 'kind' | 'reason'>): string {
  return `${who} decided: ${kind} ("${reason}").`;
}

export function askToReverse(isHappened: boolean): string {
  return `Decide now that it ${isHappened ? 'happened' : 'did not happen'}?`;
}

export function notReversed(): Told {
  return declined('The earlier decision stands.');
}

// Why no bot can send an intent.

export function ofTheSandbox(id: string, journal: string, command: string): Told {
  return new Told('bot-moved', 'The intent belongs to the sandbox', {
    hint: 'Add --sandbox.',
    next: [[command, id, '--sandbox', '--journal', journal]],
  });
}

export function noTokenNow({ id }: Intent): Told {
  return new Told(
    'no-token',
    `Intent ${id} was begun with a token that is not a profile’s, and no token is given now`,
    { hint: 'Give that token with --token-file or BOTCTL_TOKEN, then run the same command again.' },
  );
}

export function anothersToken({ id, spelledUrl, tokenHash }: Intent, command: string): Told {
  const [what, hint] =
    tokenHash === undefined
      ? [
          `It is not kept with which token intent ${id} was begun, and no base URL is given with the one given now`,
          'If this token belongs to the same service, give its base URL too:',
        ]
      : [
          `The token given now is not the one that intent ${id} was sent with, and no base URL is given with it`,
          'Give the token that it was sent with. If this one belongs to the same service, give its base URL too:',
        ];
  return new Told('other-token', what, { hint, next: [[command, id, '--base-url', spelledUrl]] });
}

export function profileGone(intent: Intent): Told {
  const { bot, spelledUrl } = intent;
  return new Told('no-such-profile', `The profile ${bot} is gone`, {
    hint: isUnsent(intent)
      ? 'Nothing of the intent was sent. Add the profile again, or give the intent up:'
      : 'Add it again, or decide whether the intent happened.',
    next: [['config', 'add', bot, '--base-url', spelledUrl], ...ending(intent)],
  });
}

export function botMoved(intent: Intent, origins: { readonly bots: string; readonly intents: string }): Told {
  const { bot } = intent;
  return new Told(
    'bot-moved',
    `The bot ${bot} now belongs to ${origins.bots}, the intent to ${origins.intents}`,
    {
      hint: isUnsent(intent)
        ? 'A token is sent to its own service only. Nothing of the intent was sent: give it up.'
        : 'A token is sent to its own service only. Decide whether the intent happened.',
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

export function earlierMayHaveHappened(
  cause: Told,
  { id, key, state }: Earlier,
  isRunAgainAnyway: boolean,
): Told {
  const { message, details } = cause;
  const goesOn = 'Then run the same command again: it goes on with the same key.';
  return new Told(state === 'held' ? 'held' : 'unknown', message, {
    ...details,
    earlier: `An earlier run of this command may have happened: intent ${id} is ${state}, its key is ${key}.`,
    hint: [details.hint ?? '', isRunAgainAnyway ? '' : goesOn].join(' ').trim(),
    next: [...(details.next ?? []), ['history', id]],
    cause,
  });
}

export function rowsMayHaveHappened(cause: Told, rows: number): Told {
  return new Told('stopped', cause.message, {
    ...cause.details,
    earlier: `${counted(rows, 'row')} of this batch may have happened in an earlier run.`,
    cause,
  });
}

export function cannotBeTold({ code, message, details }: Told): Told {
  const earlier = 'Whether an earlier run of this command happened cannot be told without its journal.';
  return new Told(code, message, { ...details, earlier });
}

export function noSuchMessage(word: string, place: string): Told {
  return new Told(
    'no-such-intent',
    `No message of the journal ${place} is called ${JSON.stringify(word)}, by --once or by its ID`,
    {
      hint: 'A name is what --once gave to a message. These are the messages that this journal has:',
      next: [['history', '--kind', 'message']],
    },
  );
}

export function repliesElsewhere(
  replied: { readonly id: string; readonly messageId: string; readonly conversation: string | undefined },
  conversation: string,
): Told {
  return new Told(
    'bad-input',
    `Intent ${replied.id} is a message in ${replied.conversation}, and this one would be in ${conversation}`,
    {
      hint: `Leave out --conversation, or give --reply-to ${replied.messageId} instead if it is meant so.`,
      next: [['history', replied.id]],
    },
  );
}

export function severalMessages(word: string, ids: readonly string[]): Told {
  return new Told('usage', `${JSON.stringify(word)} is more than one intent: ${ids.join(', ')}`, {
    hint: 'Give the ID of one of them.',
    next: [['history', ...ids]],
  });
}

export function noMessageToReplyTo(word: string, { id, state }: Pick<Intent, 'id' | 'state'>): Told {
  return new Told(
    'not-allowed-now',
    `${JSON.stringify(word)} (intent ${id}) is ${state}: no message of it is known to reply to`,
    { hint: 'It must be accepted first, with an id in its reply.', next: [['history', id]] },
  );
}

export function notAFormat(value: string): Told {
  return new Told('usage', `--format ${JSON.stringify(value)} is not a format.`, {
    hint: 'Give csv or jsonl.',
  });
}

export function formatWithJson(): Told {
  return new Told('usage', '--json and --format exclude each other.', {
    hint: '--format jsonl prints one flat object for each settled intent; --json prints all that is known of each.',
  });
}

export function formatWithIds(): Told {
  return new Told('usage', '--format takes no IDs.', {
    hint: 'Narrow it with --name, --batch, --to, --since and the others.',
  });
}

export function exported(rows: number, digest: string): string {
  return `${counted(rows, 'row')}, SHA-256 ${digest}`;
}

export function exportIsCut(limit: number): string {
  const some = limit === 1 ? 'the oldest intent was' : `the oldest ${formatCount(limit)} intents were`;
  return `There are more: only ${some} looked at. Without --limit the export has all.`;
}

export function exportNotWhole(): string {
  return 'The reader went away before the end: the export is not whole.';
}

type Unsettled = { readonly id: string; readonly state: string };

/** Intents that the books cannot record yet. `some` are the first of them. */
export function notAllSettled(count: number, some: readonly Unsettled[]): Told {
  const named = some.map(({ id, state }) => `${id} (${state})`).join(', ');
  const more = count > some.length ? ` and ${formatCount(count - some.length)} more` : '';
  return new Told(
    'not-all-settled',
    `${counted(count, 'intent')} ${count === 1 ? 'is' : 'are'} not settled and not in this export: ${named}${more}.`,
    {
      hint: 'Resume or resolve them, then export again.',
      next: [...new Set(some.map(({ state }) => state))].map((state) => ['history', '--state', state]),
    },
  );
}
