import { randomUUID } from 'node:crypto';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Given } from '../cli/given.ts';
import type { Context } from '../context.ts';
import { type Metrics, metricsText } from '../doctor/metrics.ts';
import { amountOf } from '../intent/units.ts';
import type { Journal } from '../journal/journal.ts';
import { limitsOf, type Policies } from '../policy/policy.ts';
import { oldestHour, spentWithin } from '../policy/window.ts';
import { diskTrouble } from '../words/disk.ts';
import { inWords } from '../words/inWords.ts';
import { metricsNotWritten } from '../words/metrics.ts';
import { isJournalThere, openJournalOf } from './journalPath.ts';
import { policiesOfCommand } from './policies.ts';

/** Writes what a monitor collects. What cannot be asked is not in it, and then nothing is in order. */
export async function writeMetrics(
  path: string,
  inOrder: boolean,
  given: Given,
  context: Context,
): Promise<void> {
  let metrics: Metrics = { ...nothing, inOrder, nowMs: context.clock.now() };
  try {
    if (await isJournalThere(given, context)) metrics = { ...metrics, ...(await asked(given, context)) };
  } catch (thrown) {
    context.display.step((await inWords(thrown)).message);
    metrics = { ...metrics, inOrder: false };
  }
  await writeWhole(path, metricsText(metrics));
}

const nothing = {
  intents: {},
  oldestUnsettledMs: undefined,
  lastAcceptedMs: undefined,
  policyLeft: [],
} satisfies Partial<Metrics>;

async function asked(given: Given, context: Context): Promise<Omit<Metrics, 'inOrder' | 'nowMs'>> {
  const journal = await openJournalOf(given, context, 'look');
  try {
    return { ...(await journal.reads.overview()), policyLeft: await policyLeft(journal, given, context) };
  } finally {
    await journal.close();
  }
}

async function policyLeft(journal: Journal, given: Given, context: Context): Promise<Metrics['policyLeft']> {
  const policies = await policiesOfCommand(given, context);
  // A shared journal that has no policy counts nothing: nobody can say what is left.
  if (policies.length === 0 || (journal.isShared && (await journal.policy()) === undefined)) return [];
  const nowMs = journal.clock.now();
  const left: { asset: string; left: string }[] = [];
  for (const asset of new Set(policies.flatMap(({ limits }) => [...limits.keys()]))) {
    const limit = limitADay(policies, asset);
    if (limit === undefined) continue;
    const scope = { asset, recipient: undefined, sinceHour: oldestHour(nowMs) };
    const spent = spentWithin((await journal.reads.spending(scope)).total, nowMs);
    left.push({ asset, left: amountOf(spent > limit ? 0n : limit - spent) });
  }
  return left;
}

/** The stricter wins. */
function limitADay(policies: Policies, asset: string): bigint | undefined {
  return limitsOf(policies, asset).reduce<bigint | undefined>(
    (least, { day }) => (day !== undefined && (least === undefined || day < least) ? day : least),
    undefined,
  );
}

/** Whole or not at all: whoever collects it may look at any moment. Others than this user collect it. */
async function writeWhole(path: string, text: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomUUID().slice(0, 8)}`);
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await chmod(draft, 0o644);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw metricsNotWritten(path, diskTrouble(error), error);
  }
}
