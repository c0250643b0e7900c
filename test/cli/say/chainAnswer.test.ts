import { expect, test } from 'vitest';
import { notDecided } from '../../../src/cli/say/chain.ts';
import type { ChainView } from '../../../src/once/chain/standing.ts';
import type { Intent } from '../../../src/once/journal/journal.ts';

test.each([
  ['no-signature', 'Looking again does not help.'],
  ['no-mint', 'Look again later:'],
] as const)('of an accepted transfer (%s): %s', (reason, says) => {
  const view: ChainView = { verdict: 'undecided', cluster: 'devnet', rpc: 'node', reasons: [reason] };
  const { details } = notDecided({ id: 'a1', state: 'accepted' } as Intent, view);
  expect(details.hint).toContain(says);
});
