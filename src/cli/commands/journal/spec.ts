import type { BranchSpec } from '../../parse/command.ts';

export const journalSpec: BranchSpec = {
  name: 'journal',
  about: 'Look after the record of what was sent',
  children: [
    {
      name: 'accept-loss',
      does: 'changes',
      about: 'Continue with a journal that has lost entries',
      details:
        'A journal with less in it than was once committed is refused, because the same command would send again what is missing. If you can, restore journal.db, journal.db-wal and journal.db.mark together, as they last were. If you cannot, check the wallet and the conversations first: this command records what is missing, and from then on botctl knows nothing of it. Of a shared journal, it records what this machine misses and the server that the journal is on now.',
      options: [{ flags: '-y, --yes', about: 'do not ask for confirmation' }],
      examples: [
        { about: 'Shows what is missing, and asks', line: 'botctl journal accept-loss' },
        { about: 'In a script, after a look at the wallet', line: 'botctl journal accept-loss --yes' },
        {
          about: 'Of another journal',
          line: 'botctl journal accept-loss --journal /srv/bots/journal.db',
        },
      ],
      exits: [0, 1, 2, 130],
      load: async () => (await import('./run.ts')).acceptLossOf,
    },
    {
      name: 'copy',
      does: 'changes',
      about: 'Copy a journal in a file into the shared one',
      details:
        'Copies everything that the file knows into the journal that BOTCTL_JOURNAL or --journal names. The file is closed first: from then on it sends nothing more and can only be read. Refused while a process may be sending through it. What was interrupted goes on when it is run again, and nothing is there twice. The first file also brings its salt, so that tokens are known again: run it as the role that owns the tables. A second machine’s file is merged: the same key and body is one intent; the same key with another body is listed, and then nothing is copied; transfers in doubt are held for a person.',
      arguments: [{ usage: '<file>', about: 'the journal to be copied', completes: 'file' }],
      options: [{ flags: '-y, --yes', about: 'do not ask for confirmation' }],
      examples: [
        {
          about: 'The journal of this machine, into the one that BOTCTL_JOURNAL names',
          line: 'botctl journal copy ~/.local/share/botctl/journal.db',
        },
        {
          about: 'As the owner of the shared one',
          line: 'botctl journal copy ./journal.db --journal postgres://owner@db.example.com/bots',
        },
        { about: 'In a script', line: 'botctl journal copy ./journal.db --yes' },
      ],
      exits: [0, 1, 2, 6, 130],
      load: async () => (await import('./run.ts')).copy,
    },
    {
      name: 'backup',
      does: 'changes',
      about: 'Copy the journal into a new file, with its mark',
      details:
        'Safe while botctl runs: the copy is as the journal was at one moment, and botctl takes it for a whole one. It is for reading, and for the day the disk is gone: it knows nothing of what is sent after it. A shared journal is backed up with its server.',
      arguments: [{ usage: '<file>', about: 'the new file, which must not be there yet', completes: 'file' }],
      examples: [
        { about: 'Of your bots', line: 'botctl journal backup /mnt/backup/journal-2026-11-21.db' },
        {
          about: 'Of another journal',
          line: 'botctl journal backup ./copy.db --journal /srv/bots/journal.db',
        },
        { about: 'What is in a backup', line: 'botctl history --journal /mnt/backup/journal-2026-11-21.db' },
      ],
      exits: [0, 1, 2, 130],
      load: async () => (await import('./run.ts')).backup,
    },
    {
      name: 'accept-durability',
      does: 'changes',
      about: 'Use a shared journal whose server has fsync or full_page_writes off',
      details:
        'Such a server may lose what it has acknowledged when its machine stops, and the same command would send that again: so no command sends through it. Some disks and managed servers make up for it. Ask whoever runs the server, then record here that it is meant, as the role that owns the tables. It is kept with your name.',
      options: [{ flags: '-y, --yes', about: 'do not ask for confirmation' }],
      examples: [
        { about: 'Shows what is off, and asks', line: 'botctl journal accept-durability' },
        { about: 'In a script', line: 'botctl journal accept-durability --yes' },
        { about: 'What the server says of itself', line: 'botctl doctor' },
      ],
      exits: [0, 1, 2, 130],
      load: async () => (await import('./run.ts')).acceptDurability,
    },
    {
      name: 'migrate',
      does: 'changes',
      about: 'Make a shared journal, or bring it up to date',
      details:
        'Makes the tables of a shared journal in its schema (?schema= in the URL, else botctl), or changes them to what this botctl needs. Commands that send never do that: it takes the role that owns the database or the schema. Run again it changes nothing, and two at once are one. A journal in a file is brought up to date by the next command that sends.',
      examples: [
        {
          about: 'With the owner’s role; its password stands in ~/.pgpass',
          line: 'botctl journal migrate --journal postgres://owner@db.example.com/bots',
        },
        {
          about: 'In a schema of its own, where teams share a database',
          line: "botctl journal migrate --journal 'postgres://owner@db.example.com/bots?schema=payroll'",
        },
        { about: 'Of the journal that BOTCTL_JOURNAL names', line: 'botctl journal migrate' },
      ],
      exits: [0, 1, 2, 130],
      load: async () => (await import('./run.ts')).migrate,
    },
    {
      name: 'grants',
      does: 'changes',
      about: 'Print the SQL that gives a role what it needs of a shared journal',
      details:
        'Prints what the role that runs botctl needs and no more: it adds, changes what stands, and deletes nothing. With --read-only, what somebody needs who only looks (history, doctor). It is for the schema in the journal’s URL, or botctl. Nothing is connected to or changed: give the SQL to psql as the role that owns the tables, again after each migrate.',
      options: [
        {
          flags: '--role <name>',
          about: 'the role (default botctl_runner; with --read-only, botctl_auditor)',
        },
        { flags: '--read-only', about: 'only to look: without the salt, and nothing to change' },
      ],
      examples: [
        {
          about: 'Into psql',
          line: 'botctl journal grants --role bots --journal postgres://owner@db.example.com/bots | psql -h db.example.com -U owner bots',
        },
        { about: 'For an auditor', line: 'botctl journal grants --read-only' },
        { about: 'For a role of another name', line: 'botctl journal grants --role payroll_runner' },
      ],
      exits: [0, 1, 2, 130],
      load: async () => (await import('./run.ts')).grants,
    },
  ],
};
