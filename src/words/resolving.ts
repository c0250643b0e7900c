import { Failure } from '../errors.ts';
import { declined } from './asking.ts';
import type { Suggestion } from './suggestion.ts';

function usage(message: string, hint: string, next?: readonly Suggestion[]): Failure {
  return new Failure('usage', message, { hint, ...(next === undefined ? {} : { next }) });
}

export function whichDecision(): Failure {
  return usage('A decision is either --happened or --did-not-happen', 'Give exactly one of them.');
}

export function noReason(): Failure {
  return usage('A decision needs its reason', 'Add --reason "what you saw, and where".');
}

export function reasonToFillIn(reason: string): Failure {
  return usage(`The reason still says "${reason}"`, 'Replace it with what you saw, and where.');
}

export function signatureOfNothing(): Failure {
  return usage('--signature goes with --happened only', 'What did not happen has none.');
}

export function notASignature(signature: string): Failure {
  return usage(
    `--signature ${JSON.stringify(signature)} is not a transaction’s signature (64 bytes in base58)`,
    'Copy it whole from the explorer, or leave it out.',
  );
}

export function nobodyOverrules(withYes: Suggestion): Failure {
  return usage(
    '--overrule asks first, and there is no terminal to ask on',
    'To reverse the earlier decision without being asked, add --yes:',
    [withYes],
  );
}

export function earlierDecision(who: string, kind: string, reason: string): string {
  return `${who} decided: ${kind} ("${reason}").`;
}

export function askToReverse(isHappened: boolean): string {
  return `Decide now that it ${isHappened ? 'happened' : 'did not happen'}?`;
}

export function notReversed(): Failure {
  return declined('The earlier decision stands.');
}
