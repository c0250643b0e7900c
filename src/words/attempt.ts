/** What went wrong with an attempt, as part of a sentence. It is kept in the journal with the attempt. */
export const someoneElsesReply = 'the reply is another request’s';
export const replyBrokeOff = 'the reply broke off';
export const replyTooLong = 'the reply was longer than botctl reads';
export const journalWasGone = 'the journal was not there any more when the connection stood';
export const tooLateAtTheDoor = 'it was too late when the connection stood';

export function attemptFailed(why: string): string {
  return `the attempt itself failed (${why})`;
}

export const claimTooOld = 'this process had been silent for too long, and another one may have taken over';

export const neverBegun = 'it was given back before its turn came';
