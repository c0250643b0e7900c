import { existsSync } from 'node:fs';
import { profilesPaths, readProfiles } from '../bot/readProfiles.ts';
import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { whoGetsWhat } from '../display/historyView.ts';
import { safeLine } from '../display/safeText.ts';
import { cutTo } from '../display/table.ts';
import { journalLocation } from './journalPath.ts';

type Candidate = { value: string; about: string };

const mostIntents = 30;
const aboutWidth = 60;

/** For a shell at a Tab: reads only, asks nothing, and where it cannot read there is nothing to offer. */
export const run: Run = async (given, context) => {
  for (const { value, about } of await candidates(given, context)) {
    await context.display.show({
      json: { schema: 'botctl/1', command: given.command, value, about },
      human: () => `${safeLine(value)}\t${safeLine(about)}\n`,
      quiet: value,
    });
  }
  return 0;
};

async function candidates(given: Given, context: Context): Promise<Candidate[]> {
  try {
    if (given.args[0] === 'profiles') return profiles(context);
    return given.args[0] === 'intents' ? await intents(given, context) : [];
  } catch {
    return [];
  }
}

function profiles({ env }: Context): Candidate[] {
  const file = readProfiles(profilesPaths(env));
  return Object.entries(file.profiles).map(([value, profile]) => ({ value, about: profile['base-url'] }));
}

async function intents(given: Given, context: Context): Promise<Candidate[]> {
  const location = await journalLocation(given, context);
  // Nobody who presses a Tab waits for a server.
  if (location.is === 'shared' || !existsSync(location.path)) return [];
  const { recentIntents } = await import('../journal/sqlite/lookOnly.ts');
  return recentIntents(location.path, mostIntents).map((intent) => ({
    value: intent.id,
    about: cutTo(
      `${intent.state}: ${intent.name === undefined ? '' : `[${intent.name}] `}${whoGetsWhat(intent)}`,
      aboutWidth,
    ),
  }));
}
