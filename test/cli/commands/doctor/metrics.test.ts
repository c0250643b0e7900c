import { expect, test } from 'vitest';
import { metricsText } from '../../../../src/cli/commands/doctor/metrics.ts';

test('are what Prometheus reads, with every state, and without what is not known', () => {
  const text = metricsText({
    inOrder: false,
    intents: { accepted: 7, held: 1 },
    oldestUnsettledMs: 1_000,
    lastAcceptedMs: undefined,
    policyLeft: [{ asset: 'a"\\\n', left: '1.5' }],
    nowMs: 61_500,
  });
  expect(text.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
    'botctl_in_order 0',
    'botctl_intents{state="open"} 0',
    'botctl_intents{state="sending"} 0',
    'botctl_intents{state="unknown"} 0',
    'botctl_intents{state="accepted"} 7',
    'botctl_intents{state="rejected"} 0',
    'botctl_intents{state="held"} 1',
    'botctl_intents{state="resolved"} 0',
    'botctl_oldest_unsettled_age_seconds 60.5',
    'botctl_policy_left{asset="a\\"\\\\\\n"} 1.5',
    'botctl_checked_timestamp_seconds 61.5',
    '',
  ]);
  expect(text.match(/^# TYPE \S+ gauge$/gmu)).toHaveLength(5);
});
