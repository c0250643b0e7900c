import { approving, type Declined, declinedBy } from '../../once/engine/decisionWords.ts';
import type { Outcome } from '../../once/engine/outcome.ts';
import type { HeldReason } from '../../once/engine/replyMeaning.ts';
import { isDone, isProposal } from '../../once/engine/standing.ts';
import type { Kind } from '../../once/entry/wanted.ts';
import type { FailureCode } from '../../once/failures.ts';
import type {
  Attempt,
  Decision,
  Entry,
  EqualPayment,
  PaidBefore,
  Process,
} from '../../once/journal/journal.ts';
import { formatAgo, formatCount, formatDuration, iso, isoDay } from '../../once/phrases.ts';
import { type Sentence, sentence } from '../../once/sentence.ts';
import type { ReplyComplaint } from '../../once/wire/flight.ts';
import { adviceOn, troubleWords } from '../../once/wire/trouble.ts';
import { amountIn, requestOf } from '../show/entry.ts';
import { nothingSent, thisOneSentNothing } from './problem.ts';
import { howToDecide, settling } from './settling.ts';

type Concluded = Outcome & { is: 'concluded' };

export function inProgress(entry: Entry, by?: Process): Sentence {
  return sentence`
    ${anotherProcess(by)} is still sending this ${entry.kind} (${entry.id}). ${thisOneSentNothing}
    Run the same command again: it waits for that process, or takes over when it is gone.`;
}

/** How to continue: what must change first, and when the same command can do more. */
export function againHint(outcome: Concluded, code: FailureCode, nowMs: number): string {
  const { stopped } = outcome;
  const fix = fixFor(outcome, code);
  const atMs = stopped?.because === 'would-wait-too-long' ? stopped.comeBackAtMs : undefined;
  const back = atMs === undefined ? '' : ` after ${iso(atMs)} (in ${formatDuration(atMs - nowMs)})`;
  return `${fix === undefined ? 'R' : `${fix}, then r`}un the same command again${back}.`;
}

/** What must change before the same command can do more. It starts a sentence. */
function fixFor({ entry: { state, kind }, attempt }: Concluded, code: FailureCode): string | undefined {
  if (code === 'not-found' && kind === 'transfer') return 'Check the base URL';
  if (state === 'rejected') return fixes[code] ?? 'Fix what the service complains about';
  if (attempt?.status === 401 || attempt?.status === 403) return fixes['not-permitted'];
  return (
    adviceOn(attempt?.trouble) ?? (code === 'unreachable' ? 'Check the network and the base URL' : undefined)
  );
}

const fixes: Partial<Record<FailureCode, string>> = {
  'token-rejected': 'Give a valid token',
  'not-permitted': 'Turn on the permission for this bot (to send messages, or the wallet transfer scope)',
  'not-found': 'Check the conversation id (or the base URL)',
  'insufficient-balance': 'Check the amount, and add enough to the bot’s wallet for it and the fee',
  redirected:
    'Set the base URL to the service’s own address (botctl follows no redirect, which could send the token elsewhere)',
};

export const alwaysSafe = {
  message: 'Either way the service sends it only once.',
  transfer:
    'That is always safe: within 30 minutes it finishes the payment; after that the payment is held, and a person decides.',
} as const;

const heldReasons: Readonly<Record<HeldReason, string>> = {
  approval: 'a person must approve it',
  'too-old':
    'an earlier request may have been accepted, so long ago that the service may no longer recognise a repetition',
  'another-token':
    'an earlier request may have been accepted under another token, and the service may not recognise a repetition under this one',
  'not-allowed': 'an earlier request may have been accepted, and the policy does not allow sending it again',
  'another-payment': 'the service answered with a different recipient, asset or amount',
  'says-failed': 'the service took the request but says that it failed',
  'id-taken': 'the service answered with the transfer id or the signature of another payment',
  'refused-in-doubt': 'the service refuses it now, but an earlier request may have been accepted',
  'key-conflict':
    'the service says that the request conflicts with another one, which does not show what was done',
  'unclear-reply': 'the reply shows neither that it was done nor that it was refused',
};

function isHeldReason(why: string): why is HeldReason {
  return why in heldReasons;
}

/** Reasons of proposals as earlier versions stored them. */
const earlierReasons: Readonly<Record<string, string>> = {
  proposed: 'asked for by --propose',
  'above-limit': 'the policy at that time required it',
};

export function whyItWaits(proposal: Pick<Decision, 'reason'> | undefined): string {
  if (proposal === undefined) return heldReasons.approval;
  return earlierReasons[proposal.reason] ?? proposal.reason;
}

/** For many payments: the part of the reason that they share. */
export function whyTheyWait(proposal: Decision): string {
  return `waiting for approval: ${whyItWaits(proposal).replace(/^.* is (?=above )/u, '')}`;
}

/** The entry's ID and, for a row of a batch, the id from its file. */
export function called({ id, rowId }: Entry): string {
  return `ID ${id}${rowId === undefined ? '' : `, row ${rowId}`}`;
}

export function heldWords(
  { entry, proposal }: Pick<Concluded, 'entry' | 'proposal'>,
  said: string,
  needsOtherName: boolean,
  knowsNode: boolean,
): Sentence {
  const { kind, heldReason: why } = entry;
  if (isProposal(entry))
    return {
      message: `The ${kind} is waiting for approval: ${whyItWaits(proposal)}. ${called(entry)}. ${nothingSent}`,
      hint: approving.hint,
      next: settling(entry),
    };
  const hasNode = knowsNode && kind === 'transfer';
  const reason = why !== undefined && isHeldReason(why) ? heldReasons[why] : 'its outcome is not proven';
  return {
    message: `The ${kind} may have been ${done[kind]}: ${reason} (${said}). ${called(entry)}. botctl will not send it again until a person decides.`,
    hint: `${howToDecide(entry, hasNode)}${needsOtherName ? ' If it did not happen and you still want it, give it a new name: under this one the service always gives the same reply.' : ''}`,
    next: settling(entry, hasNode),
  };
}

/** The hint asks for a new name: under the old one it stays declined. */
export function declinedWords(
  { id, kind, namedBy }: Pick<Entry, 'id' | 'kind' | 'namedBy'>,
  declined: Declined | undefined,
): Sentence {
  const withNewName = { run: '', row: ' and a new id' }[String(namedBy)];
  return sentence`${declinedBy(`this ${kind}`, declined)} (ID ${id})
    To ${verbs[kind]} a corrected ${kind}, run the command with the new values${withNewName ?? ' and a new name'}.
    $ history ${id}`;
}

/** Another machine may have used the name, so this speaks only of this request. */
export function nothingOf({ namedBy, kind }: Entry): string {
  return namedBy === undefined ? `The ${kind} was not ${done[kind]}.` : nothingByThis[kind];
}

const nothingByThis: Readonly<Record<Kind, string>> = {
  message: 'This request sent no message.',
  transfer: 'This request made no transfer.',
};

export const done: Readonly<Record<Kind, string>> = { message: 'sent', transfer: 'made' };
export const verbs: Readonly<Record<Kind, string>> = { message: 'send', transfer: 'make' };
export const makes: Readonly<Record<Kind, string>> = { message: 'sends', transfer: 'makes' };

/** The last reply in a few words: its status and the service's words, or the trouble with the connection. */
export function summary(attempt: Attempt | undefined, complaint: ReplyComplaint | undefined): string {
  if (attempt === undefined) return 'no request was made';
  const trouble = attempt.trouble && troubleWords(attempt.trouble);
  if (attempt.status === undefined) return trouble ?? 'no reply came';
  const { code, message } = complaint ?? {};
  const words = message ?? code;
  const said = words === undefined ? '' : `: "${words}"`;
  return `status ${attempt.status}${said}${trouble === undefined ? '' : `, ${trouble}`}`;
}

/** Starts a sentence. */
function anotherProcess(by: Process | undefined): string {
  return by === undefined ? 'Another botctl process' : `The botctl process on ${by.host} (pid ${by.pid})`;
}

/** `Pay it a second time, as rent-11?` */
export function askToPayAgain(name: string | undefined): string {
  return `Pay it a second time${name === undefined ? '' : `, as ${name}`}?`;
}

/** `Already paid 3 hours ago, as row r1 of pay-11 (40072ffd3b58).` */
export function equalWords(equal: EqualPayment, nowMs: number, what = ''): string {
  const { id, name, rowId, countsAtMs, updatedAtMs } = equal;
  const paid = isDone(equal) ? 'Already paid' : 'May already have been paid';
  const as = name === undefined ? '' : `, as ${rowId === undefined ? '' : `row ${rowId} of `}${name}`;
  const state = isDone(equal) ? '' : `, ${equal.state}`;
  return `${paid}${what} ${formatAgo(nowMs - (countsAtMs ?? updatedAtMs))}${as} (${id}${state}).`;
}

/** `Already paid: 0.4 SOL to the same address, 4 s ago, as bob-nov (40072ffd3b58).` */
export function equalPaymentWords(equal: Entry, nowMs: number): string {
  return equalWords(equal, nowMs, `: ${amountIn(requestOf(equal))} to the same address,`);
}

/** What this journal has paid a recipient: `paid 5 times, last today`. */
export function paidBeforeWords({ times, lastMs }: PaidBefore, nowMs: number): string {
  if (lastMs === undefined) return 'never paid before';
  const [day, today] = [isoDay(lastMs), isoDay(nowMs)];
  const when = day === today ? 'today' : `on ${day}`;
  return times === 1 ? `paid once, ${when}` : `paid ${formatCount(times)} times, last ${when}`;
}
