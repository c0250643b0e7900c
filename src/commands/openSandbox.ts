import type { Kind } from '../intent/wanted.ts';
import { chainTrouble } from '../sandbox/chain.ts';
import { type RunningSandbox, type SandboxSettings, startSandbox } from '../sandbox/start.ts';
import { diskTrouble } from '../words/disk.ts';
import { cannotStart, moveByVariable, noTransfersHere } from '../words/sandbox.ts';

/** Starts the embedded service; why it cannot is an error with a name. */
export async function openSandbox(
  settings: SandboxSettings,
  advice = moveByVariable,
): Promise<RunningSandbox> {
  try {
    return await startSandbox(settings);
  } catch (cause) {
    throw cannotStart(diskTrouble(cause), settings, advice, cause);
  }
}

/** Loads what a transfer needs; where it is not there, that is told before anything is journaled. */
export function ensurePossibleInSandbox(kind: Kind): void {
  const trouble = kind === 'transfer' ? chainTrouble() : undefined;
  if (trouble !== undefined) throw noTransfersHere(trouble);
}
