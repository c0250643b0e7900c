import { command, options } from '../../parse/command.ts';

export const journalSpec = {
  group: 'Set-up',
  about: 'Back up, move or repair the record of what was sent',
  details: 'To share a journal: migrate, grants, then copy your own (docs/team.md).',
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
    copy: command({
      does: 'changes',
      about: 'Copy a journal file into the shared journal',
      details:
        'It copies the file into the journal that BOTCTL_JOURNAL or --journal names, and closes the file: from then on you can only read it. Stop every process that sends through the file first. You need the role that owns the tables. If the copy is interrupted, run it again; no entry is copied twice. You can copy the files of several machines.',
      arguments: [['<file>  the journal to copy', { completes: 'file' }]],
      options: options(['-y, --yes  do not ask for confirmation']),
      examples: {
        'Copy this machine’s journal into the one in BOTCTL_JOURNAL':
          'botctl journal copy ~/.local/share/botctl/journal.db',
      },
      exits: [0, 1, 2, 6, 8, 130],
    }),
    backup: command({
      does: 'changes',
      about: 'Copy the journal into a new file',
      details:
        'You can run it while botctl sends. The copy is for reading, and for the day the disk is lost; it does not know what you send later. Back up a shared journal with its server.',
      arguments: [['<file>  the new file; it must not exist yet', { completes: 'file' }]],
      examples: {
        'Back up the journal of your bots': 'botctl journal backup /mnt/backup/journal-2026-11-21.db',
      },
      exits: [0, 1, 2, 130],
    }),
    'accept-durability': command({
      does: 'changes',
      about: 'Use a server that has fsync or full_page_writes off',
      details:
        'Such a server can lose committed entries when its machine stops, and the same command would send them again. botctl therefore sends nothing through it. Some disks and managed servers are safe all the same: ask the people who run the server, then accept it here. You need the role that owns the tables. The journal keeps your name with it.',
      options: options(['-y, --yes  do not ask for confirmation']),
      examples: { 'See what is off, and decide': 'botctl journal accept-durability' },
      exits: [0, 1, 2, 8, 130],
    }),
    migrate: command({
      does: 'changes',
      about: 'Create a shared journal, or update its tables',
      details:
        'You need the role that owns the database or the schema. The schema is botctl, or the one in the URL (?schema=). Run it again at any time: it changes only what is missing.',
      examples: {
        'Use the owner’s role, whose password is in ~/.pgpass':
          'botctl journal migrate --journal postgres://owner@db.example.com/bots',
      },
      exits: [0, 1, 2, 8, 130],
    }),
    grants: command({
      does: 'changes',
      about: 'Print the SQL that lets a role use a shared journal',
      details:
        'The role gets only what it needs to run botctl; it can delete nothing. This command only prints: run the SQL with psql as the role that owns the tables, and again after each migrate. The schema is botctl, or the one in the journal’s URL.',
      options: options([
        '--role <name>  the role (default botctl_runner, or botctl_auditor with --read-only)',
        '--read-only  let it only read: history and doctor',
      ]),
      examples: {
        'Run the SQL with psql':
          'botctl journal grants --role bots --journal postgres://owner@db.example.com/bots | psql -h db.example.com -U owner bots',
      },
      exits: [0, 1, 2, 130],
    }),
  },
} as const;
