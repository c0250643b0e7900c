import { type Bot, sandboxBot } from '../../once/connection.ts';
import type { Policies, Policy } from '../../policy/policy.ts';
import type { App } from '../app.ts';
import { knownBot } from '../bot/chooseBot.ts';
import { readPath } from '../bot/settings.ts';
import { botInputs, botOptions } from './openBot.ts';
import { mayBeThere } from './openJournal.ts';

/**
 * The policies that apply to this bot: its profile's, the environment's and the machine's. The sandbox has none, because
 * its money is not real.
 */
export async function policiesOf(
  { name, settings }: Pick<Bot, 'name' | 'settings'>,
  { machinePolicy, env }: Pick<App, 'machinePolicy' | 'env'>,
): Promise<Policies | undefined> {
  if (name === sandboxBot) return undefined;
  const { BOTCTL_POLICY: given } = env;
  const named = [settings.policy, given === undefined ? given : readPath('BOTCTL_POLICY', given)].filter(
    (one) => one !== undefined,
  );
  if (named.length === 0 && !mayBeThere(machinePolicy)) return undefined;
  const { policyAt } = await import('../bot/policyFile.ts');
  const found: (Policy | undefined)[] = [...new Set(named)].map((path) => policyAt(path, 'is-refused'));
  if (!named.includes(machinePolicy)) found.push(policyAt(machinePolicy, 'is-fine'));
  const policies = found.filter((one) => one !== undefined);
  return policies.length === 0 ? undefined : policies;
}

/** The policies of the chosen bot and of the machine, and how profiles spell the assets. The token is not read. */
export async function policiesAndAssetNames(
  app: App,
): Promise<Pick<Bot, 'assetNames'> & { readonly policies: Policies }> {
  if (app.args.flag('sandbox')) return { policies: [] };
  const { settings = {}, assetNames } = (await knownBot(botOptions(app.args), botInputs(app))) ?? {};
  return { policies: (await policiesOf({ name: '', settings }, app)) ?? [], assetNames };
}
