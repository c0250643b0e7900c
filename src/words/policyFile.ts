import { listed } from './list.ts';
import { clipped } from './short.ts';
import type { Suggestion } from './suggestion.ts';
import { Told } from './told.ts';

/** Rules and problems of the fields of a policy: a rule is said after `it must be`. */
export const policyRules = {
  schema: '"botctl-policy/1"',
  amount: 'a positive decimal number in double quotes, such as "5" or "1.5"',
  asset: 'SOL in capitals, or the name of a token, each asset once',
  name: 'a name of letters, digits, ".", "_" and "-", which begins with a letter or a digit',
  address: 'a wallet address',
  journal: 'the absolute path of a journal, with no blank or quote at its end, or the id of a shared one',
  allow: '"allow"',
} as const;

export const policyProblems = {
  newer: 'is of a newer botctl, which may know rules that this one does not',
  unknownKey: (known: readonly string[]) => `is not known (there are ${listed(known)})`,
  missing: 'is missing',
  notA: (what: string) => `is not ${what}`,
  sameAsset: (other: string) => `is ${other} in another spelling`,
  relative: 'is neither an absolute path nor an id',
} as const;

/** Where in a policy something is wrong: its line, and the way to the field. */
export type PolicyFault = {
  readonly line: number;
  readonly column: number;
  readonly field: string | undefined;
  readonly problem: string;
  readonly rule?: string;
};

const fixIt = 'A policy that cannot be read allows nothing. Fix the file, then check it:';

export function policyDamaged(source: string, { line, column, field, problem, rule }: PolicyFault): Told {
  const what = field === undefined ? problem : `${clipped(field)} ${problem}`;
  const must = rule === undefined ? '' : ` (it must be ${rule})`;
  return new Told('policy-damaged', `The policy ${source}, line ${line}, column ${column}: ${what}${must}`, {
    hint: fixIt,
    next: checking(source),
  });
}

export function policyUnsafe(source: string, problem: string, fix: readonly (readonly string[])[]): Told {
  return new Told('policy-unsafe', `The policy ${source} ${problem}`, {
    hint: 'Only root or you may be able to change a policy. If nobody else did, make it so:',
    next: [{ shell: fix }],
  });
}

export function policyUnreadable(source: string, why: string): Told {
  return new Told('policy-unsafe', `The policy ${source} cannot be read: ${why}`, {
    hint: 'Where a policy is named, no command sends without it. Check that it is there and that you may read it:',
    next: [{ shell: [['ls', '-ld', source]] }],
  });
}

/** Of a file that a command was given to look at, or to keep. */
export function asBadFile(thrown: unknown): unknown {
  if (!(thrown instanceof Told) || !/^policy-(?:damaged|unsafe)$/u.test(thrown.code)) return thrown;
  return new Told('bad-file', thrown.message, thrown.details);
}

function checking(source: string): Suggestion[] {
  return [['policy', 'check', source]];
}

export const policyPlaces = {
  otherOwner: (uid: number) => `belongs to another user (uid ${uid})`,
  openToOthers: (mode: number) => `can be changed by other users (mode ${mode.toString(8)})`,
  folderOf: (folder: string, problem: string) => `is in the folder ${folder}, which ${problem}`,
  notAFile: 'is not a file',
  tooLong: (most: number) => `is longer than ${most} bytes`,
} as const;

export function otherJournal(source: string, pinned: string, place: string): Told {
  return new Told(
    'policy-journal',
    `The policy ${source} allows the journal ${pinned} only, and this command uses ${place}`,
    {
      hint: 'In another journal nothing would be counted that was spent before. Use the journal that the policy names:',
      next: [['policy', 'show']],
    },
  );
}

/** Of a profile that was given it a moment ago. */
export function policyNotUsable(message: string): string {
  return `${message} Until that is fixed, this profile sends nothing.`;
}
