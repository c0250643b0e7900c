import type { OptionSpec } from '../cli/spec.ts';

const group = 'Transfer';

export const waitOptionSpecs: readonly OptionSpec[] = [
  {
    flags: '--wait [until]',
    about: 'wait until finalized (or confirmed) on the chain',
    completes: ['finalized', 'confirmed'],
    group,
  },
  { flags: '--wait-timeout <duration>', about: 'how long to wait (default 2m)', group },
];
