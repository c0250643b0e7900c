import type { DiskTrouble } from '../../machine/disk.ts';
import { failing } from '../failures.ts';
import type { Complaint, TextFault } from '../intent/facts.ts';

/** What is wrong with a field of a policy. */
export type PolicyFault =
  | { readonly is: 'newer' | 'missing' | 'not-a-journal' | 'not-an-asset' | 'not-a-name' }
  | { readonly is: 'unknown-key'; readonly known: readonly string[] }
  /** The type that the field must have, or its only allowed value. */
  | { readonly is: 'not-of-shape'; readonly shape: string }
  | { readonly is: 'not-the-value'; readonly field: string }
  | { readonly is: 'same-asset'; readonly other: string }
  | { readonly is: 'not-an-amount' | 'not-an-address'; readonly complaint: Complaint };

/** Why a policy file is refused. `source` names it for people. */
export type PolicyFacts = {
  damaged: {
    readonly source: string;
    readonly line: number;
    readonly column: number;
    /** The path to the field; undefined for the whole policy. */
    readonly field: string | undefined;
    readonly fault: PolicyFault;
  };
  'bad-text': { readonly source: string; readonly fault: TextFault };
  unreadable: { readonly source: string; readonly trouble: DiskTrouble };
  'not-a-file': { readonly source: string };
  'too-long': { readonly source: string; readonly mostBytes: number };
  /** `path` is the policy file, or its folder, that others can change. */
  'other-owner': {
    readonly source: string;
    readonly path: string;
    readonly uid: number;
    readonly me: number;
  };
  'open-to-others': { readonly source: string; readonly path: string; readonly mode: number };
};

const codes = {
  damaged: 'policy-damaged',
  'bad-text': 'policy-damaged',
  unreadable: 'policy-unsafe',
  'not-a-file': 'policy-unsafe',
  'too-long': 'policy-unsafe',
  'other-owner': 'policy-unsafe',
  'open-to-others': 'policy-unsafe',
} as const;

export const policyFailure = failing<PolicyFacts>('policy', codes);
