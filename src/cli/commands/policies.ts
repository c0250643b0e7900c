import { existsSync, realpathSync } from 'node:fs';
import { type Bot, sandboxBot } from '../../once/connection.ts';
import type { Journal } from '../../once/journal/journal.ts';
import type { Policies, Policy } from '../../once/policy/policy.ts';
import { settingsOfChoice } from '../bot/chooseBot.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { told } from '../say/told.ts';
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

/** All policies that apply to what is sent through this journal. */
export function policiesInForce(
  own: Policies | undefined,
  { name }: Pick<Bot, 'name'>,
  journal: Journal,
): Policies | undefined {
  if (own === undefined || name === sandboxBot) return undefined;
  refuseOtherJournal(own, journal);
  return own;
}

/** The same for a dry run, which may have no journal. */
export async function policiesForDryRun(
  bot: Pick<Bot, 'name' | 'settings'>,
  journal: Journal | undefined,
  context: Context,
): Promise<Policies | undefined> {
  const own = await policiesOf(bot, context);
  return journal === undefined ? own : policiesInForce(own, bot, journal);
}

/** A policy can be tied to one journal: spending through another would not count. */
function refuseOtherJournal(policies: Policies, journal: Pick<Journal, 'place' | 'id'>): void {
  for (const { source, journal: pinned } of policies)
    if (pinned !== undefined && pinned !== journal.id && !isSameFile(pinned, journal.place))
      throw told('policy-journal')`
        The policy ${source} allows only the journal ${pinned}, and this command uses ${journal.place}
        Another journal does not count what was spent before. Use the journal that the policy names:
        $ policy show`;
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}
