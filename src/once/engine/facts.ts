import { failing } from '../failures.ts';
import type { Kind } from '../intent/wanted.ts';
import type { Decision, State } from '../journal/journal.ts';

type Nothing = Record<never, never>;

/** How the engine fails with an order or a decision, before anything was sent. */
export type EngineFacts = {
  /** The journal refers to an intent that it does not contain. */
  'intent-missing': Nothing;
  /** The request to send has changed on the disk. */
  'request-changed': { readonly id: string; readonly mayHaveLanded: boolean };
  /** The intent to replay, or to compare with the order, has changed on the disk. */
  'intent-changed': { readonly id: string; readonly wasDone: boolean };
  'unnamed-on-shared': { readonly place: string; readonly kind: Kind };
  /** What a person must approve has no name. */
  'unnamed-proposal': Nothing;
  /** It waits for approval: it is not resumed or resolved. */
  'is-proposal': { readonly id: string };
  /** It is approved and not sent: it is not resolved. */
  'is-approved': { readonly id: string };
  /** It does not wait for approval. */
  'not-a-proposal': { readonly id: string; readonly state: State; readonly tainted: boolean };
  'proposal-declined': {
    readonly id: string;
    readonly declined: Pick<Decision, 'who' | 'role' | 'atMs' | 'reason'> | undefined;
  };
  /** It is not as it was when the decision was asked for. */
  'changed-since-shown': { readonly id: string };
  /** A process is sending it, so an operator cannot decide now. */
  'being-sent': { readonly id: string };
  proven: { readonly id: string; readonly state: State };
};

const codes = {
  'intent-missing': 'journal-damaged',
  'request-changed': 'journal-damaged',
  'intent-changed': 'journal-damaged',
  'unnamed-on-shared': 'unnamed-shared',
  'unnamed-proposal': 'usage',
  'is-proposal': 'held',
  'is-approved': 'not-allowed-now',
  'not-a-proposal': 'not-allowed-now',
  'proposal-declined': 'proposal-declined',
  'changed-since-shown': 'held',
  'being-sent': 'not-allowed-now',
  proven: 'not-allowed-now',
} as const;

export const engineFailure = failing<EngineFacts>('engine', codes);
