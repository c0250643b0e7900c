import { existsSync, realpathSync } from 'node:fs';
import { type Bot, sandboxBot } from '../../once/connection.ts';
import type { Policies, Policy } from '../../once/policy/policy.ts';
import { settingsOfChoice } from '../bot/chooseBot.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { botOptions } from './openBot.ts';

/**
 * The policies that apply to this bot: its profile's and the machine's. The sandbox has none, because its money is not
 * real.
 */
export async function policiesOf(
  { name, settings }: Pick<Bot, 'name' | 'settings'>,
  { machinePolicy }: Pick<Context, 'machinePolicy'>,
): Promise<Policies | undefined> {
  if (name === sandboxBot) return undefined;
  const { policy: own } = settings;
  if (own === undefined && !mayExist(machinePolicy)) return undefined;
  const { policyAt } = await import('../bot/policyFile.ts');
  const found: (Policy | undefined)[] = [
    own === undefined ? undefined : policyAt(own, 'is-refused'),
    own === machinePolicy ? undefined : policyAt(machinePolicy, 'is-fine'),
  ];
  const policies = found.filter((one) => one !== undefined);
  return policies.length === 0 ? undefined : policies;
}

/** The policies of the chosen bot and of the machine. The bot's token is not read. */
export async function policiesOfCommand(given: ParsedArgs, context: Context): Promise<Policies> {
  return (await policiesAndSpellings(given, context)).policies;
}

/** The same, and how the user's profiles spell the assets. */
export async function policiesAndSpellings(
  given: ParsedArgs,
  context: Context,
): Promise<Pick<Bot, 'spellings'> & { readonly policies: Policies }> {
  if (given.flag('sandbox')) return { policies: [] };
  const { settings, spellings } = await settingsOfChoice(botOptions(given), context);
  return { policies: (await policiesOf({ name: '', settings }, context)) ?? [], spellings };
}

/** Whether the path exists. If that cannot be checked, it may. */
function mayExist(path: string): boolean {
  if (existsSync(path)) return true;
  try {
    realpathSync(path);
    return true;
  } catch (error) {
    return !(
      error instanceof Error &&
      'code' in error &&
      (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    );
  }
}
