import { states } from '../../../once/journal/journal.ts';
import type { LeafSpec } from '../../parse/command.ts';
import { momentRule } from '../../say/phrases.ts';

export const historySpec: LeafSpec = {
  name: 'history',
  does: 'looks',
  about: 'List what was sent, newest first, or show one intent in full',
  arguments: [
    {
      usage: '[ids...]',
      about: 'intents: ids or keys, or their first characters (at least 4)',
      completes: 'intents',
    },
  ],
  options: [
    {
      flags: '-s, --state <state>',
      about: `only this state: ${states.join(', ')}`,
      completes: states,
    },
    {
      flags: '--kind <kind>',
      about: 'only this kind: message or transfer',
      completes: ['message', 'transfer'],
    },
    { flags: '--name <start>', about: 'only names that begin so' },
    { flags: '--batch <name>', about: 'only the rows of this batch', completes: 'batches' },
    {
      flags: '-t, --to <address>',
      about: 'only transfers to this address, or its first characters (at least 4), or @name',
      completes: 'recipients',
    },
    { flags: '--asset <asset>', about: 'only transfers of this asset' },
    { flags: '--bot <name>', about: 'only what this bot sent', completes: 'profiles' },
    { flags: '--since <when>', about: `only what began since then: ${momentRule}` },
    { flags: '--until <when>', about: 'only what began until then; a day counts whole' },
    { flags: '-n, --limit <n>', about: 'show at most this many, or all (default 20; with --json all)' },
    { flags: '--total', about: 'only the sums, per asset and state' },
    {
      flags: '--format <format>',
      about: 'for the books: csv or jsonl of all that happened, oldest first',
      completes: ['csv', 'jsonl'],
    },
    { flags: '--local', about: 'times, and days, of this machine’s time zone instead of UTC' },
  ],
  examples: [
    { about: 'Every attempt and decision of one intent, and what to do', line: 'botctl history 3f9a' },
    {
      about: 'What a payroll paid to one address',
      line: 'botctl history --total --batch payroll-2026-11 --to 9WzD',
    },
    {
      about: 'For the books; exit 11 where something of it is not settled',
      line: 'botctl history --kind transfer --since 2026-11-01 --until 2026-11-30 --format csv > november.csv',
    },
  ],
  exits: [0, 1, 2, 11],
  load: async () => (await import('./run.ts')).run,
};
