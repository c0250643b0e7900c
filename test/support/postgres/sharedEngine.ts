import { afterEach } from 'vitest';
import type { EngineContext } from '../../../src/once/engine/context.ts';
import type { Journal } from '../../../src/once/journal/journal.ts';
import { ScriptedEngine } from '../scriptedEngine.ts';

/** Scripted flights for engines on shared journals. */
export function scriptedEngines(): () => ScriptedEngine {
  const made: ScriptedEngine[] = [];
  afterEach(() => {
    for (const one of made.splice(0)) one.remove();
  });
  return () => {
    const scripted = new ScriptedEngine();
    made.push(scripted);
    return scripted;
  };
}

/** An engine on that journal. It uses the journal's clock, and sleeps are short. */
export function onShared(journal: Journal): Pick<EngineContext, 'journal' | 'clock'> {
  return { journal, clock: { now: journal.clock.now, sleep: shortSleep } };
}

export const shortSleep = (waitMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(waitMs, 5)));
