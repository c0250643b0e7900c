import { command, options } from '../../parse/command.ts';

export const journalSpec = {
  group: 'Set-up',
  about: 'Back up, move or repair the record of what was sent',
  details: 'To share a journal, see docs/team.md.',
  children: {
    'accept-loss': command({
      does: 'changes',
      about: 'Continue with a journal that has lost entries',
      details:
        'botctl refuses a journal that has lost entries: the same command would send the missing ones again. If you can, restore journal.db, journal.db-wal and journal.db.mark together, from the same moment. If not, check the wallet and the conversations first. Then botctl goes on without the missing entries: the same command sends them again.',
      options: options(['-y, --yes  do not ask for confirmation']),
      examples: { 'See what is missing, and decide': 'botctl journal accept-loss' },
      exits: [0, 1, 2, 8, 130],
    }),
    backup: command({
      does: 'changes',
      about: 'Copy the journal into a new file',
      details:
        'You can run it while botctl sends. The copy is for reading, and for the day the disk is lost; it does not know what you send later. Back up a shared journal with its server.',
      arguments: ['<file>  the new file; it must not exist yet'],
      examples: {
        'Back up the journal of your bots': 'botctl journal backup /mnt/backup/journal-2026-11-21.db',
      },
      exits: [0, 1, 2, 130],
    }),
    migrate: command({
      does: 'changes',
      about: 'Create a shared journal, or update its tables',
      details:
        'You need the role that owns the database or the schema. The schema is botctl, or the one in the URL (?schema=). Run it again at any time: it changes only what is missing. It prints the SQL that gives the role botctl_runner what it needs to run botctl; that role can delete nothing. With --quiet it prints only that, for psql.',
      examples: {
        'Use the owner’s role, whose password is in ~/.pgpass':
          'botctl journal migrate --journal postgres://owner@db.example.com/bots',
      },
      exits: [0, 1, 2, 8, 130],
    }),
  },
} as const;
