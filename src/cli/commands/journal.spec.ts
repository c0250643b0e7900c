import { options } from '../parse/args.ts';
import { command } from '../parse/command.ts';

export const journalSpec = {
  group: 'Set-up',
  about: 'Back up, move or repair the record of what was sent',
  details: 'To share a journal, see docs/team.md.',
  children: {
    'accept-loss': command({
      does: 'changes',
      about: 'Continue with a journal that has lost entries',
      details:
        'botctl refuses a journal that has lost entries: the same command would send the missing ones again. If you can, put journal.db and journal.db-wal back as they last were. If not, check the wallet and the conversations first. Then botctl goes on without the missing entries: the same command sends them again.',
      options: options(['-y, --yes  do not ask for confirmation']),
      examples: { 'See what is missing, and decide': 'botctl journal accept-loss' },
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
    }),
    close: command({
      does: 'changes',
      about: 'Stop everything that sends through the journal',
      details:
        'From then on no command and no batch, on any machine that shares the journal, begins a request through it. What is in flight is still recorded, and replays and decisions go on. It is closed until journal open.',
      options: options(['--reason <text>  why; everybody who is stopped sees it']),
      examples: {
        'Stop all runners': 'botctl journal close --reason "the bot’s token leaked"',
      },
    }),
    open: command({
      does: 'changes',
      about: 'Allow sending through the journal again',
      details:
        'It ends what journal close began, without a question. Only the role that owns the schema opens a shared journal. A backup needs journal accept-loss instead. A journal that was moved stays closed.',
      examples: { 'Go on': 'botctl journal open' },
    }),
    migrate: command({
      does: 'changes',
      about: 'Create a shared journal, and print its grants',
      details:
        'You need the role that owns the database or the schema. The schema is botctl, or the one in the URL (?schema=). Run it again at any time: an existing journal stays as it is. It prints the SQL that gives the role botctl_runner what it needs to run botctl; that role can delete nothing. With --quiet it prints only that, for psql.\n\n--import copies the entries of a journal’s file, in one commit, into a journal that has none yet; the file then sends nothing more. It is refused while an entry of the file is unfinished, or a process may send through it.',
      options: options(['--import <file>  import a journal’s file']),
      examples: {
        'Use the owner’s role, whose password is in ~/.pgpass':
          'botctl journal migrate --journal postgres://owner@db.example.com/bots',
      },
    }),
  },
} as const;
