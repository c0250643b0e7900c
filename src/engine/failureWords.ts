import type { FailureCode } from '../errors.ts';
import type { Attempt, Intent } from '../journal/journal.ts';
import type { Ended, Stopped } from './doing.ts';
import { done, iso, lasting, nouns, shortly, type Words } from './phrases.ts';
import type { HeldReason } from './verdict.ts';

type Concluded = Ended & { is: 'concluded' };

export function inProgress(intent: Intent): Words {
  return {
    message: `Another botctl process is still sending this ${nouns[intent.kind]} (${intent.id}); this one sent nothing.`,
    hint: 'Run the same command again: it waits for that process, or takes over once it is gone.',
  };
}

function at(ms: number, nowMs: number): string {
  return `${iso(ms)} (in ${lasting(ms - nowMs)})`;
}

function when(stopped: Stopped | undefined, nowMs: number): string {
  return stopped?.because === 'would-wait-too-long' ? ` after ${at(stopped.comeBackAtMs, nowMs)}` : '';
}

export function unknownWords({ intent, attempt, stopped }: Concluded, nowMs: number): Words {
  const message = `The ${nouns[intent.kind]} may have happened: ${shortly(attempt)}. Intent ${intent.id}, key ${intent.key}.`;
  if (attempt?.status === 401 || attempt?.status === 403) {
    return {
      message,
      hint: `An earlier attempt may have landed. Mend the token’s permission, then run the same command again (or: botctl resume ${intent.id}).`,
    };
  }
  return {
    message,
    hint: `Run the same command again${when(stopped, nowMs)}: it resumes with the same key (or: botctl resume ${intent.id}).`,
  };
}

const heldReasons: Readonly<Record<HeldReason, string>> = {
  'failed-status': 'the service took it and says that it failed',
  'no-proof': 'the service said yes, but nothing in its reply shows that it was done',
  'rejected-after-doubt': 'the service refuses it now, but an earlier attempt may have landed',
  conflict: 'the service knows this key already, from something that this journal did not send',
  'conflict-in-flight': 'the service keeps saying that this key is in use; the transfer may have been done',
  'key-age': 'an earlier attempt may have landed, too long ago to rely on the service still knowing its key',
  clock: 'an earlier attempt may have landed, and this machine’s clock has gone back since',
  'other-token': 'an earlier attempt may have landed under another token, whose keys this one may not share',
};

function isHeldReason(why: string): why is HeldReason {
  return why in heldReasons;
}

export function heldWords({ id, kind, key, why }: Intent, attempt: Attempt | undefined): Words {
  const reason = why !== undefined && isHeldReason(why) ? heldReasons[why] : 'its outcome is not proven';
  return {
    message: `The ${nouns[kind]} is held: ${reason} (${shortly(attempt)}). Intent ${id}, key ${key}. Nothing more is sent by itself.`,
    hint: `Look at the ${kind === 'transfer' ? 'wallet' : 'conversation'}, then decide: botctl resolve ${id} --happened (or --did-not-happen) --reason TEXT; or send the same key again: botctl resume ${id}.`,
  };
}

export function undoneWords({ id, kind }: Intent): [FailureCode, Words] {
  return [
    'not-allowed-now',
    {
      message: `An operator decided that the ${nouns[kind]} did not happen (intent ${id}); nothing was sent now.`,
      hint: 'To have it done after all, run its own command again.',
    },
  ];
}

export function rejectionCode(status: number | undefined): FailureCode {
  if (status === 400 || status === 422) return 'invalid-request';
  if (status === 401) return 'token-rejected';
  if (status === 403) return 'not-permitted';
  if (status === 404) return 'not-found';
  if (status === 402) return 'insufficient-balance';
  return status !== undefined && status >= 300 && status <= 399 ? 'redirected' : 'refused';
}

const mends: Partial<Record<FailureCode, string>> = {
  'invalid-request': 'Mend what the service complains about and run it again.',
  'token-rejected':
    'The token is missing or not valid: give a valid one (botctl config set NAME …) and run it again.',
  'not-permitted': 'Give the bot the permission (sending, or the wallet’s transfer scope) and run it again.',
  'not-found': 'Check the conversation id (or the base URL) and run it again.',
  'insufficient-balance': 'Fund the bot’s wallet (fees included) and run it again.',
  redirected:
    'botctl follows no redirects, because they would carry the token elsewhere. Set the base URL to where the service is.',
};

export function rejectionWords({ intent, attempt, begun }: Concluded): Words {
  const noun = nouns[intent.kind];
  const hint =
    mends[rejectionCode(attempt?.status)] ?? 'Mend what the service complains about and run it again.';
  const elsewhere =
    begun && intent.namedBy !== undefined
      ? ' This machine had not seen that name before: this request did nothing, an earlier machine’s may have.'
      : ' Nothing happened.';
  return { message: `The service refused the ${noun} (${shortly(attempt)}).${elsewhere}`, hint };
}

export function openWords({ intent, attempt, stopped }: Concluded, nowMs: number): [FailureCode, Words] {
  const noun = nouns[intent.kind];
  if (stopped?.because === 'interrupted' || attempt === undefined) {
    return [
      'interrupted',
      {
        message: `Interrupted before the ${noun} was ${done[intent.kind]}; nothing happened. Intent ${intent.id} stays open.`,
        hint: 'Run the same command again when you are ready.',
      },
    ];
  }
  if (attempt.verdict === 'limited') {
    return [
      'rate-limited',
      {
        message: `The service limits the rate (${shortly(attempt)}); the ${noun} was not ${done[intent.kind]}. Intent ${intent.id} stays open.`,
        hint: `Run the same command again${when(stopped, nowMs)}.`,
      },
    ];
  }
  return [
    'unreachable',
    {
      message: `The service could not be reached (${shortly(attempt)}); the ${noun} was not sent. Intent ${intent.id} stays open.`,
      hint: 'Check the network and the base URL, then run the same command again.',
    },
  ];
}
