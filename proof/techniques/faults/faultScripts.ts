import type { FaultSpec } from '../../../test/support/sandbox.ts';
import type { Operation } from '../../jobs.ts';
import { lostReply as lost } from '../../play.ts';

export type FaultScript = {
  readonly name: string;
  readonly faults: readonly FaultSpec[];
  readonly only?: Operation;
  /** It happens, and its reply does not arrive. */
  readonly isLost?: true;
  /** After the loss comes a rejection. */
  readonly rejectsLater?: true;
  /** After the loss the service limits the rate. */
  readonly limitsLater?: true;
  /** A later rejection leaves it in an operator's hands. */
  readonly endsHeld?: true;
};

type Moment = NonNullable<FaultSpec['when']>;

function at(moment: Moment, faults: Readonly<Record<string, Omit<FaultSpec, 'when'>>>): FaultScript[] {
  return Object.entries(faults).map(([name, fault]) => ({
    name: `${name}, ${moment}`,
    faults: [{ ...fault, when: moment }],
    ...(moment === 'after' ? { isLost: true } : {}),
  }));
}

function statuses(...all: readonly number[]): Record<string, Omit<FaultSpec, 'when'>> {
  return Object.fromEntries(all.map((status) => [String(status), { kind: 'reply', status }]));
}

const brokenLines = {
  drop: { kind: 'drop' },
  reset: { kind: 'reset' },
  'a stall for ever': { kind: 'stall', ms: null },
} as const;

/** Replies after the first one was lost. As a first reply they would prove that nothing happened. */
const afterTheLoss = [400, 402, 404, 422, 307, 401, 403, 429, 500];

export const faultScripts: readonly FaultScript[] = [
  { name: 'fair', faults: [] },
  ...at('unread', brokenLines),
  ...at('before', brokenLines),
  ...at('after', brokenLines),
  ...at('before', { 'a short stall': { kind: 'stall', ms: 150 }, garbage: { kind: 'garbage' } }),
  ...at('after', { garbage: { kind: 'garbage' } }),
  ...at('after', {
    'cut before the body': { kind: 'cut', at: 0 },
    'cut in the body': { kind: 'cut', at: 9 },
    'an empty yes': { kind: 'reply', status: 200, body: '' },
  }).map((script) => (script.name.startsWith('an empty') ? { ...script, endsHeld: true as const } : script)),
  ...at('before', { drip: { kind: 'drip', ms: 1 } }),
  ...at('before', statuses(400, 401, 402, 403, 404, 408, 425, 429, 303, 307, 500, 502, 503)),
  ...at('before', statuses(409)).map((script) => ({ ...script, only: 'transfer' as const })),
  ...at('after', statuses(408, 303, 500, 502, 503, 504)),
  {
    name: '503 three times',
    faults: [{ kind: 'reply', status: 503, when: 'after', times: 3 }],
    isLost: true,
  },
  ...afterTheLoss.map((status): FaultScript => {
    const endsHeld = ![401, 403, 429, 500].includes(status);
    return {
      name: `lost, then ${status}`,
      faults: [lost, { kind: 'reply', status, when: 'before' }],
      isLost: true,
      ...(status < 429 && { rejectsLater: true }),
      ...(status === 429 && { limitsLater: true }),
      ...(endsHeld && { endsHeld }),
    };
  }),
];
