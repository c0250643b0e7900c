import type { Kind } from '../../once/entry/wanted.ts';
import { failureWith } from '../../once/failures.ts';
import { diskTrouble } from '../../once/phrases.ts';
import { chainTrouble } from '../../sandbox/chain.ts';
import { type RunningSandbox, type SandboxSettings, startSandbox } from '../../sandbox/start.ts';

/** Starts the embedded service. An error becomes a `Failure`. */
export async function openSandbox(
  settings: SandboxSettings,
  advice = moveByVariable,
): Promise<RunningSandbox> {
  try {
    return await startSandbox(settings);
  } catch (cause) {
    throw failureWith('sandbox-unavailable', { cause })`The sandbox cannot start: ${diskTrouble(cause)}
      It needs ${settings.port === 0 ? 'a free port' : `port ${settings.port}`} and the folder ${settings.dataDir}; ${advice}`;
  }
}

/** Loads what a transfer needs. If that is missing, the command fails before anything is journaled. */
export function ensurePossibleInSandbox(kind: Kind): void {
  const trouble = kind === 'transfer' ? chainTrouble() : undefined;
  if (trouble !== undefined)
    throw failureWith('sandbox-unavailable', { cause: trouble })`${trouble.message}
      ${trouble.hint}`;
}

/** Advice for a service that runs inside another command. */
const moveByVariable = 'XDG_DATA_HOME moves it.';
