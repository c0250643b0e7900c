import { type State, states } from '../journal/journal.ts';

/** What a monitor asks of a journal, and whether all is in order. */
export type Metrics = {
  readonly inOrder: boolean;
  readonly intents: Readonly<Partial<Record<State, number>>>;
  /** When the oldest of what is open, being sent, unknown or held began. */
  readonly oldestUnsettledMs: number | undefined;
  readonly lastAcceptedMs: number | undefined;
  /** What a policy still lets go of each asset, as a decimal. */
  readonly policyLeft: readonly { readonly asset: string; readonly left: string }[];
  readonly nowMs: number;
};

type Sample = { readonly labels?: Readonly<Record<string, string>>; readonly value: number | string };

/** The text format of Prometheus, for a file that its node exporter collects. */
export function metricsText(metrics: Metrics): string {
  const { inOrder, intents, oldestUnsettledMs, lastAcceptedMs, policyLeft, nowMs } = metrics;
  return [
    gauge('botctl_in_order', 'Whether every check of the doctor passed.', [{ value: inOrder ? 1 : 0 }]),
    gauge(
      'botctl_intents',
      'Intents in the journal, by state.',
      states.map((state) => ({ labels: { state }, value: intents[state] ?? 0 })),
    ),
    gauge(
      'botctl_oldest_unsettled_age_seconds',
      'Age of the oldest intent that is not settled; 0 where all are.',
      [{ value: oldestUnsettledMs === undefined ? 0 : Math.max(0, (nowMs - oldestUnsettledMs) / 1000) }],
    ),
    gauge(
      'botctl_last_accepted_timestamp_seconds',
      'When something was last accepted.',
      lastAcceptedMs === undefined ? [] : [{ value: lastAcceptedMs / 1000 }],
    ),
    gauge(
      'botctl_policy_left',
      'What the policy still lets go of an asset in these 24 hours.',
      policyLeft.map(({ asset, left }) => ({ labels: { asset }, value: left })),
    ),
    gauge('botctl_checked_timestamp_seconds', 'When this was written.', [{ value: nowMs / 1000 }]),
  ].join('');
}

/** Without a sample it is not there at all. */
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
