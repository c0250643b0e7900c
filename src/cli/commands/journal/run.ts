import { randomBytes } from 'node:crypto';
import type { Exit, Failure } from '../../../once/failures.ts';
import type { SourceFile } from '../../../once/journal/file/sourceFile.ts';
import type { Address } from '../../../postgres/address.ts';
import type { Note } from '../../../postgres/facts.ts';
import type { Context, ParsedArgs } from '../../parse/command.ts';
import { lossSentence } from '../../say/journal.ts';
import { beforeAccepting, missingMayBeSent } from '../../say/open.ts';
import { counted, formatCount, isoExact, listed, nounsOf } from '../../say/phrases.ts';
import { declined, nothingChanged, told } from '../../say/told.ts';
import { hasLost, sharedLoss } from '../../say/upkeep.ts';
import { remark } from '../../show/report.ts';
import { result } from '../../show/result.ts';
import { safeLine } from '../../show/text.ts';
import { journalFile, journalLocation, shownLocation, whoDecides, withServer } from '../openJournal.ts';

export async function migrate(given: ParsedArgs, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file')
    throw told('usage')`
      The journal ${location.path} is a file, and every command that sends keeps a file up to date
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.`;
  const { migrateJournal } = await import('../../../postgres/upkeep.ts');
  const view = await withServer(location.address, given, context, async (shared) => {
    const { from, to } = await migrateJournal(shared, randomBytes);
    const journal = safeLine(shared.place);
    const says =
      from === 0
        ? `The journal ${journal} was created (version ${to}).`
        : from < to
          ? `The journal ${journal} was updated from version ${from} to ${to}.`
          : `The journal ${journal} is up to date (version ${to}). ${nothingChanged}`;
    return result(given.command, { journal: shared.place, from, to }, [says], String(to));
  });
  await context.display.show(view);
  return 0;
}

const usualRoles = { run: 'botctl_runner', look: 'botctl_auditor' } as const;

export async function grants(given: ParsedArgs<'read-only' | 'role'>, context: Context): Promise<Exit> {
  const use = given.flag('read-only') ? 'look' : 'run';
  const role = given.text('role') ?? usualRoles[use];
  const { grantsSql, refuseRole } = await import('../../../postgres/upkeep.ts');
  refuseRole(role);
  const whom =
    use === 'run'
      ? 'that runs botctl: it adds to the journal, updates entries and deletes nothing.'
      : 'that only reads: it reads everything except the salt and changes nothing.';
  const statements = grantsSql(await schemaOf(given, context), role, use);
  const sql = `-- For a role ${whom}
-- Run it as the owner of the tables, and again after each journal migrate. The role must already exist.
${statements}`;
  await context.display.show({
    json: { schema: 'botctl/1', command: given.command, role, read_only: use === 'look', sql },
    human: () => sql,
    // On one line, so that psql can take it too: a comment would swallow everything after it.
    quiet: statements.trimEnd().replaceAll('\n', ' '),
  });
  return 0;
}

/** Without a named journal, the schema of a URL that names none. */
async function schemaOf(given: ParsedArgs, context: Context): Promise<string> {
  const location = await journalLocation(given, context);
  if (location.is === 'shared') return location.address.schema;
  if (given.text('journal') !== undefined || (context.env.BOTCTL_JOURNAL ?? '') !== '')
    throw told('usage')`The journal ${location.path} is a file, and a file needs no grants
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL: the SQL contains its schema.`;
  return (await import('../../../postgres/address.ts')).defaultSchema;
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
  const held = await display.waiting('Copying the journal', backUp(location.path, target));
  const fields = { journal: location.path, backup: target, intents: held.intents, attempts: held.attempts };
  const path = safeLine(target);
  const holds = `${counted(held.intents, 'entry', 'entries')}, ${counted(held.attempts, 'request')}`;
  const says = `${path} is a copy of the journal as it is now (${holds}). Keep it together with ${path}.mark.`;
  await display.show(result(given.command, fields, [says], target));
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
        const { added, known } = await copyInto(target, place, source, given, context);
        const lines = [
          `${safeLine(source.path)} was copied into ${safeLine(place)}, and no longer sends anything itself.`,
          `  ${counted(added, 'entry', 'entries')} added`,
          ...(known === 0 ? [] : [`  ${counted(known, 'entry', 'entries')} there already`]),
        ];
        const fields = { from: source.path, to: place, added, known };
        await context.display.show(result(given.command, fields, lines, String(added)));
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

async function copyInto(
  { target, journalId, salt }: Target,
  place: string,
  source: SourceFile,
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
    ...{ source, target },
    moved: { place, journal: journalId, who: whoDecides(), atMs: clock.now() },
    isSameSalt: Buffer.from(source.salt).equals(salt),
    interrupted: interrupts.first,
    confirm: async () => {
      await confirmed(warning, 'Copy it?', nobody, given, { display });
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
    return await copying;
  } finally {
    stopMeter();
  }
}

/** Continues only with --yes, or when a person agrees who sees the consequence. Throws `nobody` if nobody can be asked. */
async function confirmed(
  warning: string,
  question: string,
  nobody: () => Failure,
  given: ParsedArgs<'yes'>,
  { display }: Pick<Context, 'display'>,
): Promise<void> {
  if (given.flag('yes')) return;
  if (display.terminal() === 'none') throw nobody();
  if (!(await display.confirm((canvas) => `${remark(warning, canvas)}${question}`))) throw declined();
}

export async function acceptLossOf(given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const { display, clock } = context;
  const location = await journalLocation(given, context);
  if (location.is === 'shared') return acceptSharedLoss(location.address, given, context);
  const { path } = location;
  const journal = safeLine(path);
  const { acceptLoss, findLoss } = await import('../../../once/journal/file/upkeep.ts');
  const loss = findLoss(path);
  if (loss === undefined) {
    const whole = `The journal ${journal} has everything that it ever had. ${nothingChanged}`;
    await display.show(result(given.command, { journal: path, accepted: false, lost: [] }, [whole]));
    return 0;
  }
  await confirmLoss(lossSentence({ path, loss }), given, context);
  const { rows, keptLog } = acceptLoss(path, whoDecides(), clock.now());
  const lost = rows.map(({ what, first, last }) => ({ what, first, last, count: last - first + 1 }));
  const fields = { journal: path, accepted: true, lost, ...(keptLog !== undefined && { kept_log: keptLog }) };
  const lines = [
    lossAccepted(journal),
    ...lost.map(
      ({ what, first, last, count }) =>
        `  ${counted(count, ...nounsOf(what))} (${count === 1 ? first : `${first} to ${last}`})`,
    ),
    ...(keptLog === undefined ? [] : [`The old log is kept: ${safeLine(keptLog)}`]),
  ];
  const all = lost.reduce((sum, { count }) => sum + count, 0);
  await display.show(result(given.command, fields, lines, String(all)));
  return 0;
}

async function acceptSharedLoss(address: Address, given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const rules = await import('../../../postgres/upkeep.ts');
  await withServer(address, given, context, async (shared) => {
    const { place } = shared;
    const journal = safeLine(place);
    const found = await rules.findSharedLoss(shared);
    if (found !== undefined) await confirmLoss(safeLine(hasLost(place, found.loss)), given, context);
    if (found === undefined || !(await rules.acceptSharedLoss(shared, found, whoDecides()))) {
      const whole = `The journal ${journal} has everything that it acknowledged to this machine. ${nothingChanged}`;
      const fields = { journal: place, accepted: false, missing: [] };
      await context.display.show(result(given.command, fields, [whole]));
      return;
    }
    const { loss } = found;
    const missing = loss.is === 'records' ? loss.missing : [];
    const fields = { journal: place, accepted: true, missing: missing.map(missingJson) };
    const lines = [lossAccepted(journal), `  ${safeLine(sharedLoss(loss))}`, ...missing.map(missingNote)];
    await context.display.show(result(given.command, fields, lines, String(missing.length)));
  });
  return 0;
}

function confirmLoss(lost: string, given: ParsedArgs<'yes'>, context: Context): Promise<void> {
  const warning = `${lost}. ${missingMayBeSent}. If you accept the loss, the same command may send it again.`;
  const nobody = () => told('usage')`${lost}. There is no terminal for the question
    C${beforeAccepting.slice(1)}
    $ journal accept-loss --yes`;
  return confirmed(warning, 'Accept the loss?', nobody, given, context);
}

const lossAccepted = (journal: string): string =>
  `The loss is recorded in ${journal}, and the journal can be used again.`;

function missingJson({ what, id, number }: Note): Readonly<Record<string, string | number>> {
  if (what === 'policy') return { policy: number };
  return { intent: id, [what]: what === 'attempt' ? number : isoExact(number) };
}

function missingNote({ what, id, number }: Note): string {
  if (what === 'policy') return `  policy ${number}`;
  return `  entry ${id}, ${what === 'attempt' ? `request ${number}` : `${what} of ${isoExact(number)}`}`;
}

export async function acceptDurability(given: ParsedArgs<'yes'>, context: Context): Promise<Exit> {
  const location = await journalLocation(given, context);
  if (location.is === 'file')
    throw told('usage')`The journal ${location.path} is a file, and botctl itself keeps a file durable
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.`;
  const rules = await import('../../../postgres/upkeep.ts');
  await withServer(location.address, given, context, async (shared) => {
    const { place, server } = shared;
    const journal = safeLine(place);
    const off = rules.settingsOff(server);
    const isAccepted = await rules.isDurabilityAccepted(shared);
    let says = `The server of the journal ${journal} keeps what it acknowledges, so there is nothing to accept. ${nothingChanged}`;
    if (isAccepted) says = `This was already accepted for the journal ${journal}. ${nothingChanged}`;
    else if (off.length > 0) {
      const lost = `The server of the journal ${place} has ${listed(off)} off, so it may lose what it has acknowledged when its machine stops`;
      const warning = `${lost}. What it loses may have been sent, and the same command would send it again.`;
      const nobody = () => told('usage')`${lost}. There is no terminal for the question
        Ask the server’s administrator whether this is intended, and whether its disk is safe without it. Then run:
        $ journal accept-durability --yes`;
      const question = 'Is this intended, and is its disk safe without it?';
      await confirmed(warning, question, nobody, given, context);
      await rules.acceptDurability(shared, whoDecides());
      says = `${journal} now records that ${listed(off)} may be off. The journal can be used.`;
    }
    const fields = { journal: place, off, accepted: isAccepted || off.length > 0 };
    await context.display.show(result(given.command, fields, [says], off.join(' ')));
  });
  return 0;
}
