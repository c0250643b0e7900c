import { failing } from '../failures.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Decision, State } from '../journal/journal.ts';

type Nothing = Record<never, never>;

/** How the engine fails: of an order or a decision, before anything of it has left. */
export type EngineFacts = {
  /** The journal names an intent that it does not find. */
  'intent-missing': Nothing;
  /** What would be sent is not what it was. */
  'request-changed': { readonly id: string; readonly mayHaveLanded: boolean };
  /** What would be shown again, or compared with what is wanted now, is not what it was. */
  'intent-changed': { readonly id: string; readonly wasDone: boolean };
  /** The journal was given another one since this process read it. */
  'policy-changed': Nothing;
  'unnamed-on-shared': { readonly place: string; readonly kind: Kind };
  /** An operator cannot decide now. */
  'being-sent': { readonly id: string };
  proven: { readonly id: string; readonly state: State };
  /** `earlier` is undefined where the journal does not show it. */
  'decided-otherwise': {
    readonly id: string;
    readonly decision: Pick<Decision, 'kind' | 'reason' | 'signature'>;
    readonly earlier: Pick<Decision, 'who' | 'atMs' | 'reason'> | undefined;
  };
};

const codes = {
  'intent-missing': 'journal-damaged',
  'request-changed': 'journal-damaged',
  'intent-changed': 'journal-damaged',
  'policy-changed': 'policy-changed',
  'unnamed-on-shared': 'unnamed-shared',
  'being-sent': 'not-allowed-now',
  proven: 'not-allowed-now',
  'decided-otherwise': 'not-allowed-now',
} as const;

export const engineFailure = failing<EngineFacts>('engine', codes);
