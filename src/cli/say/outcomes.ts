import { envBot, sandboxBot } from '../../once/connection.ts';
import { isProposal } from '../../once/engine/approval.ts';
import type { Outcome, Stopped } from '../../once/engine/outcome.ts';
import { isDone } from '../../once/engine/planKinds.ts';
import type { HeldReason } from '../../once/engine/verdict.ts';
import type { FailureCode } from '../../once/failures.ts';
import type { Kind } from '../../once/intent/wanted.ts';
import type { Attempt, Decision, EqualPayment, Intent, Process } from '../../once/journal/journal.ts';
import type { ReplyComplaint } from '../../once/wire/flight.ts';
import { approving, asking, deciding, howToDecide, resolving } from './chain.ts';
import { handWords } from './history.ts';
import { formatAgo, formatDuration, iso } from './phrases.ts';
import { nothingSent, type Sentence, says, thisOneSentNothing, whenReady } from './told.ts';
import { adviceOn, troubleWords } from './trouble.ts';

type Concluded = Outcome & { is: 'concluded' };

export function inProgress(intent: Intent, by?: Process): Sentence {
  return says`
    ${anotherProcess(by)} is still sending this ${nouns[intent.kind]} (${intent.id}). ${thisOneSentNothing}
    Run the same command again: it waits for that process, or takes over when it is gone.`;
}

function at(ms: number, nowMs: number): string {
  return `${iso(ms)} (in ${formatDuration(ms - nowMs)})`;
}

function when(stopped: Stopped | undefined, nowMs: number): string {
  return stopped?.because === 'would-wait-too-long' ? ` after ${at(stopped.comeBackAtMs, nowMs)}` : '';
}

/** Here and below, `said` is the last attempt in a few words. */
export function unknownWords({ intent, attempt, stopped }: Concluded, said: string, nowMs: number): Sentence {
  // The last attempt was not sent, so the doubt is about an earlier one.
  const why =
    attempt?.trouble?.is === 'claim-too-old'
      ? `an earlier request was sent, and the last one was not (${troubleWords(attempt.trouble)})`
      : said;
  const between =
    stopped?.because === 'interrupted' && attempt?.trouble?.is !== 'interrupted'
      ? 'Interrupted before the next try. '
      : '';
  const message = `${between}The ${nouns[intent.kind]} may have been ${done[intent.kind]}: ${why}. ${called(intent)}.`;
  if (attempt?.status === 401 || attempt?.status === 403) {
    return {
      message,
      hint: `An earlier request may have reached the service. Fix the token’s permission, then run the same command again, or resume the ${nouns[intent.kind]}.`,
      next: [['resume', intent.id]],
    };
  }
  return {
    message,
    hint: `${advised(attempt)}Run the same command again${when(stopped, nowMs)}, or resume the ${nouns[intent.kind]}. ${alwaysSafe[intent.kind]}`,
    next: [['resume', intent.id]],
  };
}

const alwaysSafe = {
  message: 'Either way the service sends it only once.',
  transfer:
    'That is always safe: within 30 minutes it finishes the payment, after that it is held and you decide.',
} as const;

function advised(attempt: Attempt | undefined): string {
  const advice = adviceOn(attempt?.trouble);
  return advice === undefined ? '' : `${advice}. `;
}

const heldReasons: Readonly<Record<HeldReason, string>> = {
  approval: 'the command asked for it, or the amount is more than the policy allows without approval',
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
    'the service says that the request is in conflict with another one, which does not show what was done',
  'unclear-reply': 'the reply shows neither that it was done nor that it was refused',
};

function isHeldReason(why: string): why is HeldReason {
  return why in heldReasons;
}

/** How to find it again. A row of a batch also has the ID from its file. */
function called({ id, rowId }: Intent): string {
  return `ID ${id}${rowId === undefined ? '' : `, row ${rowId}`}`;
}

export function heldWords(
  intent: Intent,
  said: string,
  needsOtherName: boolean,
  knowsNode: boolean,
): Sentence {
  const { id, kind, heldReason: why } = intent;
  if (isProposal(intent))
    return {
      message: `The ${nouns[kind]} is waiting for approval: ${heldReasons.approval}. ${called(intent)}. ${nothingSent}`,
      hint: approving.hint,
      next: approving.next(id),
    };
  const hasNode = knowsNode && kind === 'transfer';
  const reason = why !== undefined && isHeldReason(why) ? heldReasons[why] : 'its outcome is not proven';
  return {
    message: `The ${nouns[kind]} may have been ${done[kind]}: ${reason} (${said}). ${called(intent)}. botctl will not send it again until you decide.`,
    hint: needsOtherName
      ? `${hasNode ? 'Ask the chain first: botctl verify' : 'Check the wallet'}, then decide whether this payment happened. If it did not and you still want to make it, give it a new name: under the same name the service always gives the same reply.`
      : howToDecide(intent, hasNode),
    next: needsOtherName ? [...asking(id, hasNode), ...resolving(id)] : deciding(intent, hasNode),
  };
}

export function didNotHappenWords({ id, kind }: Intent): Sentence {
  return says`An operator decided that the ${nouns[kind]} did not happen (ID ${id}).
    To ${verbs[kind]} it after all, run the original command again.`;
}

/** It does not wait for approval again: a person said what is wrong with it. */
export function declinedWords(
  { id, kind, namedBy }: Pick<Intent, 'id' | 'kind' | 'namedBy'>,
  declined: Pick<Decision, 'who' | 'role' | 'atMs' | 'reason'> | undefined,
): Sentence {
  const anew = { run: '', row: ' and a new id' }[String(namedBy)];
  const who = declined === undefined ? 'A person' : handWords(declined);
  const why = declined === undefined ? '' : ` at ${iso(declined.atMs)}: "${declined.reason}"`;
  return says`${who} declined this ${nouns[kind]}${why} (ID ${id})
    To ${verbs[kind]} a corrected ${nouns[kind]}, run the command with the new values${anew ?? ' and a new name'}.
    $ history ${id}`;
}

const remedies: Partial<Record<FailureCode, string>> = {
  'token-rejected': 'The token is missing or not valid: give a valid one and run the same command again.',
  'not-permitted':
    'Turn on the permission for this bot (to send messages, or the wallet transfer scope), then run the same command again.',
  'not-found': 'Check the conversation id (or the base URL), then run the same command again.',
  'insufficient-balance':
    'Check the amount. If it is right, add enough to the bot’s wallet for it and the fee, then run the same command again.',
  redirected:
    'botctl does not follow redirects, because they could send the token elsewhere. Set the base URL to the service’s own address, then run the same command again.',
};

/** Another machine may have used a name, whatever this service says, so only this request is spoken of. */
function nothingOf({ namedBy, kind }: Intent): string {
  return namedBy === undefined ? `The ${nouns[kind]} was not ${done[kind]}.` : nothingByThis[kind];
}

const nothingByThis: Readonly<Record<Kind, string>> = {
  message: 'This request sent no message.',
  transfer: 'This request made no transfer.',
};

export function rejectionWords({ intent }: Concluded, said: string, code: FailureCode): Sentence {
  const noun = nouns[intent.kind];
  const hint = remedies[code] ?? 'Fix what the service complains about, then run the command again.';
  const refused =
    code === 'redirected' ? `answered with a redirect instead of taking the ${noun}` : `refused the ${noun}`;
  const isProfile = intent.bot !== envBot && intent.bot !== sandboxBot;
  return {
    message: `The service ${refused} (${said}). ${nothingOf(intent)}`,
    hint,
    next: code === 'token-rejected' && isProfile ? [['config', 'set', intent.bot, 'token']] : [],
  };
}

export function openWords(
  { intent, attempt, stopped }: Concluded,
  said: string,
  code: FailureCode,
  nowMs: number,
): Sentence {
  const noun = nouns[intent.kind];
  const stays = `botctl ${makes[intent.kind]} it only if you run the command again or resume it (ID ${intent.id}).`;
  switch (code) {
    case 'interrupted':
      return says`Interrupted before the ${noun} was ${done[intent.kind]}. ${stays}
        ${whenReady}`;
    case 'rate-limited':
      return says`
        The service is limiting the rate (${said}); the ${noun} was not ${done[intent.kind]}. ${stays}
        Run the same command again${when(stopped, nowMs)}.`;
    case 'fenced':
      return says`The ${noun} was not sent: ${said}. ${stays}
        Run the same command again.`;
    default:
      return says`The service could not be reached (${said}); the ${noun} was not sent. ${stays}
        ${adviceOn(attempt?.trouble) ?? 'Check the network and the base URL'}, then run the same command again.`;
  }
}

export const nouns: Readonly<Record<Kind, string>> = { message: 'message', transfer: 'transfer' };
export const done: Readonly<Record<Kind, string>> = { message: 'sent', transfer: 'made' };
export const verbs: Readonly<Record<Kind, string>> = { message: 'send', transfer: 'make' };
export const makes: Readonly<Record<Kind, string>> = { message: 'sends', transfer: 'makes' };

/** The last reply in a few words: its status and what the service says, or what went wrong on the way. */
export function summary(attempt: Attempt | undefined, complaint: ReplyComplaint | undefined): string {
  if (attempt === undefined) return 'no request was made';
  const trouble = attempt.trouble && troubleWords(attempt.trouble);
  if (attempt.status === undefined) return trouble ?? 'no reply came';
  const { code, message } = complaint ?? {};
  // The document gives 409 one meaning, so what the service means by it is shown whole.
  const words = attempt.status === 409 && code && message ? `${code}: ${message}` : (message ?? code);
  const said = words === undefined ? '' : `: "${words}"`;
  return `status ${attempt.status}${said}${trouble === undefined ? '' : `, ${trouble}`}`;
}

export function processName({ host, pid }: Process): string {
  return `${host} (pid ${pid})`;
}

/** Starts a sentence. */
function anotherProcess(by: Process | undefined): string {
  return by === undefined ? 'Another botctl process' : `The botctl process on ${processName(by)}`;
}

/** `as rent-2026-10, 3 hours ago`. */
function asNamed({ name, rowId, countsAtMs, updatedAtMs }: EqualPayment, nowMs: number): string {
  const how = rowId === undefined ? `as ${name}` : `in batch ${name} (row ${rowId})`;
  const ago = formatAgo(nowMs - (countsAtMs ?? updatedAtMs));
  return `${name === undefined ? 'without a name' : how}, ${ago}`;
}

export const askToPayAgain = 'Pay it besides?';

/** Nothing decides for a person here: `--repeat` is theirs to add. */
export function paidAlready(equal: EqualPayment, nowMs: number): Sentence {
  return says`${equalWords(equal, nowMs)}
    Look at the earlier one first: pay again only if a second payment is meant.
    $ history ${equal.id}`;
}

/** An equal payment by its name, time and state. */
export function equalWords(equal: EqualPayment, nowMs: number): string {
  const { id, state, resolvedAs } = equal;
  const verb = isDone(equal) ? 'was' : 'may have been';
  return `The same amount ${verb} paid to the same address ${asNamed(equal, nowMs)} (ID ${id}, ${resolvedAs ?? state}).`;
}
