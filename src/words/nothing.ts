export const nothingSentNow = 'Nothing was sent now.';
export const nothingChanged = 'Nothing was changed.';
export const nothingSentOrChanged = 'Nothing was sent or changed.';
/** Of a row whose id an earlier run may have sent. */
export const notSentNow = 'It was not sent now.';

/** Where another process sends it meanwhile. */
export const thisOneSentNothing = 'This one sent nothing.';

/** A promise about the same command, run again. */
export const neverTwice = 'nothing is sent twice';

/** In front of what a dry run shows. */
export const onDryRun = 'nothing is sent (--dry-run)';

/** No failure: what was asked for is done already, or must not be done. */
export const unsentBecause = (why: string): string => `Nothing was sent now: ${sentence(why)}`;

export function sentence(what: string): string {
  return /[.!?]$/u.test(what) ? what : `${what}.`;
}
