/**
 * What a command that stops did not do. A person looks for this first, so every sentence says it with the same
 * words, at its end: `unsent('The payload is not a JSON object')`.
 */
export const nothingSent = 'Nothing was sent.';
export const nothingSentNow = 'Nothing was sent now.';
const nothingMoreSent = 'Nothing more was sent.';
export const nothingChanged = 'Nothing was changed.';
export const nothingSentOrChanged = 'Nothing was sent or changed.';
export const nothingDecided = 'Nothing was decided.';
const nothingDecidedNow = 'Nothing was decided now.';
/** Of a row whose id an earlier run may have sent. */
export const notSentNow = 'It was not sent now.';

/** Where another process sends it meanwhile. */
export const thisOneSentNothing = 'This one sent nothing.';

/** A promise about the same command, run again. */
export const neverTwice = 'nothing is sent twice';

/** In front of what a dry run shows. */
export const onDryRun = 'nothing is sent (--dry-run)';

export const unsent = (what: string): string => withEnd(what, nothingSent);
/** An earlier run of the command may have sent something: this one did not. */
export const unsentNow = (what: string): string => withEnd(what, nothingSentNow);
/** This run may have sent something before it stopped. */
export const noMoreSent = (what: string): string => withEnd(what, nothingMoreSent);
export const unchanged = (what: string): string => withEnd(what, nothingChanged);
/** Where the same sentence is said to commands that send and to commands that change something here. */
export const untouched = (what: string): string => withEnd(what, nothingSentOrChanged);
export const undecided = (what: string): string => withEnd(what, nothingDecided);
/** Beside an earlier decision. */
export const undecidedNow = (what: string): string => withEnd(what, nothingDecidedNow);

/** No failure: what was asked for is done already, or must not be done. */
export const unsentBecause = (why: string): string => `Nothing was sent now: ${sentence(why)}`;

const ends = [
  nothingSent,
  nothingSentNow,
  nothingMoreSent,
  nothingChanged,
  nothingSentOrChanged,
  nothingDecided,
  nothingDecidedNow,
] as const;

/** What failed, without that end: for a command that was not going to do any of it. */
export function withoutEnd(text: string): string {
  const end = ends.find((one) => text.endsWith(` ${one}`));
  return end === undefined ? text : text.slice(0, -end.length - 1);
}

/** What was refused, for a command that was to change something and to send nothing. */
export function changedNothing(text: string): string {
  const end = [nothingSent, nothingSentNow].find((one) => text.endsWith(` ${one}`));
  return end === undefined ? text : `${text.slice(0, -end.length)}${nothingChanged}`;
}

/** The same of this run alone, before something is said of an earlier one. */
export function thisTime(text: string): string {
  const end = [nothingSent, nothingSentOrChanged].find((one) => text.endsWith(one));
  return end === undefined ? text : `${text.slice(0, -end.length)}${nothingSentNow}`;
}

function withEnd(what: string, end: string): string {
  return `${sentence(what)} ${end}`;
}

export function sentence(what: string): string {
  return /[.!?]$/u.test(what) ? what : `${what}.`;
}
