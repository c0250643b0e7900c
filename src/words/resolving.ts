import { declined } from './asking.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

function usage(message: string, hint: string, next?: readonly Suggestion[]): Told {
  return new Told('usage', message, { hint, ...(next === undefined ? {} : { next }) });
}

export function whichDecision(): Told {
  return usage('A decision is either --happened or --did-not-happen', 'Give exactly one of them.');
}

export function noReason(): Told {
  return usage('A decision needs its reason', 'Add --reason "what you saw, and where".');
}

export function reasonToFillIn(reason: string): Told {
  return usage(`The reason still says "${reason}"`, 'Replace it with what you saw, and where.');
}

export function signatureOfNothing(): Told {
  return usage('--signature goes with --happened only', 'What did not happen has none.');
}

export function notASignature(signature: string): Told {
  return usage(
    `--signature ${JSON.stringify(signature)} is not a transaction’s signature (64 bytes in base58)`,
    'Copy it whole from the explorer, or leave it out.',
  );
}

export function nobodyOverrules(withYes: Suggestion): Told {
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

export function notReversed(): Told {
  return declined('The earlier decision stands.');
}
