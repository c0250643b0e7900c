import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { execute } from '../engine/execute.ts';
import type { Exit } from '../errors.ts';
import type { Order } from '../intent/order.ts';
import type { Journal } from '../journal/journal.ts';
import { consentFor, openBeforeSending } from './consent.ts';
import { openSession } from './session.ts';
import { tell } from './telling.ts';

/** Does one message or transfer once, and says how it ended. */
export async function doOnce(order: Order, given: Given, context: Context): Promise<Exit> {
  for (const warning of order.wanted.warnings) context.display.warn(warning);
  if (given.flag('dry-run')) {
    const { dryRun } = await import('./dryRun.ts');
    return dryRun(order, given, context);
  }
  const failWithEarlier = async (thrown: unknown, journal?: Journal): Promise<never> => {
    const { withEarlierRun } = await import('./earlierRun.ts');
    throw await withEarlierRun(thrown, order, given, context, journal);
  };
  const session = await openSession(given, context).catch((thrown: unknown) => failWithEarlier(thrown));
  try {
    const { engine, connection } = session;
    const consent = openBeforeSending(
      order.wanted.kind,
      connection,
      consentFor(order, engine.bot, given, context),
    );
    const outcome = await execute(order, engine, consent).catch((thrown: unknown) =>
      failWithEarlier(thrown, engine.journal),
    );
    return await tell(outcome, given, engine.journal, context, order.wanted.warnings);
  } finally {
    await session.close();
  }
}
