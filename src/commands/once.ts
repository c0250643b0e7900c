import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { Asked } from '../engine/doing.ts';
import { execute } from '../engine/execute.ts';
import type { Exit } from '../errors.ts';
import { consentFor, readyConsent } from './consent.ts';
import { openSession } from './session.ts';
import { tell } from './telling.ts';

/** Does one message or transfer once, and says how it ended. */
export async function doOnce(asked: Asked, given: Given, context: Context): Promise<Exit> {
  for (const warning of asked.wanted.warnings) context.display.warn(warning);
  if (given.flag('dry-run')) {
    const { dryRun } = await import('./dryRun.ts');
    return dryRun(asked, given, context);
  }
  const session = await openSession(given, context);
  try {
    const { doing } = session;
    const consent = readyConsent(session, consentFor(asked, doing.speaking, given, context));
    const ended = await execute(asked, doing, consent);
    return await tell(ended, given.command, doing.journal, context, asked.wanted.warnings);
  } finally {
    await session.close();
  }
}
