import { envBot, sandboxBot } from '../bot/bot.ts';
import type { Outcome, Stopped } from '../engine/outcome.ts';
import type { HeldReason } from '../engine/verdict.ts';
import type { FailureCode } from '../errors.ts';
import type { Attempt, Intent } from '../journal/journal.ts';
import type { Process } from '../journal/process.ts';
import { approving, deciding, isApprovalReason, resolving, waitsUnsent } from './decisionCommands.ts';
import { nothingSentNow, thisOneSentNothing } from './nothing.ts';
import { done, nouns, verbs, type Words } from './phrases.ts';
import { anotherProcess } from './process.ts';
import { formatDuration, iso } from './time.ts';
import { adviceOn, troubleWords } from './trouble.ts';

type Concluded = Outcome & { is: 'concluded' };

export function inProgress(intent: Intent, by?: Process): Words {
  return {
    message: `${anotherProcess(by)} is still sending this ${nouns[intent.kind]} (${intent.id}). ${thisOneSentNothing}`,
    hint: 'Run the same command again: it waits for that process, or takes over once it is gone.',
  };
}

function at(ms: number, nowMs: number): string {
  return `${iso(ms)} (in ${formatDuration(ms - nowMs)})`;
}

function when(stopped: Stopped | undefined, nowMs: number): string {
  return stopped?.because === 'would-wait-too-long' ? ` after ${at(stopped.comeBackAtMs, nowMs)}` : '';
}

/** `said` is the last attempt in a few words, here and below. */
export function unknownWords({ intent, attempt, stopped }: Concluded, said: string, nowMs: number): Words {
  // The last attempt did not leave: what is in doubt is an earlier one.
  const why =
    attempt?.trouble?.is === 'claim-too-old'
      ? `an earlier attempt left, and the last one did not (${troubleWords(attempt.trouble)})`
      : said;
  const between =
    stopped?.because === 'interrupted' && attempt?.trouble?.is !== 'interrupted'
      ? 'Interrupted before the next try. '
      : '';
  const message = `${between}The ${nouns[intent.kind]} may have been ${done[intent.kind]}: ${why}. ${called(intent)}.`;
  if (attempt?.status === 401 || attempt?.status === 403) {
    return {
      message,
      hint: 'An earlier attempt may have reached the service. Fix the token’s permission, then run the same command again, or resume the intent.',
      next: [['resume', intent.id]],
    };
  }
  return {
    message,
    hint: `${advised(attempt)}Run the same command again${when(stopped, nowMs)}, or resume the intent: both use the same key.`,
    next: [['resume', intent.id]],
  };
}

function advised(attempt: Attempt | undefined): string {
  const advice = adviceOn(attempt?.trouble);
  return advice === undefined ? '' : `${advice}. `;
}

const heldReasons: Readonly<Record<HeldReason, string>> = {
  'failed-status': 'the service took it and says that it failed',
  'someone-elses':
    'each reply named what another request had done, so replies arrive on the wrong requests; this one may have been done',
  'other-payment': 'the service answered with a transfer of another recipient, asset or amount',
  'unclear-status':
    'the service, or a proxy before it, kept giving a status that does not say whether it was done',
  'no-proof': 'the service said yes, but nothing in its reply shows that it was done',
  'rejected-after-doubt': 'the service refuses it now, but an earlier attempt may have been accepted',
  conflict: 'the service knows this key already, from something that this journal did not send',
  'conflict-in-flight': 'the service keeps saying that this key is in use; the transfer may have been made',
  'key-age':
    'an earlier attempt may have been accepted, too long ago to rely on the service still knowing its key',
  clock: 'an earlier attempt may have been accepted, and this machine’s clock has gone back since',
  'other-token':
    'an earlier attempt may have been accepted under another token, and the service may keep keys per token',
  policy: 'an earlier attempt may have been accepted, and sending it again would be against the policy',
  'above-limit': 'it is more than the policy lets botctl send without a person’s approval',
  approval: 'it was proposed, or is more than the policy lets botctl send without a person’s approval',
  proposed: 'it was proposed (--propose)',
};

function isHeldReason(why: string): why is HeldReason {
  return why in heldReasons;
}

/** How it is found again: a batch's row by the id that its file has, too. */
function called({ id, key, rowId }: Intent): string {
  return `Intent ${id}, key ${key}${rowId === undefined ? '' : `, row ${rowId}`}`;
}

export function heldWords(intent: Intent, said: string, needsOtherName: boolean): Words {
  const { id, kind, why } = intent;
  if (waitsUnsent(intent))
    return {
      message: `The ${nouns[kind]} waits for approval: ${heldReasons[isApprovalReason(why) ? why : 'approval']}. ${called(intent)}. ${nothingSentNow}`,
      hint: approving.hint,
      next: approving.next(id),
    };
  const reason = why !== undefined && isHeldReason(why) ? heldReasons[why] : 'its outcome is not proven';
  return {
    message: `The ${nouns[kind]} is held: ${reason} (${said}). ${called(intent)}. botctl does not send it again until you decide.`,
    hint: needsOtherName
      ? 'The same key always gets the same reply: if this payment is still to be made, give it a new name. Then decide whether this one happened.'
      : `Check the ${kind === 'transfer' ? 'wallet' : 'conversation'}. Then decide whether it happened, or send it again with the same key.`,
    next: needsOtherName ? resolving(id) : deciding(id),
  };
}

export function didNotHappenWords({ id, kind }: Intent): Words {
  return {
    message: `An operator decided that the ${nouns[kind]} was not ${done[kind]}: it did not happen (intent ${id}).`,
    hint: `To ${verbs[kind]} it after all, run its own command again.`,
  };
}

const remedies: Partial<Record<FailureCode, string>> = {
  'invalid-request': 'Fix what the service names and run the command again.',
  'token-rejected': 'The token is missing or not valid: give a valid one and run the same command again.',
  'not-permitted':
    'Give the bot the permission (sending, or the wallet’s transfer scope) and run the command again.',
  'not-found': 'Check the conversation id (or the base URL) and run the command again.',
  'insufficient-balance': 'Fund the bot’s wallet (fees included) and run the command again.',
  redirected:
    'botctl follows no redirects, because they would carry the token elsewhere. Set the base URL to where the service is.',
};

export function rejectionWords({ intent, createdNow }: Concluded, said: string, code: FailureCode): Words {
  const noun = nouns[intent.kind];
  const hint = remedies[code] ?? 'Fix what the service names and run the command again.';
  const known = createdNow
    ? ', and the name is new to this machine. If it was used elsewhere before'
    : '. If the name was used elsewhere too';
  const elsewhere =
    intent.namedBy === undefined
      ? 'Nothing happened.'
      : `This request did nothing${known}, another machine may have ${done[intent.kind]} the ${noun}.`;
  const isProfile = intent.bot !== envBot && intent.bot !== sandboxBot;
  return {
    message: `The service refused the ${noun} (${said}). ${elsewhere}`,
    hint,
    next: code === 'token-rejected' && isProfile ? [['config', 'set', intent.bot, 'token']] : [],
  };
}

export function openWords(
  { intent, attempt, stopped }: Concluded,
  said: string,
  code: FailureCode,
  nowMs: number,
): Words {
  const noun = nouns[intent.kind];
  const stays = `Intent ${intent.id} stays open.`;
  switch (code) {
    case 'interrupted':
      return {
        message: `Interrupted before the ${noun} was ${done[intent.kind]}; nothing happened. ${stays}`,
        hint: 'Run the same command again when you are ready.',
      };
    case 'rate-limited':
      return {
        message: `The service limits the rate (${said}); the ${noun} was not ${done[intent.kind]}. ${stays}`,
        hint: `Run the same command again${when(stopped, nowMs)}.`,
      };
    case 'fenced':
      return {
        message: `The ${noun} was not sent: ${said}. ${stays}`,
        hint: 'Run the same command again.',
      };
    default:
      return {
        message: `The service could not be reached (${said}); the ${noun} was not sent. ${stays}`,
        hint: `${adviceOn(attempt?.trouble) ?? 'Check the network and the base URL'}, then run the same command again.`,
      };
  }
}
