import { randomBytes } from 'node:crypto';
import type { Exit, Failure } from '../../../once/failures.ts';
import type { SourceFile } from '../../../once/journal/file/sourceFile.ts';
import type { AcceptedLoss } from '../../../once/journal/file/upkeep.ts';
import type { Address } from '../../../postgres/address.ts';
import type { Note, SharedLoss } from '../../../postgres/facts.ts';
import type { GrantedUse } from '../../../postgres/upkeep.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { lossSentence } from '../../say/journal.ts';
import { beforeAccepting, missingMayBeSent } from '../../say/open.ts';
import { counted, formatCount, isoExact } from '../../say/phrases.ts';
import { declined, nothingChanged, told } from '../../say/told.ts';
import {
  acceptedBefore,
  backedUp,
  copied,
  durabilityAccepted,
  grantsHead,
  hasLost,
  lossAccepted,
  lostNumbers,
  mayLose,
  migrated,
  missingNote,
  nothingToAccept,
  sharedLoss,
} from '../../say/upkeep.ts';
import type { View } from '../../show/display.ts';
import { remark } from '../../show/report.ts';
import { safeLine } from '../../show/text.ts';
import { journalFile, journalLocation, shownLocation, whoDecides, withServer } from '../openJournal.ts';

export async function acceptLossOf(given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const { display, clock } = context;
  const location = await journalLocation(given, context);
  if (location.is === 'shared') {
    return acceptSharedLoss(location.address, given, context, (lost) =>
      confirmed(questionOf(lost), given, context),
    );
  }
  const { path } = location;
  const { acceptLoss, findLoss } = await import('../../../once/journal/file/upkeep.ts');
  const loss = findLoss(path);
  if (loss === undefined) {
    await display.show({
      json: { schema: 'botctl/1', command: given.command, journal: path, accepted: false, lost: [] },
      human: ({ own }) =>
        `${own(`The journal ${safeLine(path)} has everything that it ever had. ${nothingChanged}`)}\n`,
    });
    return 0;
  }
  await confirmed(questionOf(lossSentence({ path, loss })), given, context);
  await display.show(acceptedView(given.command, path, acceptLoss(path, whoDecides(), clock.now())));
  return 0;
}

const questionOf = (lost: string) => ({
  warning: `${lost}. ${missingMayBeSent}. If you accept the loss, the same command may send it again.`,
  question: 'Accept the loss?',
  nobody: () => told('usage')`${lost}. There is no terminal for the question
    C${beforeAccepting.slice(1)}
    $ journal accept-loss --yes`,
});

function acceptedView(command: string, path: string, { rows, keptLog }: AcceptedLoss): View {
  const lost = rows.map(({ what, first, last }) => ({ what, first, last, count: last - first + 1 }));
  return {
    json: {
      schema: 'botctl/1',
      command,
      journal: path,
      accepted: true,
      lost,
      ...(keptLog === undefined ? {} : { kept_log: keptLog }),
    },
    human: ({ own }) =>
      [
        lossAccepted(safeLine(path)),
        ...lost.map(({ what, first, last, count }) => `  ${lostNumbers(what, count, first, last)}`),
        ...(keptLog === undefined ? [] : [`The old log is kept: ${safeLine(keptLog)}`]),
      ]
        .map((line) => `${own(line)}\n`)
        .join(''),
    quiet: String(lost.reduce((sum, { count }) => sum + count, 0)),
  };
}

type Confirm = (lost: string) => Promise<void>;

async function acceptSharedLoss(
  address: Address,
  given: ParsedArgs,
  context: Context,
  confirm: Confirm,
): Promise<Exit> {
  const rules = await import('../../../postgres/upkeep.ts');
  await withServer(address, given, context, async (shared) => {
    const { place } = shared;
    const found = await rules.findSharedLoss(shared);
    if (found === undefined) {
      await context.display.show({
        json: { schema: 'botctl/1', command: given.command, journal: place, accepted: false, missing: [] },
        human: ({ own }) =>
          `${own(`The journal ${safeLine(place)} has everything that it acknowledged to this machine. ${nothingChanged}`)}\n`,
      });
      return;
    }
    await confirm(hasLost(place, found.loss));
    await rules.acceptSharedLoss(shared, found, whoDecides());
    await context.display.show(acceptedSharedView(given.command, place, found.loss));
  });
  return 0;
}

function acceptedSharedView(command: string, place: string, loss: SharedLoss): View {
  const missing = loss.is === 'records' ? loss.missing : [];
  return {
    json: {
      schema: 'botctl/1',
      command,
      journal: place,
      accepted: true,
      missing: missing.map(missingJson),
    },
    human: ({ own }) =>
      [
        lossAccepted(safeLine(place)),
        `  ${sharedLoss(loss)}`,
        ...missing.map((note) => `  ${missingNote(note)}`),
      ]
        .map((line) => `${own(line)}\n`)
        .join(''),
    quiet: String(missing.length),
  };
}

function missingJson({ what, id, number }: Note): Readonly<Record<string, string | number>> {
  if (what === 'policy') return { policy: number };
  return { intent: id, [what]: what === 'attempt' ? number : isoExact(number) };
}

export async function acceptDurability(given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file')
    throw told('usage')`The journal ${location.path} is a file, and botctl itself keeps a file durable
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.`;
  const rules = await import('../../../postgres/upkeep.ts');
  await withServer(location.address, given, context, async (shared) => {
    const { place, server } = shared;
    const off = rules.settingsOff(server);
    const isAccepted = await rules.isDurabilityAccepted(shared);
    if (!isAccepted && off.length > 0) {
      const lost = mayLose(place, off);
      const nobody = () => told('usage')`${lost}. There is no terminal for the question
        Ask the server’s administrator whether this is intended, and whether its disk is safe without it. Then run:
        $ journal accept-durability --yes`;
      const question = {
        warning: `${lost}. What it loses may have been sent, and the same command would send it again.`,
        question: 'Is this intended, and is its disk safe without it?',
        nobody,
      };
      await confirmed(question, given, context);
      await rules.acceptDurability(shared, whoDecides());
    }
    const says = isAccepted ? acceptedBefore : off.length === 0 ? nothingToAccept : durabilityAccepted;
    await context.display.show({
      json: {
        schema: 'botctl/1',
        command: given.command,
        journal: place,
        off,
        accepted: isAccepted || off.length > 0,
      },
      human: ({ own }) => `${own(says(safeLine(place), off))}\n`,
      quiet: off.join(' '),
    });
  });
  return 0;
}

type ConfirmQuestion = {
  /** The consequence, shown before the question. */
  readonly warning: string;
  readonly question: string;
  /** The failure if nobody can be asked. */
  readonly nobody: () => Failure;
};

/** Goes on only with --yes, or if a person agrees. */
async function confirmed(
  { warning, question, nobody }: ConfirmQuestion,
  given: ParsedArgs<'yes'>,
  { display }: Pick<Context, 'display'>,
): Promise<void> {
  if (given.flag('yes')) return;
  if (display.terminal() === 'none') throw nobody();
  if (!(await display.confirm((canvas) => `${remark(warning, canvas)}${question}`))) throw declined();
}

export async function backup(given: ParsedArgs, context: Context): Promise<Exit> {
  const { display } = context;
  const [named = ''] = given.args;
  const location = await journalLocation(given, context);
  if (location.is === 'shared')
    throw told('usage')`The journal ${await shownLocation(location)} is on a server and is backed up with it
      Use the server’s own backups (pg_basebackup, or pg_dump of its schema).`;
  const target = journalFile(named, 'FILE', context.env);
  const { backUp } = await import('../../../once/journal/file/upkeep.ts');
  const { intents, attempts } = await display.waiting('Copying the journal', backUp(location.path, target));
  await display.show({
    json: {
      schema: 'botctl/1',
      command: given.command,
      journal: location.path,
      backup: target,
      intents,
      attempts,
    },
    human: ({ own }) => `${own(backedUp(safeLine(target), intents, attempts))}\n`,
    quiet: target,
  });
  return 0;
}

export async function copy(given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const [file = ''] = given.args;
  const location = await journalLocation(given, context);
  if (location.is === 'file')
    throw told('usage')`
      The journal ${location.path} is a file, but journal copy needs a shared journal to copy into
      Name the shared one, with BOTCTL_JOURNAL or --journal and a postgres:// URL. To copy a file into another file, use journal backup.`;
  const { SourceFile } = await import('../../../once/journal/file/sourceFile.ts');
  const source = SourceFile.open(journalFile(file, 'FILE', context.env));
  try {
    const { openTarget } = await import('../../../postgres/copy.ts');
    await withServer(location.address, given, context, async (shared) => {
      const { place } = shared;
      const target = await openTarget(shared);
      try {
        const end = await copyFrom({ source, place, ...target }, given, context);
        await context.display.show({
          json: { schema: 'botctl/1', command: given.command, from: source.path, to: place, ...end },
          human: ({ own }) =>
            copied(safeLine(source.path), safeLine(place), end)
              .map((line) => `${own(line)}\n`)
              .join(''),
          quiet: String(end.added),
        });
      } finally {
        await target.end();
      }
    });
    return 0;
  } finally {
    source.close();
  }
}

type Target = Awaited<ReturnType<typeof import('../../../postgres/copy.ts').openTarget>>;

async function copyFrom(
  {
    source,
    place,
    target,
    leaseMs,
    journalId,
    salt,
  }: Omit<Target, 'end'> & { source: SourceFile; place: string },
  given: ParsedArgs<'yes'>,
  { display, clock, interrupts, doing }: Context,
) {
  const { copyIntoShared } = await import('../../../postgres/copy.ts');
  const all = source.intents;
  const warning = `${counted(all, 'entry', 'entries')} of ${source.path} will be copied into ${place}. After that, ${source.path} sends nothing more and can only be read.`;
  const nobody = () => told('usage')`${warning} There is no terminal for the question
    To do that, run:
    $ journal copy ${source.path} --yes`;
  let done = 0;
  let stopMeter = (): void => {};
  const copying = copyIntoShared({
    ...{ source, target, leaseMs },
    moved: { place, journal: journalId, who: whoDecides(), atMs: clock.now() },
    isSameSalt: Buffer.from(source.salt).equals(salt),
    interrupted: interrupts.first,
    confirm: async () => {
      await confirmed({ warning, question: 'Copy it?', nobody }, given, { display });
      doing.hasChanged = true;
    },
    onPage: (pageDone) => {
      if (done === 0)
        stopMeter = display.meter(() => ({
          share: done / all,
          text: `${formatCount(done)} of ${counted(all, 'entry', 'entries')} copied`,
        }));
      doing.hasChanged = true;
      done = pageDone;
    },
  });
  try {
    const { added, known } = await copying;
    return { added, known };
  } finally {
    stopMeter();
  }
}

/** Without a named journal, the schema of a URL that names none. */
async function schemaOf(given: ParsedArgs, context: Context): Promise<string> {
  const location = await journalLocation(given, context);
  if (location.is === 'shared') return location.address.schema;
  const isNamed = given.text('journal') !== undefined || (context.env.BOTCTL_JOURNAL ?? '') !== '';
  if (isNamed)
    throw told('usage')`The journal ${location.path} is a file, and a file needs no grants
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL: the SQL contains its schema.`;
  const { defaultSchema } = await import('../../../postgres/address.ts');
  return defaultSchema;
}

const usualRoles: Readonly<Record<GrantedUse, string>> = { run: 'botctl_runner', look: 'botctl_auditor' };

/** On one line, so that psql can take it too: a comment would swallow everything after it. */
function statementsOf(sql: string): string {
  return sql
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('--'))
    .join(' ');
}

export async function grants(given: ParsedArgs<'read-only' | 'role'>, context: Context): Promise<Exit> {
  const use = given.flag('read-only') ? 'look' : 'run';
  const role = given.text('role') ?? usualRoles[use];
  const { grantsSql, refuseRole } = await import('../../../postgres/upkeep.ts');
  refuseRole(role);
  const head = grantsHead(use).map((line) => `-- ${line}\n`);
  const sql = `${head.join('')}${grantsSql(await schemaOf(given, context), role, use)}`;
  await context.display.show({
    json: { schema: 'botctl/1', command: given.command, role, read_only: use === 'look', sql },
    human: () => sql,
    quiet: statementsOf(sql),
  });
  return 0;
}

export async function migrate(given: ParsedArgs, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file')
    throw told('usage')`
      The journal ${location.path} is a file, and every command that sends keeps a file up to date
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.`;
  const { migrateJournal } = await import('../../../postgres/upkeep.ts');
  const view = await withServer(location.address, given, context, async (shared) => {
    const { from, to } = await migrateJournal(shared, randomBytes);
    return migratedView(given.command, shared.place, from, to);
  });
  await context.display.show(view);
  return 0;
}

function migratedView(command: string, place: string, from: number, to: number): View {
  return {
    json: { schema: 'botctl/1', command, journal: place, from, to },
    human: ({ own }) => `${own(migrated(safeLine(place), from, to))}\n`,
    quiet: String(to),
  };
}
