import type { OptionSpec } from '../cli/spec.ts';
import type { Exit } from '../errors.ts';

const group = 'Doing it once';

/** Taken by every command that does one thing. */
export const onceOptions: readonly OptionSpec[] = [
  { flags: '--once <name>', about: 'the name is the intent: this happens once, whatever the body', group },
  {
    flags: '--run <name>',
    about: 'every different command of this run happens once',
    env: 'BOTCTL_RUN',
    group,
  },
  { flags: '--idempotency-key <key>', about: 'use this key as it is', group },
  { flags: '--dry-run', about: 'show the exact request and whether it is a re-run; send nothing', group },
  { flags: '-y, --yes', about: 'ask nothing', group },
];

/** How doing one thing can end. */
export const exitsOfDoing: readonly Exit[] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130];
