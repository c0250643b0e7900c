import { type Exit, exitOf, type FailureCode, type Problem, retryOf } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Attempt, Intent } from '../journal/journal.ts';
import { readReply } from '../wire/reading.ts';
import type { Ended, Stopped } from './doing.ts';
import type { HeldReason } from './verdict.ts';

/** What an ended command tells its caller: the exit code, and where that is not 0, why and what to do. */
export type Conclusion = {
  readonly exit: Exit;
  readonly problem?: Problem;
  readonly warnings: readonly string[];
};

type Concluded = Ended & { is: 'concluded' };

export function conclude(ended: Ended, nowMs: number): Conclusion {
  switch (ended.is) {
    case 'concluded':
      return concludeByState(ended, nowMs);
    case 'still-sending':
      return fail('in-progress', inProgress(ended.intent));
    case 'refused':
      return fail(...refusalOf(ended));
    case 'not-recorded':
      return fail('not-recorded', {
        message: `${ended.attempt.status === undefined ? 'An attempt ended' : 'A reply came'} (${shortly(ended.attempt)}) but the journal could not go on: ${messageOf(ended.cause)}`,
        hint: `Note what it says. It may have happened. Make the journal writable and run the same command again: it uses the same key ${ended.intent.key}.`,
      });
  }
}

/** State decides first; the last reply only says which of the untainted failures it was. */
function concludeByState(ended: Concluded, nowMs: number): Conclusion {
  const { intent, attempt } = ended;
  switch (intent.state) {
    case 'accepted':
      return { exit: 0, warnings: acceptedWarnings(intent, attempt) };
    case 'resolved':
      return intent.resolvedAs === 'happened' ? { exit: 0, warnings: [] } : fail(...undoneWords(intent));
    case 'sending':
      return fail('in-progress', inProgress(intent));
    case 'unknown':
      return fail('unknown', unknownWords(ended, nowMs), attempt);
    case 'held':
      return fail('held', heldWords(intent, attempt), attempt);
    case 'rejected':
      return fail(rejectionCode(attempt?.status), rejectionWords(ended), attempt);
    case 'open':
      return fail(...openWords(ended, nowMs), attempt);
  }
}

/** Said when a new intent begins although the journal holds one like it. */
export function noticeOf(after: Intent): string {
  const noun = nouns[after.kind];
  if (after.state === 'held') {
    return `An earlier ${noun} like this one is left undecided (intent ${after.id}, ${iso(after.createdAtMs)}): it may have happened. This is a new one.`;
  }
  return `The same ${noun} was last ${done[after.kind]} at ${iso(after.updatedAtMs)} (intent ${after.id}). This is a new one.`;
}

/** Said when nothing was sent, because it was done before. */
export function replayNotice({ intent, replayed }: Concluded): string | undefined {
  if (replayed === false) return undefined;
  if (replayed === 'by-another-process')
    return 'Another botctl process was sending it; nothing was sent twice.';
  if (intent.state !== 'accepted' && intent.resolvedAs !== 'happened') {
    return `Nothing was sent: intent ${intent.id} is ${intent.state}. To have it done, run its own command again.`;
  }
  return `Nothing was sent: it was ${done[intent.kind]} at ${iso(intent.updatedAtMs)} (intent ${intent.id}). To do it anew, name it: --once NAME, a new name each time.`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/u, 'Z');
}

type Words = { message: string; hint: string };

function fail(code: FailureCode, { message, hint }: Words, attempt?: Attempt): Conclusion {
  const exit = exitOf(code);
  const problem: Problem = {
    code,
    message,
    hint,
    ...(attempt?.status === undefined ? {} : { status: attempt.status }),
    ...(attempt?.requestId === undefined ? {} : { request_id: attempt.requestId }),
    retry: retryOf(exit) ?? 'never',
  };
  return { exit, problem, warnings: [] };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const nouns: Readonly<Record<Kind, string>> = { message: 'message', transfer: 'transfer' };
const done: Readonly<Record<Kind, string>> = { message: 'sent', transfer: 'made' };
const knownStatuses = ['submitted', 'confirmed'];

function acceptedWarnings({ kind }: Intent, attempt: Attempt | undefined): string[] {
  if (attempt === undefined) return [];
  const warnings: string[] = [];
  if (!attempt.verified) {
    warnings.push(
      'The service knew this key already. Only the name says that it was this message; nothing shows it.',
    );
  }
  if (kind === 'transfer' && attempt.reply !== undefined) {
    const { json } = readReply({ body: attempt.reply, headers: attempt.headers });
    if (typeof json?.signature !== 'string' || json.signature === '') {
      warnings.push('The service gave no signature: look the transfer up by its transfer id.');
    }
    const status = json?.status;
    if (typeof status !== 'string') warnings.push('The service gave no status.');
    else if (!knownStatuses.includes(status)) {
      warnings.push(`The service says status "${status}", which its document does not know.`);
    }
  }
  return warnings;
}

/** The last reply in a few words: its status and what the service says, or what went wrong on the way. */
export function shortly(attempt: Attempt | undefined): string {
  if (attempt === undefined) return 'no attempt was made';
  if (attempt.status === undefined) return attempt.trouble ?? 'no reply came';
  const complaint =
    attempt.reply === undefined || attempt.verdict === 'accepted'
      ? undefined
      : readReply({ body: attempt.reply, headers: attempt.headers }).complaint;
  const words = complaint?.message ?? complaint?.code;
  const trouble = attempt.trouble === undefined ? '' : `, ${attempt.trouble}`;
  return `status ${attempt.status}${words === undefined ? '' : `: "${words}"`}${trouble}`;
}

function inProgress(intent: Intent): Words {
  return {
    message: `Another botctl process is still sending this ${nouns[intent.kind]} (${intent.id}); this one sent nothing.`,
    hint: 'Run the same command again: it waits for that process, or takes over once it is gone.',
  };
}

function at(ms: number, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((ms - nowMs) / 1000));
  return `${iso(ms)} (in ${seconds} s)`;
}

function when(stopped: Stopped | undefined, nowMs: number): string {
  return stopped?.because === 'would-wait-too-long' ? ` after ${at(stopped.comeBackAtMs, nowMs)}` : '';
}

function unknownWords({ intent, attempt, stopped }: Concluded, nowMs: number): Words {
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

function heldWords({ id, kind, key, why }: Intent, attempt: Attempt | undefined): Words {
  const reason = why !== undefined && isHeldReason(why) ? heldReasons[why] : 'its outcome is not proven';
  return {
    message: `The ${nouns[kind]} is held: ${reason} (${shortly(attempt)}). Intent ${id}, key ${key}. Nothing more is sent by itself.`,
    hint: `Look at the ${kind === 'transfer' ? 'wallet' : 'conversation'}, then decide: botctl resolve ${id} --happened (or --did-not-happen) --reason TEXT; or send the same key again: botctl resume ${id}.`,
  };
}

function undoneWords({ id, kind }: Intent): [FailureCode, Words] {
  return [
    'not-allowed-now',
    {
      message: `An operator decided that the ${nouns[kind]} did not happen (intent ${id}); nothing was sent now.`,
      hint: 'To have it done after all, run its own command again.',
    },
  ];
}

function rejectionCode(status: number | undefined): FailureCode {
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

function rejectionWords({ intent, attempt, begun }: Concluded): Words {
  const noun = nouns[intent.kind];
  const hint =
    mends[rejectionCode(attempt?.status)] ?? 'Mend what the service complains about and run it again.';
  const elsewhere =
    begun && intent.namedBy !== undefined
      ? ' This machine had not seen that name before: this request did nothing, an earlier machine’s may have.'
      : ' Nothing happened.';
  return { message: `The service refused the ${noun} (${shortly(attempt)}).${elsewhere}`, hint };
}

function openWords({ intent, attempt, stopped }: Concluded, nowMs: number): [FailureCode, Words] {
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

/** Two payments that are both named for good may be equal; an unnamed one has to be settled. */
function nameIt(twin: Intent | undefined): string {
  const isNamedForGood = twin?.namedBy !== undefined && twin.namedBy !== 'run';
  return isNamedForGood ? ' If this is another payment, name it too: --once NAME.' : '';
}

function refusalOf({ because, intent }: Ended & { is: 'refused' }): [FailureCode, Words] {
  const id = intent?.id ?? '';
  switch (because) {
    case 'declined':
      return [
        'declined',
        { message: 'Answered No; nothing was sent.', hint: 'Run the same command again to be asked again.' },
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
          hint: `Settle it first: botctl resume ${id}, or botctl resolve ${id}.${nameIt(intent)}`,
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
