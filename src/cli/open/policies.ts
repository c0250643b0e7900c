import { sandboxBot } from '../../once/connection.ts';
import type { Policies, Policy } from '../../policy/policy.ts';
import type { KnownBot } from '../bot/chooseBot.ts';
import { readPath } from '../bot/settings.ts';
import { mayBeThere } from './journal.ts';
import type { Opening } from './process.ts';

/** The policies of the bot's profile, the environment and the machine. None applies to the sandbox's play money. */
export async function policiesOf(
  bot: KnownBot | undefined,
  { machinePolicy, env }: Opening,
): Promise<Policies | undefined> {
  if (bot?.name === sandboxBot) return undefined;
  const { BOTCTL_POLICY: fromEnv } = env;
  const named = [
    bot?.settings.policy,
    fromEnv === undefined ? fromEnv : readPath('BOTCTL_POLICY', fromEnv),
  ].filter((one) => one !== undefined);
  if (named.length === 0 && !mayBeThere(machinePolicy)) return undefined;
  const { policyAt } = await import('../bot/policyFile.ts');
  const loaded: (Policy | undefined)[] = [...new Set(named)].map((path) => policyAt(path, 'is-refused'));
  if (!named.includes(machinePolicy)) loaded.push(policyAt(machinePolicy, 'is-fine'));
  const policies = loaded.filter((one) => one !== undefined);
  return policies.length === 0 ? undefined : policies;
}
