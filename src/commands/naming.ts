import type { Given } from '../cli/given.ts';
import type { OptionSpec } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { type Naming, namingFrom } from '../intent/naming.ts';

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

export function namingOf(given: Given, { env }: Context, payloadKey: string | undefined): Naming {
  return namingFrom({
    once: given.text('once'),
    run: given.text('run'),
    key: given.text('idempotency-key'),
    payloadKey,
    runFromEnv: env.BOTCTL_RUN,
  });
}
