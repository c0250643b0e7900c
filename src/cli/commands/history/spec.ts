import { states } from '../../../once/journal/journal.ts';
import type { LeafSpec } from '../../parse/command.ts';
import { momentRule } from '../../say/phrases.ts';

export const historySpec: LeafSpec = {
  name: 'history',
  group: 'Every day',
  does: 'looks',
  about: 'List messages and payments, or show one in full',
  arguments: [
    {
      usage: '[ids...]',
      about: 'entries: the ID, its first characters (at least 4), or a name',
      completes: 'intents',
    },
  ],
  options: [
    {
      flags: '-s, --state <state>',
      about: `only entries in this state: ${states.join(', ')}`,
      completes: states,
    },
    {
      flags: '--kind <kind>',
      about: 'only this kind: message or transfer',
      completes: ['message', 'transfer'],
    },
    { flags: '--name <start>', about: 'only names that start with this' },
    { flags: '--batch <name>', about: 'only the rows of this batch', completes: 'batches' },
    {
      flags: '-t, --to <address>',
      about: 'only payments to this address (or its start), or to @NAME',
      completes: 'recipients',
    },
    { flags: '--asset <asset>', about: 'only payments of this asset', completes: 'assets' },
    { flags: '--bot <name>', about: 'only entries of this bot', completes: 'profiles' },
    { flags: '--since <when>', about: `only entries begun since then: ${momentRule}` },
    { flags: '--until <when>', about: 'only entries begun by then; a day counts to its end' },
    { flags: '-n, --limit <n>', about: 'show this many at most, or all (default 20; --json: all)' },
    { flags: '--total', about: 'only the totals, by asset and state' },
    {
      flags: '--format <format>',
      about: 'export for the books, oldest first: csv or jsonl',
      completes: ['csv', 'jsonl'],
    },
    { flags: '--local', about: 'use local times and days instead of UTC' },
  ],
  examples: [
    { about: 'See every request and decision of one entry, and what to do', line: 'botctl history 3f9a' },
    {
      about: 'See what a payroll paid to one address',
      line: 'botctl history --total --batch payroll-2026-11 --to 9WzD',
    },
    {
      about: 'Export a month; exit 11 if something is not settled yet',
      line: 'botctl history --kind transfer --since 2026-11-01 --until 2026-11-30 --format csv > november.csv',
    },
  ],
  exits: [0, 1, 2, 8, 11],
  again: 'run again, or not settled',
  load: async () => (await import('./run.ts')).run,
};
