import type { LeafSpec } from '../cli/spec.ts';
import { states } from '../journal/journal.ts';

export const historySpec: LeafSpec = {
  name: 'history',
  about: 'List what was sent, newest first, or show one intent in full',
  arguments: [
    {
      usage: '[id]',
      about: 'an intent’s id or key, or its first characters (at least 4)',
      completes: 'intents',
    },
  ],
  options: [
    {
      flags: '--state <state>',
      about: `only this state: ${states.join(', ')}`,
      completes: states,
    },
    {
      flags: '--kind <kind>',
      about: 'only this kind: message or transfer',
      completes: ['message', 'transfer'],
    },
    { flags: '--since <duration>', about: 'only what was started in the last 24h, 30m, …' },
    { flags: '--limit <n>', about: 'show at most this many (default 20)' },
  ],
  examples: [
    { about: 'What may have happened', line: 'botctl history --state unknown' },
    { about: 'Every attempt and decision of one intent', line: 'botctl history 3f9a' },
    {
      about: 'The signatures of today’s transfers',
      line: "botctl history --kind transfer --since 24h --limit 1000 --json | jq -r '.transfer.signature // empty'",
    },
  ],
  exits: [0, 1, 2],
  load: async () => (await import('./history.ts')).run,
};
