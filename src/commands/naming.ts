import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { type Naming, namingFrom } from '../intent/naming.ts';

export function namingOf(given: Given, { env }: Context, payloadKey: string | undefined): Naming {
  return namingFrom({
    once: given.text('once'),
    run: given.text('run'),
    key: given.text('idempotency-key'),
    payloadKey,
    runFromEnv: env.BOTCTL_RUN,
  });
}
