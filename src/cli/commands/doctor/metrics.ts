import { readFile } from 'node:fs/promises';
import { Occupied, WholeFile } from '../../../machine/wholeFile.ts';
import { type Journal, type State, states } from '../../../once/journal/journal.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { inWords } from '../../say/inWords.ts';
import { diskTrouble } from '../../say/phrases.ts';
import { told } from '../../say/told.ts';
import { isJournalThere, openJournalOf, whileOpen } from '../openJournal.ts';
import { policiesAndSpellings } from '../policies.ts';
import { leftOf } from '../policy/run.ts';

/**
 * Writes the metrics file for a monitor. A value that cannot be read is left out, and the file then says that not all
 * is in order.
 */
export async function writeMetrics(
  path: string,
  inOrder: boolean,
  given: ParsedArgs,
  context: Context,
): Promise<void> {
  let metrics: Metrics = { ...nothing, inOrder, nowMs: context.clock.now() };
  try {
    if (await isJournalThere(given, context)) metrics = { ...metrics, ...(await asked(given, context)) };
  } catch (thrown) {
    context.display.step((await inWords(thrown)).message);
    metrics = { ...metrics, inOrder: false };
  }
  await write(path, metricsText(metrics));
}

const nothing = {
  intents: {},
  oldestUnsettledMs: undefined,
  lastAcceptedMs: undefined,
  policyLeft: [],
} satisfies Partial<Metrics>;

async function asked(given: ParsedArgs, context: Context): Promise<Omit<Metrics, 'inOrder' | 'nowMs'>> {
  return whileOpen(openJournalOf(given, context, 'look'), async (journal) => {
    return { ...(await journal.reads.overview()), policyLeft: await policyLeft(journal, given, context) };
  });
}

async function policyLeft(
  journal: Journal,
  given: ParsedArgs,
  context: Context,
): Promise<Metrics['policyLeft']> {
  const { policies, spellings } = await policiesAndSpellings(given, context);
  if (policies.length === 0) return [];
  const { left } = await leftOf(policies, spellings, journal);
  return left.map(({ asset, remaining }) => ({ asset, left: remaining }));
}

/** Written whole or not at all, because a collector may read it at any moment. Other users may read it. */
async function write(path: string, text: string): Promise<void> {
  let file: WholeFile | undefined;
  try {
    file = await WholeFile.begin(path, 0o644);
    const earlier = file.replaces ? await readFile(path, 'utf8') : '';
    if (earlier !== '' && !earlier.startsWith('# HELP botctl_')) throw new Occupied('other');
    await file.append(text);
    await file.place();
  } catch (error) {
    if (error instanceof Occupied)
      throw told('bad-file')`
        ${path} ${error.by === 'link' ? 'is a link' : 'is there already, and holds no metrics'}. It was left unchanged
        Name another file with --prometheus.`;
    throw told('machine-fault', { cause: error })`
      The metrics could not be written to ${path}: ${diskTrouble(error)}.
      Make its folder writable. An earlier file is unchanged.`;
  } finally {
    await file?.close();
  }
}

/** What a monitor wants to know about a journal, and whether all is in order. */
type Metrics = {
  readonly inOrder: boolean;
  readonly intents: Readonly<Partial<Record<State, number>>>;
  /** When the oldest intent that is open, sending, unknown or held began. */
  readonly oldestUnsettledMs: number | undefined;
  readonly lastAcceptedMs: number | undefined;
  /** How much of each asset the policies still allow, as a decimal. */
  readonly policyLeft: readonly { readonly asset: string; readonly left: string }[];
  readonly nowMs: number;
};

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number | string };

/** Prometheus's text format, in a file that its node exporter collects. */
export function metricsText(metrics: Metrics): string {
  const { inOrder, intents, oldestUnsettledMs, lastAcceptedMs, policyLeft, nowMs } = metrics;
  return [
    gauge('botctl_in_order', 'Whether every check of the doctor passed.', [{ value: inOrder ? 1 : 0 }]),
    gauge(
      'botctl_intents',
      'Entries in the journal, by state.',
      states.map((state) => ({ labels: { state }, value: intents[state] ?? 0 })),
    ),
    gauge(
      'botctl_oldest_unsettled_age_seconds',
      'Age of the oldest entry that is not settled; 0 if all are.',
      [{ value: oldestUnsettledMs === undefined ? 0 : Math.max(0, (nowMs - oldestUnsettledMs) / 1000) }],
    ),
    gauge(
      'botctl_last_accepted_timestamp_seconds',
      'When something was last accepted.',
      lastAcceptedMs === undefined ? [] : [{ value: lastAcceptedMs / 1000 }],
    ),
    gauge(
      'botctl_policy_left',
      'How much of an asset the policy still allows in these 24 hours.',
      policyLeft.map(({ asset, left }) => ({ labels: { asset }, value: left })),
    ),
    gauge('botctl_checked_timestamp_seconds', 'When this was written.', [{ value: nowMs / 1000 }]),
  ].join('');
}

/** A gauge without samples is left out. */
function gauge(name: string, about: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return '';
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelled(labels)} ${value}\n`);
  return `# HELP ${name} ${about}\n# TYPE ${name} gauge\n${lines.join('')}`;
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
