import type { Connection } from '../bot/connection.ts';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import type { ChainBefore } from '../engine/context.ts';
import { execute } from '../engine/execute.ts';
import type { Exit } from '../errors.ts';
import type { Order } from '../intent/order.ts';
import type { Wanted } from '../intent/wanted.ts';
import type { Journal } from '../journal/journal.ts';
import type { ChainWait } from './chainWait.ts';
import { consentFor, openBeforeSending } from './consent.ts';
import { openSession, type Session } from './session.ts';
import { tell } from './telling.ts';
import type { WaitOptions } from './waitOptions.ts';

/** Does one message or transfer once, and says how it ended. */
export async function doOnce(
  order: Order,
  given: Given,
  context: Context,
  wait?: WaitOptions,
): Promise<Exit> {
  const warnings = await warningsOf(order.wanted);
  for (const warning of warnings) context.display.warn(warning);
  if (given.flag('dry-run')) {
    const { dryRun } = await import('./dryRun.ts');
    return dryRun(order, warnings, given, context);
  }
  const failWithEarlier = async (thrown: unknown, journal?: Journal): Promise<never> => {
    const { withEarlierRun } = await import('./earlierRun.ts');
    throw await withEarlierRun(thrown, order, given, context, journal);
  };
  let waiting: ChainWait | undefined;
  const session = await openSession(given, context).catch((thrown: unknown) => failWithEarlier(thrown));
  try {
    const { engine, connection } = session;
    waiting = await openWait(order, session, given, context, wait);
    const proposes = order.wanted.kind === 'transfer' && given.flag('propose');
    // Of a proposal nothing leaves: a person is asked when it is resumed.
    const consent = proposes
      ? undefined
      : openBeforeSending(
          order.wanted.kind,
          afterNodes(connection, waiting),
          consentFor(order, engine.bot, given, context),
        );
    const chainBefore = (): ChainBefore | undefined => waiting?.before();
    const outcome = await execute(order, { ...engine, proposes, chainBefore }, consent).catch(
      (thrown: unknown) => failWithEarlier(thrown, engine.journal),
    );
    const chainEnd = await waiting?.end(outcome, engine.journal);
    return await tell(outcome, given, engine.journal, context, warnings, chainEnd);
  } finally {
    await waiting?.close();
    await session.close();
  }
}

async function warningsOf({ warnings }: Wanted): Promise<readonly string[]> {
  if (warnings.length === 0) return [];
  const { warningWords } = await import('../words/complaints.ts');
  return warnings.map(warningWords);
}

/** Nothing that could never be proven is sent where somebody waits for the proof. */
async function openWait(
  order: Order,
  { engine }: Session,
  given: Given,
  context: Context,
  options: WaitOptions | undefined,
): Promise<ChainWait | undefined> {
  if (options === undefined || order.wanted.kind !== 'transfer') return undefined;
  const { openChainWait } = await import('./chainWait.ts');
  return openChainWait(order.wanted.request.asset, engine.bot, given, context, options);
}

/** The nodes are asked before the service is. */
function afterNodes(connection: Connection, waiting: ChainWait | undefined): Connection {
  if (waiting === undefined) return connection;
  const reachOut = async (): Promise<void> => {
    await waiting.ready();
    await connection.reachOut();
  };
  return { ...connection, reachOut };
}
