import { amountOf } from '../../once/intent/amount.ts';
import type { Refusal, RefusalFacts } from '../../policy/policy.ts';
import type { PolicyFacts, PolicyFault } from '../../policy/readPolicy.ts';
import { clipped, complaintWords, textFaultWords } from './intent.ts';
import { formatAmountOf, iso, listed, troubleInWords } from './phrases.ts';
import { type Sentence, says, type Table } from './told.ts';

/** Each is said after `it must be`. */
const policyRules = {
  schema: '"botctl-policy/1"',
  asset: 'SOL in capitals, or the name of a token, each asset once',
  limited: 'an asset listed there; {} is a line without a limit',
  name: 'a name of letters, digits, ".", "_" and "-", beginning with a letter or a digit',
  address: 'a wallet address',
} as const;

export const policyTable: Table<PolicyFacts & RefusalFacts> = {
  asset: policyWords,
  recipient: policyWords,
  approvals: policyWords,
  transfer: policyWords,
  day: policyWords,
  damaged: ({ source, line, column, field, fault }) => {
    const [problem, rule] = faultWords(fault);
    const what = field === undefined ? problem : `${clipped(field)} ${problem}`;
    return damaged(source, line, column, rule === undefined ? what : `${what} (it must be ${rule})`);
  },
  'bad-text': ({ source, fault }) => damaged(source, fault.line, fault.column, textFaultWords(fault)),
  unreadable: ({ source, trouble }) => ({
    message: `The policy ${source} cannot be read: ${troubleInWords(trouble)}`,
    hint: 'While a policy is named, no command sends without it. Check that it exists and that you may read it:',
    next: [{ shell: [['ls', '-ld', source]] }],
  }),
  'other-owner': ({ source, path, uid, me }) =>
    unsafe(source, ofPlace(source, path, `belongs to another user (uid ${uid})`), [
      'sudo',
      'chown',
      String(me),
      path,
    ]),
  'open-to-others': ({ source, path, mode }) =>
    unsafe(source, ofPlace(source, path, `can be changed by other users (mode ${mode.toString(8)})`), [
      'chmod',
      'go-w',
      path,
    ]),
};

function damaged(source: string, line: number, column: number, what: string): Sentence {
  return says`The policy ${source}, line ${line}, column ${column}: ${what}
    A policy that cannot be read allows nothing. Fix the file, then check it:
    $ policy check ${source}`;
}

function unsafe(source: string, problem: string, fix: readonly string[]): Sentence {
  return {
    message: `The policy ${source} ${problem}`,
    hint: 'Only you or root may be able to change a policy. If no one else has changed it, fix this:',
    next: [{ shell: [fix] }],
  };
}

function ofPlace(source: string, path: string, problem: string): string {
  return path === source ? problem : `is in the folder ${path}, which ${problem}`;
}

const shapes: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  string: 'a string in double quotes',
  boolean: 'true or false',
};

function faultWords(fault: PolicyFault): readonly [problem: string, rule?: string] {
  switch (fault.is) {
    case 'newer':
      return ['is from a newer botctl, which may have rules that this one does not know', policyRules.schema];
    case 'missing':
      return ['is missing'];
    case 'unknown-key':
      return [`is not known (the fields are ${listed(fault.known)})`];
    case 'not-of-shape':
      return [`is not ${shapes[fault.shape] ?? `a ${fault.shape}`}`];
    case 'not-the-value':
      return [`is not ${onlyValues[fault.field] ?? policyRules.schema}`];
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

/** The keys that have one value, besides `schema`. */
const onlyValues: Readonly<Record<string, string>> = {
  approvals: '"other"',
};

const noUse = 'Running the same command again will not help.';

/** Which rule refuses it, what is left, and when more is available. */
export function policyWords(refusal: Refusal): Sentence {
  switch (refusal.rule) {
    case 'asset':
      return says`
        The policy ${refusal.source} has no limits for ${refusal.asset}, and it refuses every asset that it does not name
        ${noUse} To allow ${refusal.asset}, add it under limits in the policy.
        $ policy show`;
    case 'recipient':
      return says`
        The policy ${refusal.source} allows only the recipients that it names (only_recipients), and ${refusal.to} is not one of them
        ${noUse} To allow this address, add it under recipients in the policy.
        $ policy show`;
    case 'approvals':
      return says`
        The policy ${refusal.source} wants another database role to approve this ("approvals": "other"), and a journal in a file has no roles
        ${noUse} Use a shared journal, or have the policy changed.
        $ policy show`;
    default:
      return limitWords(refusal);
  }
}

type OverLimit = Refusal & { readonly rule: 'transfer' | 'day' };

const limitNames: Readonly<Record<OverLimit['rule'], string>> = {
  transfer: 'per transfer',
  day: 'in 24 hours, by all bots in the journal',
};

function limitWords(refusal: OverLimit): Sentence {
  const { source, line, asset, units, limit, remaining, rule } = refusal;
  const of = (amount: bigint, named = line): string => formatAmountOf(amountOf(amount), named);
  const freeAt = 'freeAtMs' in refusal ? refusal.freeAtMs : undefined;
  const left =
    rule === 'transfer'
      ? ''
      : ` ${of(limit - remaining)} of it is used, so ${remaining === 0n ? 'nothing' : of(remaining)} is left.`;
  const never = rule === 'transfer' ? 'Send' : 'This is more than the whole limit: send';
  return {
    message: `The policy ${source} allows at most ${of(limit)} ${limitNames[rule]}, and this transfer is ${of(units, asset)}.${left}`,
    hint:
      freeAt === undefined
        ? `${noUse} ${never} a smaller amount, or have the policy changed.`
        : `Wait until ${iso(freeAt)}, then run the same command again: enough is left then, if nothing else is spent.`,
    next: [['policy', 'show']],
    allowance: { remaining: amountOf(remaining), ...(freeAt === undefined ? {} : { freeAtMs: freeAt }) },
  };
}
