import type { OptionSpec } from '../cli/spec.ts';

const group = 'Proof on chain';

export const waitOptionSpecs: readonly OptionSpec[] = [
  {
    flags: '--wait [until]',
    about: 'wait until the chain shows it: finalized, or confirmed',
    completes: ['finalized', 'confirmed'],
    group,
  },
  { flags: '--wait-timeout <duration>', about: 'how long to wait (default 2m)', group },
];
