import type { OptionSpec } from '../cli/spec.ts';
import type { Exit } from '../errors.ts';

const group = 'Exactly once';

/** Taken by every command that does one thing. */
export const onceOptions: readonly OptionSpec[] = [
  { flags: '-o, --once <name>', about: 'name it: under one name it happens once', group },
  {
    flags: '--run <name>',
    about: 'within this run each command happens once',
    env: 'BOTCTL_RUN',
    group,
  },
  { flags: '--idempotency-key <key>', about: 'use exactly this key', group },
  { flags: '--dry-run', about: 'show the request and if it is a re-run; send nothing', group },
  { flags: '-y, --yes', about: 'do not ask for confirmation', group },
];

/** How doing one thing can end. */
export const exitsOfOnce: readonly Exit[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130];
