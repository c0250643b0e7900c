import type { FailureCode } from '../failures.ts';
import type { BaseUrl } from '../intent/baseUrl.ts';
import { isSignature } from '../intent/signature.ts';
import type { Wanted } from '../intent/wanted.ts';
import type { Attempt, Decision, EarlierPayment, Intent, Process, Reads } from '../journal/journal.ts';
import { type Refusal, refusalCodes } from '../policy/policy.ts';
import { type ReplyComplaint, readReply } from '../wire/flight.ts';
import type { Trouble } from '../wire/trouble.ts';
import { lastDecision } from './approval.ts';
import { engineFailure } from './facts.ts';
import type { Plan } from './plan.ts';
import { meaningOf, type NotSentKind, type OtherUrlKind, planKinds } from './planKinds.ts';
import type { PolicyWord } from './spend.ts';
import { type HeldReason, keyFixesBody } from './verdict.ts';

/** Why no further attempt was made. */
export type Stopped =
  | { readonly because: 'no-tries-left' }
  | { readonly because: 'certificate'; readonly trouble: Trouble }
  | { readonly because: 'would-wait-too-long'; readonly comeBackAtMs: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'nothing-to-gain' };

/** How a command ended for one intent. */
export type Outcome =
  | {
      readonly is: 'concluded';
      readonly intent: Intent;
      readonly attempt: Attempt | undefined;
      /** Nothing was sent in this run: the journal had the outcome, or another process sent it. */
      readonly replayed: false | 'from-journal' | 'by-another-process';
      /** It was refused, and the journal knew nothing but its name. */
      readonly isNewJournal?: true;
      readonly stopped?: Stopped;
      /** A person declined what is wanted. */
      readonly declined?: Decision | undefined;
      /** What the proposal would repeat. */
      readonly repeats?: readonly EarlierPayment[];
    }
  | { readonly is: 'still-sending'; readonly intent: Intent; readonly by?: Process | undefined }
  | {
      readonly is: 'not-sent';
      readonly because:
        | Exclude<NotSentKind, OtherUrlKind | 'other-body'>
        | 'twin-still-sending'
        | 'interrupted';
      /** The intent that was found, or the twin that is in the way. */
      readonly intent: Intent;
      /** The process that is sending it. */
      readonly by?: Process | undefined;
    }
  /** `intent` has this name at another URL; `url` is where this one would have gone. */
  | {
      readonly is: 'not-sent';
      readonly because: OtherUrlKind;
      readonly intent: Intent;
      readonly url: BaseUrl;
    }
  /** `intent` has this name, and `wanted` is not the same. */
  | {
      readonly is: 'not-sent';
      readonly because: 'other-body';
      readonly intent: Intent;
      readonly wanted: Wanted;
    }
  /** It was paid before. */
  | {
      readonly is: 'not-sent';
      readonly because: 'paid-already';
      readonly repeats: readonly EarlierPayment[];
    }
  | { readonly is: 'not-sent'; readonly because: 'declined' }
  | { readonly is: 'not-sent'; readonly because: 'policy'; readonly refusal: Refusal }
  /** A reply came, but the journal could not record it. */
  | {
      readonly is: 'not-recorded';
      readonly intent: Intent;
      readonly attempt: Attempt;
      readonly cause: unknown;
    };

/** The state of an intent in the journal, as this command's outcome. */
export async function concluded(
  intent: Intent,
  reads: Pick<Reads, 'decisiveAttempt' | 'decisionsOf'>,
  replayed: (Outcome & { is: 'concluded' })['replayed'],
): Promise<Outcome & { is: 'concluded' }> {
  const { id, resolvedAs } = intent;
  return {
    is: 'concluded',
    intent,
    attempt: await reads.decisiveAttempt(id),
    replayed,
    ...(resolvedAs === 'declined' ? { declined: await lastDecision(id, reads) } : {}),
  };
}

/** Nothing is ever deleted from a journal, so a missing intent means damage. */
export function mustFind(intent: Intent | undefined): Intent {
  if (intent !== undefined) return intent;
  throw engineFailure('intent-missing', {});
}

/** An outcome with everything that is reported beside it. */
export type Ending = {
  readonly outcome: Outcome;
  /** The failure code; undefined on success. */
  readonly code: FailureCode | undefined;
  /** What the last reply says went wrong. */
  readonly complaint: ReplyComplaint | undefined;
  /** What is odd about an accepted reply. */
  readonly oddities: readonly Oddity[];
  /** Its name was used for another payment and does not fix the body, so the name cannot be used for this payment. */
  readonly needsOtherName: boolean;
};

export type Oddity =
  | { readonly is: 'no-signature' | 'not-a-signature' | 'no-status' }
  | { readonly is: 'status-not-text'; readonly status: unknown }
  | { readonly is: 'unknown-status'; readonly status: string };

export function endingOf(outcome: Outcome): Ending {
  const [intent, attempt] = lastOf(outcome);
  return {
    outcome,
    code: codeOf(outcome),
    complaint: attempt && complaintIn(attempt),
    oddities: intent?.state === 'accepted' ? odditiesOf(intent, attempt) : [],
    needsOtherName: intent?.heldReason === 'other-payment' && !keyFixesBody(intent),
  };
}

/** The intent and the attempt that explain the outcome. */
function lastOf(outcome: Outcome): [intent?: Intent, attempt?: Attempt | undefined] {
  return outcome.is === 'concluded' || outcome.is === 'not-recorded' ? [outcome.intent, outcome.attempt] : [];
}

function codeOf(outcome: Outcome): FailureCode | undefined {
  switch (outcome.is) {
    case 'concluded':
      return codeOfState(outcome);
    case 'still-sending':
      return 'in-progress';
    case 'not-recorded':
      return outcome.is;
    case 'not-sent':
      return codeOfNotSent(outcome);
  }
}

/** The state decides first. The last reply only tells the untainted failures apart. */
function codeOfState(outcome: Outcome & { is: 'concluded' }): FailureCode | undefined {
  const { intent, attempt, declined } = outcome;
  if (declined !== undefined) return 'proposal-declined';
  switch (intent.state) {
    case 'accepted':
      return undefined;
    case 'resolved':
      return intent.resolvedAs === 'happened' ? undefined : 'not-allowed-now';
    case 'sending':
      return 'in-progress';
    case 'unknown':
    case 'held':
      return intent.state;
    case 'rejected':
      return codeOfRejection(attempt?.status);
    case 'open':
      return codeOfOpen(outcome);
  }
}

function codeOfRejection(status: number | undefined): FailureCode {
  if (status === 400 || status === 422) return 'invalid-request';
  if (status === 401) return 'token-rejected';
  if (status === 403) return 'not-permitted';
  if (status === 404) return 'not-found';
  if (status === 402) return 'insufficient-balance';
  return status !== undefined && status <= 399 ? 'redirected' : 'rejected';
}

function codeOfOpen({ attempt, stopped }: Outcome & { is: 'concluded' }): FailureCode {
  if (stopped?.because === 'interrupted' || attempt === undefined) return 'interrupted';
  if (attempt.verdict === 'limited') return 'rate-limited';
  if (attempt.trouble?.is === 'claim-too-old') return 'fenced';
  return attempt.trouble?.is === 'certificate' ? 'bad-certificate' : 'unreachable';
}

function codeOfNotSent(outcome: Outcome & { is: 'not-sent' }): FailureCode {
  switch (outcome.because) {
    case 'policy':
      return refusalCodes[outcome.refusal.rule];
    case 'declined':
    case 'interrupted':
    case 'paid-already':
      return outcome.because;
    case 'twin-still-sending':
      return 'unfinished-twin';
    default:
      return planKinds[outcome.because].ends;
  }
}

function complaintIn({ reply, headers, verdict, duplicate }: Attempt): ReplyComplaint | undefined {
  return reply === undefined || (verdict === 'accepted' && !duplicate)
    ? undefined
    : readReply({ body: reply, headers }).complaint;
}

const knownStatuses = ['submitted', 'confirmed'];

function odditiesOf({ kind }: Intent, attempt: Attempt | undefined): Oddity[] {
  if (attempt?.reply === undefined || kind === 'message') return [];
  const { signature, status } = readReply({ body: attempt.reply, headers: attempt.headers }).json ?? {};
  return [oddSignature(signature), oddStatus(status)].filter((odd) => odd !== undefined);
}

function oddSignature(signature: unknown): Oddity | undefined {
  if (typeof signature !== 'string' || signature === '') return { is: 'no-signature' };
  return isSignature(signature) ? undefined : { is: 'not-a-signature' };
}

function oddStatus(status: unknown): Oddity | undefined {
  if (status === undefined || status === null) return { is: 'no-status' };
  if (typeof status !== 'string') return { is: 'status-not-text', status };
  return knownStatuses.includes(status) ? undefined : { is: 'unknown-status', status };
}

/**
 * The failure with which a command would end before it sends anything, as things stand now. A policy has said `word`;
 * `holds` is why an intent that was found would be held.
 */
export function codeAhead({ is, found }: Plan, { word, proposes, holds }: Ahead): FailureCode | undefined {
  const { ends, sends } = meaningOf({ is });
  if (ends !== 'as-its-intent') return ends === 'well' ? undefined : ends;
  if (sends === 'nothing') return undefined;
  const mayHaveLanded = is === 'resume' && found?.state !== 'open';
  if (proposes) return mayHaveLanded ? 'unknown' : refusedOr('held', word);
  if (holds !== undefined) return 'held';
  if (word?.is === 'needs-approval') return 'held';
  return mayHaveLanded && word?.is === 'refused' ? 'held' : refusedOr(undefined, word);
}

type Ahead = {
  readonly word: PolicyWord | undefined;
  readonly proposes: boolean;
  readonly holds: HeldReason | undefined;
};

function refusedOr(code: FailureCode | undefined, word: PolicyWord | undefined): FailureCode | undefined {
  return word?.is === 'refused' ? refusalCodes[word.refusal.rule] : code;
}
