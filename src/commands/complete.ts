import { existsSync } from 'node:fs';
import { settingsOfChoice } from '../bot/chooseBot.ts';
import { profilesPaths, readProfiles } from '../bot/readProfiles.ts';
import { type Choice, nextWord } from '../cli/completion/nextWord.ts';
import { Given } from '../cli/given.ts';
import { globalOptions } from '../cli/globalOptions.ts';
import type { CommandSpec, Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { whoGetsWhat } from '../display/historyView.ts';
import { safeLine } from '../display/safeText.ts';
import { cutTo } from '../display/table.ts';
import { journalLocation } from './journalPath.ts';
import { botOptions } from './openBot.ts';
import { policiesOf } from './policies.ts';

const mostLookedUp = 30;
const aboutWidth = 60;

/** For a shell at a Tab: reads only, asks nothing, and where it cannot read there is nothing to offer. */
export function runFor(tree: readonly CommandSpec[]): Run {
  return async ({ command, args }, context) => {
    const { begun, before, among, occurrences } = nextWord(tree, args);
    const line = new Given(command, [], occurrences, globalNames);
    const known = typeof among === 'string' ? await lookedUp(among, line, context) : among;
    const fitting = known.filter(({ value }) => value.startsWith(begun) || value.startsWith(':'));
    for (const { value, about } of fitting) {
      const whole = value.startsWith(':') ? value : `${before}${value}`;
      await context.display.show({
        json: { schema: 'botctl/1', command, value: whole, about },
        human: () => `${safeLine(whole)}\t${safeLine(about)}\n`,
        quiet: whole,
      });
    }
    return 0;
  };
}

const globalNames = new Set(globalOptions.flatMap(({ flags }) => /--([a-z-]+)/u.exec(flags)?.[1] ?? []));

type Look = (line: Given, context: Context) => Promise<readonly Choice[]>;

const looks: Readonly<Record<'file' | 'folder' | 'profiles' | 'intents' | 'batches' | 'recipients', Look>> = {
  // Shells list files better than we would.
  file: async () => [{ value: ':file', about: '' }],
  folder: async () => [{ value: ':folder', about: '' }],
  profiles,
  intents,
  batches,
  recipients,
};

async function lookedUp(what: keyof typeof looks, line: Given, context: Context): Promise<readonly Choice[]> {
  try {
    return await looks[what](line, context);
  } catch {
    return [];
  }
}

async function profiles(_line: Given, { env }: Context): Promise<Choice[]> {
  const file = readProfiles(profilesPaths(env));
  return Object.entries(file.profiles).map(([value, profile]) => ({ value, about: profile['base-url'] }));
}

async function intents(line: Given, context: Context): Promise<Choice[]> {
  const path = await journalFile(line, context);
  if (path === undefined) return [];
  const { recentIntents } = await import('../journal/sqlite/lookOnly.ts');
  return recentIntents(path, mostLookedUp).map((intent) => ({
    value: intent.id,
    about: cutTo(
      `${intent.state}: ${intent.name === undefined ? '' : `[${intent.name}] `}${whoGetsWhat(intent)}`,
      aboutWidth,
    ),
  }));
}

async function batches(line: Given, context: Context): Promise<Choice[]> {
  const path = await journalFile(line, context);
  if (path === undefined) return [];
  const { latestBatches } = await import('../journal/sqlite/lookOnly.ts');
  return latestBatches(path, mostLookedUp).map((value) => ({ value, about: '' }));
}

async function recipients(line: Given, context: Context): Promise<Choice[]> {
  if (line.flag('sandbox')) return [];
  const settings = await settingsOfChoice(botOptions(line), context);
  const policies = (await policiesOf({ name: '', settings }, context)) ?? [];
  return policies
    .flatMap((policy) => [...policy.recipients])
    .map(([name, address]) => ({ value: `@${name}`, about: address }));
}

/** Nobody who presses Tab waits for a server. */
async function journalFile(line: Given, context: Context): Promise<string | undefined> {
  const location = await journalLocation(line, context);
  return location.is === 'file' && existsSync(location.path) ? location.path : undefined;
}
