import type { Wanted } from '../entry/wanted.ts';
import type { Failure, FailureCode } from '../failures.ts';
import type { Attempt, Decision, Entry, Process, Reads } from '../journal/journal.ts';
import { textsIn } from '../wire/conflict.ts';
import {
  bothIn,
  type ReplyComplaint,
  type ReplyFields,
  readReply,
  resultIn,
  shortened,
} from '../wire/flight.ts';
import type { Trouble } from '../wire/trouble.ts';
import { lastDecision, lastProposal } from './decisions.ts';
import { engineFailure } from './failures.ts';
import { keyFixesBody } from './replyMeaning.ts';
import { isProposal } from './standing.ts';

/** Why no further attempt was made. */
export type Stopped =
  | { readonly because: 'no-tries-left' }
  | { readonly because: 'certificate'; readonly trouble: Trouble }
  | { readonly because: 'would-wait-too-long'; readonly comeBackAtMs: number }
  | { readonly because: 'interrupted' }
  | { readonly because: 'closed'; readonly failure: Failure }
  | { readonly because: 'nothing-to-gain' };

export const becauseClosed = (failure: Failure): Stopped => ({ because: 'closed', failure });

/** How a command ended for one entry. */
export type Outcome =
  | {
      readonly is: 'concluded';
      readonly entry: Entry;
      readonly attempt: Attempt | undefined;
      /** Nothing was sent in this run: the journal had the outcome, or another process sent it. */
      readonly replayed: boolean;
      readonly stopped?: Stopped;
      /** The decision with which a person declined it. */
      readonly declined?: Decision | undefined;
      /** The proposal of an entry that waits for approval. */
      readonly proposal?: Decision | undefined;
    }
  | { readonly is: 'still-sending'; readonly entry: Entry; readonly by?: Process | undefined }
  /** `entry` has this name and belongs to another bot. */
  | { readonly is: 'not-sent'; readonly because: 'other-bot'; readonly entry: Entry }
  /** `entry` has this name and a body other than that of `wanted`. */
  | {
      readonly is: 'not-sent';
      readonly because: 'other-body';
      readonly entry: Entry;
      readonly wanted: Wanted;
    }
  | PaidAlready
  | { readonly is: 'not-sent'; readonly because: 'declined' }
  | { readonly is: 'not-sent'; readonly because: 'refused'; readonly failure: Failure }
  /** An attempt ended, with or without a reply, but the journal could not record it. */
  | {
      readonly is: 'not-recorded';
      readonly entry: Entry;
      readonly attempt: Attempt;
      readonly cause: unknown;
    };

/** Another entry made an equal payment, or may have made it. `equal` is the latest of them, and `ids` has all. */
type PaidAlready = {
  readonly is: 'not-sent';
  readonly because: 'paid-already';
  readonly equal: Entry;
  readonly ids: readonly string[];
};

/** The state of an entry in the journal, as this command's outcome. */
export async function concluded(
  entry: Entry,
  reads: Pick<Reads, 'decisiveAttempt' | 'decisionsOf'>,
  replayed: boolean,
): Promise<Outcome & { is: 'concluded' }> {
  const { id, state } = entry;
  return {
    is: 'concluded',
    entry,
    attempt: await reads.decisiveAttempt(id),
    replayed,
    ...(state === 'declined' ? { declined: await lastDecision(id, reads) } : {}),
    ...(isProposal(entry) ? { proposal: await lastProposal(id, reads) } : {}),
  };
}

/** Nothing is ever deleted from a journal, so a missing entry means damage. */
export function mustFind(entry: Entry | undefined): Entry {
  if (entry !== undefined) return entry;
  throw engineFailure('entry-missing', {});
}

/** What a caller must know about a reply that counts as accepted nevertheless. */
export type Oddity =
  /** A transfer's status, as JSON, if it is not documented. Undefined if the reply has no status. */
  | { readonly is: 'status'; readonly status: string | undefined }
  /** The reply shows a content or conversation other than the one sent. */
  | { readonly is: 'another-message'; readonly field: string; readonly shows: string }
  /** The service already had a message under a name that this journal had not used. */
  | { readonly is: 'known-name' };

export type OutcomeToTell = ReturnType<typeof outcomeToTell>;

/** An outcome with everything that is reported beside it. */
export function outcomeToTell(outcome: Outcome) {
  const [entry, attempt] = lastOf(outcome);
  return {
    outcome,
    /** Undefined on success. */
    code: failureCodeOf(outcome),
    /** What the last reply says went wrong. */
    complaint: attempt && complaintIn(attempt),
    oddities: entry?.state === 'accepted' && attempt !== undefined ? odditiesOf(entry, attempt) : [],
    /** The service has this key for another payment, so this payment needs another name. */
    needsOtherName: entry?.heldReason === 'another-payment' && !keyFixesBody(entry),
  };
}

/** The entry and the attempt that explain the outcome. */
function lastOf(outcome: Outcome): [entry?: Entry, attempt?: Attempt | undefined] {
  return outcome.is === 'concluded' || outcome.is === 'not-recorded' ? [outcome.entry, outcome.attempt] : [];
}

function failureCodeOf(outcome: Outcome): FailureCode | undefined {
  switch (outcome.is) {
    case 'concluded':
      return codeOfState(outcome);
    case 'still-sending':
      return 'in-progress';
    case 'not-recorded':
      return outcome.is;
    case 'not-sent':
      return outcome.because === 'refused' ? outcome.failure.code : outcome.because;
  }
}

/** The state decides first. The last reply only distinguishes the failures that are not in doubt. */
function codeOfState(outcome: Outcome & { is: 'concluded' }): FailureCode | undefined {
  const { entry, attempt } = outcome;
  switch (entry.state) {
    case 'declined':
      return 'proposal-declined';
    case 'accepted':
      return undefined;
    case 'resolved':
      return entry.resolvedAs === 'happened' ? undefined : 'not-allowed-now';
    case 'sending':
      return 'in-progress';
    case 'unknown':
    case 'held':
      return entry.state;
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
  if (stopped?.because === 'closed') return stopped.failure.code;
  if (stopped?.because === 'interrupted' || attempt === undefined) return 'interrupted';
  if (attempt.verdict === 'limited') return 'rate-limited';
  if (attempt.trouble?.is === 'claim-too-old') return 'fenced';
  return attempt.trouble?.is === 'certificate' ? 'bad-certificate' : 'unreachable';
}

function complaintIn({ reply, headers, status, verdict, duplicate }: Attempt): ReplyComplaint | undefined {
  if (reply === undefined || (verdict === 'accepted' && !duplicate)) return undefined;
  const received = { body: reply, headers };
  // Any of its words may say what the 409 means, so all are shown.
  if (status === 409) return { message: shortened(textsIn(received).join('; ')) };
  return readReply(received).complaint;
}

const knownStatuses: readonly unknown[] = ['submitted', 'confirmed'];

const shownFields = ['conversation_id', 'content'] as const;

function odditiesOf(entry: Entry, { duplicate, reply, headers }: Attempt): Oddity[] {
  if (duplicate) return entry.wasInDoubt ? [] : [{ is: 'known-name' }];
  const { json } = reply === undefined ? {} : readReply({ body: reply, headers });
  if (json === undefined) return [];
  if (entry.kind === 'transfer') {
    const status = resultIn('transfer', json)?.status;
    return knownStatuses.includes(status) ? [] : [{ is: 'status', status: JSON.stringify(status) }];
  }
  const sent: ReplyFields = JSON.parse(new TextDecoder().decode(entry.body));
  return shownFields.flatMap((field): Oddity[] => {
    const others = bothIn('message', json).map((fields) => fields[field]);
    const shows = others.find((other) => typeof other === 'string' && other !== sent[field]);
    return shows === undefined ? [] : [{ is: 'another-message', field, shows: shortened(String(shows)) }];
  });
}
