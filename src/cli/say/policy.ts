import type { PolicyFacts, PolicyFault } from '../../once/policy/readPolicy.ts';
import { clipped, complaintWords, textFaultWords } from './intent.ts';
import { listed, troubleInWords } from './phrases.ts';
import { type Sentence, says, type Table } from './told.ts';

/** Each is said after `it must be`. */
const policyRules = {
  schema: '"botctl-policy/1"',
  asset: 'SOL in capitals, or the name of a token, each asset once',
  limited: 'an asset listed there; {} is a line without a limit',
  name: 'a name of letters, digits, ".", "_" and "-", beginning with a letter or a digit',
  address: 'a wallet address',
} as const;

export const policyTable: Table<PolicyFacts> = {
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
