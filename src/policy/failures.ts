import type { DiskTrouble } from '../machine/disk.ts';
import { amountOf } from '../once/entry/amount.ts';
import { type TextFault, textFaultWords } from '../once/entry/failures.ts';
import { type Complaint, complaintWords } from '../once/entry/rules.ts';
import { type Failure, failing, failureWith } from '../once/failures.ts';
import { clipped, formatAmountOf, iso, isoExact, listed, troubleInWords } from '../once/phrases.ts';

export const policySchema = 'botctl-policy/1';

export type PolicyFault =
  | { readonly is: 'missing' | 'not-an-asset' | 'not-a-name' | 'no-limits' }
  | { readonly is: 'unknown-key'; readonly known: readonly string[] }
  /** `shape` is the type that the field must have, `value` its only allowed value. */
  | { readonly is: 'not-of-shape'; readonly shape: string }
  | { readonly is: 'not-the-value'; readonly value: string }
  | { readonly is: 'same-asset'; readonly other: string }
  | { readonly is: 'not-an-amount' | 'not-an-address'; readonly complaint: Complaint };

/** A policy's refusal: the rule and what is left. */
export type Refusal =
  | { readonly rule: 'asset'; readonly source: string; readonly asset: string }
  | { readonly rule: 'recipient'; readonly source: string; readonly to: string }
  | { readonly rule: 'approvals'; readonly source: string }
  | ({ readonly rule: 'transfer' } & OverLimit)
  | ({
      readonly rule: 'day';
      readonly spent: bigint;
      readonly freeAtMs: number | undefined;
    } & OverLimit);

type OverLimit = {
  readonly source: string;
  /** The asset as the policy spells it. */
  readonly line: string;
  readonly asset: string;
  readonly units: bigint;
  readonly limit: bigint;
  readonly remaining: bigint;
};

export type OverRefusal = Extract<Refusal, OverLimit>;

const noUse = 'Running the same command again will not help.';

type PlaceInFile = { source: string; line: number; column: number };
type Damage = PlaceInFile & { field: string | undefined; fault: PolicyFault };
/** `path` is the policy file or folder that others can change. */
type Unsafe = { source: string; path: string };

/** Refusals of a policy file, and refusals by a policy. `source` names the policy for people. */
export const policyFailure = failing('policy', {
  /** `field` is a path like `limits.SOL`; undefined if the fault is in the whole policy. */
  damaged: ({ source, line, column, field, fault }: Damage) => {
    const [problem, rule] = faultWords(fault);
    const what = field === undefined ? problem : `${clipped(field)} ${problem}`;
    return damaged(source, line, column, rule === undefined ? what : `${what} (it must be ${rule})`);
  },
  'bad-text': ({ source, fault }: { source: string; fault: TextFault }) =>
    damaged(source, fault.line, fault.column, textFaultWords(fault)),
  unreadable: ({ source, trouble }: { source: string; trouble: DiskTrouble }) => {
    const next = [{ shell: [['ls', '-ld', source]] }];
    return failureWith('policy-unsafe', {
      next,
    })`The policy ${source} cannot be read: ${troubleInWords(trouble)}
      While a policy is named, no command sends without it. Check that it exists and that you may read it:`;
  },
  'other-owner': ({ source, path, uid, me }: Unsafe & { uid: number; me: number }) => {
    const fix = ['sudo', 'chown', String(me), path];
    return unsafe(source, path, `belongs to another user (uid ${uid})`, fix);
  },
  'open-to-others': ({ source, path, mode }: Unsafe & { mode: number }) => {
    const fix = ['chmod', 'go-w', path];
    return unsafe(source, path, `can be changed by other users (mode ${mode.toString(8)})`, fix);
  },

  asset: ({ source, asset }: Refused<'asset'>) => failureWith('policy-asset')`
    The policy ${source} has no limits for ${asset}, and it refuses every asset that it does not name
    ${noUse} To allow ${asset}, add it under limits in the policy.
    $ policy show`,
  recipient: ({ source, to }: Refused<'recipient'>) => failureWith('policy-recipient')`
    The policy ${source} allows only the recipients that it names (only_recipients), and ${to} is not one of them
    ${noUse} To allow this address, add it under recipients in the policy.
    $ policy show`,
  approvals: ({ source }: Refused<'approvals'>) => failureWith('policy-limit')`
    The policy ${source} requires another database role to approve this ("approvals": "other"), and a journal in a file has no roles
    ${noUse} Use a shared journal, or have the policy changed.
    $ policy show`,
  transfer: (over: Refused<'transfer'>) => overLimit(over),
  day: (over: Refused<'day'>) => overLimit(over),
});

type Refused<Rule extends Refusal['rule']> = Extract<Refusal, { readonly rule: Rule }>;

type Above = Pick<OverLimit, 'source' | 'line' | 'asset' | 'units' | 'limit'>;

/** Why a payment waits for a person. Stored with its proposal. */
export const whyApproval = {
  asked: 'asked for by --propose',
  above: ({ source, line, asset, units, limit }: Above) =>
    `${amountWords(units, asset)} is above ${amountWords(limit, line)}, approve_above of ${source}`,
  otherRole: ({ source }: { source: string }) =>
    `another database role must approve it, approvals of ${source}`,
};

function amountWords(amount: bigint, asset: string): string {
  return formatAmountOf(amountOf(amount), asset);
}

/** Each continues `it must be`. */
const policyRules = {
  asset: 'SOL, or the name of a token, each asset once',
  limited: 'an asset listed there; {} is a line without a limit',
  name: 'a name of letters, digits, ".", "_" and "-", beginning with a letter or a digit',
  address: 'a wallet address',
} as const;

function damaged(source: string, line: number, column: number, what: string): Failure {
  return failureWith('policy-damaged')`The policy ${source}, line ${line}, column ${column}: ${what}
    A policy that cannot be read allows nothing. Fix the file, then check it:
    $ policy check ${source}`;
}

function unsafe(source: string, path: string, problem: string, fix: readonly string[]): Failure {
  const what = path === source ? problem : `is in the folder ${path}, which ${problem}`;
  return failureWith('policy-unsafe', { next: [{ shell: [fix] }] })`The policy ${source} ${what}
    A policy must be one that only you and root can change. If nobody else has changed it, fix this:`;
}

const shapes: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  string: 'a string in double quotes',
  boolean: 'true or false',
};

function faultWords(fault: PolicyFault): readonly [problem: string, rule?: string] {
  switch (fault.is) {
    case 'missing':
      return ['is missing'];
    case 'unknown-key':
      return [`is not known (the fields are ${listed(fault.known)})`];
    case 'not-of-shape':
      return [`is not ${shapes[fault.shape] ?? `a ${fault.shape}`}`];
    case 'not-the-value':
      return [`is not ${fault.value}`];
    case 'same-asset':
      return [`is ${fault.other} in another spelling`, policyRules.asset];
    case 'no-limits':
      return ['has no line in limits', policyRules.limited];
    case 'not-an-asset':
      return ['is not an asset', policyRules.asset];
    case 'not-a-name':
      return ['is not a name', policyRules.name];
    case 'not-an-amount':
      return complaintWords(fault.complaint);
    case 'not-an-address':
      return [complaintWords(fault.complaint)[0], policyRules.address];
  }
}

const limitNames: Readonly<Record<OverRefusal['rule'], string>> = {
  transfer: 'per transfer',
  day: 'in 24 hours, by all bots in the journal',
};

function overLimit(refusal: OverRefusal): Failure {
  const { source, line, asset, units, limit, remaining, rule } = refusal;
  const of = (amount: bigint, named = line): string => amountWords(amount, named);
  const freeAt = rule === 'day' ? refusal.freeAtMs : undefined;
  const left =
    rule === 'transfer'
      ? ''
      : remaining === 0n
        ? ' All of it is used.'
        : ` ${of(limit - remaining)} of it is used, so ${of(remaining)} is left.`;
  const never = rule === 'transfer' ? '' : ' This is more than the whole limit.';
  const hint =
    freeAt === undefined
      ? `${noUse}${never} If you mean this amount, have the policy changed.`
      : `Wait until ${iso(freeAt)}, then run the same command again: enough is left then, if nothing else is spent.`;
  const fields = {
    remaining: amountOf(remaining),
    ...(freeAt === undefined ? {} : { free_at: isoExact(freeAt) }),
  };
  return failureWith('policy-limit', { fields })`
    The policy ${source} allows at most ${of(limit)} ${limitNames[rule]}, and this transfer is ${of(units, asset)}.${left}
    ${hint}
    $ policy show`;
}
