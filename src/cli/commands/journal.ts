import { asFailure, type Exit, failureWith } from '../../once/failures.ts';
import { type Loss, lossSentence, missingMayBeSent } from '../../once/journal/failures.ts';
import type { SourceFile } from '../../once/journal/file/sourceFile.ts';
import type { Known } from '../../once/journal/note.ts';
import { counted, isoExact } from '../../once/phrases.ts';
import type { Address } from '../../postgres/address.ts';
import type { Asking } from '../../postgres/upkeep.ts';
import type { App } from '../app.ts';
import { journalFile, sayOfSteps, shownLocation, whoDecides, withServer } from '../open/journal.ts';
import type { Args } from '../parse/args.ts';
import { confirmed } from '../run/deciding.ts';
import { card, type Fact, type Fields, remark } from '../show/card.ts';
import type { Question } from '../show/display.ts';
import { safeLine } from '../show/text.ts';
import { noTerminalFor, nothingChanged } from '../wording/problem.ts';

export async function migrate(app: App<Args<'import'>>): Promise<Exit> {
  const location = await app.where();
  if (location.is === 'file')
    throw failureWith('usage')`
      The journal ${location.path} is a file, and every command that sends keeps a file up to date
      Name a shared journal, with BOTCTL_JOURNAL or --journal and a postgres:// URL.`;
  const { grantsSql, migrateJournal, usualRunner } = await import('../../postgres/upkeep.ts');
  const view = await withServer(location.address, app, async (shared) => {
    const made = await migrateJournal(shared);
    app.doing.hasChanged = made;
    const journal = safeLine(shared.place);
    const headline = made
      ? `The journal ${journal} was created.`
      : `The journal ${journal} already exists. ${nothingChanged}`;
    const imported = await importOf(app, shared);
    const grants = grantsSql(shared.schema);
    const lines = [
      headline,
      ...(imported === undefined
        ? []
        : [
            `${counted(imported.entries, 'entry', 'entries')} of ${safeLine(imported.from)} are now in it. The file can still be read, and sends nothing more.`,
          ]),
      `-- The rights of the role ${usualRunner}, which runs botctl. Run this as the owner, each time after journal migrate:`,
      ...grants.trimEnd().split('\n'),
    ];
    // One line, which psql accepts too.
    return card(
      app.args.command,
      () => `${lines.join('\n')}\n`,
      [['', undefined, { journal: shared.place, made, imported, grants }]],
      grants.trimEnd().replaceAll('\n', ' '),
    );
  });
  await app.display.show(view);
  return 0;
}

/** Imports a file, if one is named. */
async function importOf(
  app: App<Args<'import'>>,
  shared: Asking,
): Promise<{ readonly from: string; readonly entries: number } | undefined> {
  const named = app.args.text('import');
  if (named === undefined) return undefined;
  await sayOfSteps(app);
  const { SourceFile } = await import('../../once/journal/file/sourceFile.ts');
  const { importFile } = await import('../../postgres/importFile.ts');
  const source = app.owns(SourceFile.open(journalFile(named, '--import', app.env)));
  await importFile(shared, source);
  app.doing.hasChanged = true;
  closeSource(source, shared.place, app.clock.now());
  return { from: source.path, entries: source.entries };
}

/** Closes the file: from now on only the server's journal sends. */
function closeSource(source: SourceFile, place: string, atMs: number): void {
  try {
    source.closeFor(place, whoDecides(), atMs);
  } catch (error) {
    const { code, message } = asFailure(error);
    throw failureWith(code)`${message} All of it is on the server already, and the file can still send
      Let nothing send from the file. Run the same command again: it only closes the file.`;
  }
}

export async function backup(app: App): Promise<Exit> {
  const { display } = app;
  const [named = ''] = app.args.words;
  const location = await app.where();
  if (location.is === 'shared')
    throw failureWith(
      'usage',
    )`The journal ${await shownLocation(location)} is on a server and is backed up with it
      Use the server’s own backups (pg_basebackup, or pg_dump of its schema).`;
  const target = journalFile(named, 'FILE', app.env);
  await sayOfSteps(app);
  const { backUp } = await import('../../once/journal/file/upkeep.ts');
  const copying = backUp(location.path, target, whoDecides(), app.clock.now());
  const held = await display.waiting('Copying the journal', copying);
  const fields = { journal: location.path, backup: target, entries: held.entries, attempts: held.attempts };
  const holds = `${counted(held.entries, 'entry', 'entries')}, ${counted(held.attempts, 'request')}`;
  const headline = `${target} is a copy of the journal as it is now (${holds}).`;
  await display.show(card(app.args.command, headline, [['', undefined, fields]], target));
  return 0;
}

export async function acceptLossOf(app: App<Args<'yes'>>): Promise<Exit> {
  const location = await app.where();
  if (location.is === 'shared') return acceptSharedLoss(location.address, app);
  const { path } = location;
  await sayOfSteps(app);
  const { acceptLoss, lossToAccept } = await import('../../once/journal/file/upkeep.ts');
  const { loss, backup } = lossToAccept(path);
  if (loss === undefined && backup === undefined) return tellLoss(path, undefined, app);
  const lost = loss === undefined ? (backup?.message ?? '') : `${lossSentence(path, loss)}.`;
  await confirmLoss(lost, app);
  const keptLog = acceptLoss(path, loss, whoDecides(), app.clock.now());
  return tellLoss(path, loss ?? { isGone: false, missing: [] }, app, keptLog);
}

async function acceptSharedLoss(address: Address, app: App<Args<'yes'>>): Promise<Exit> {
  const rules = await import('../../postgres/upkeep.ts');
  return withServer(address, app, async (shared) => {
    const { place } = shared;
    const loss = await rules.findSharedLoss(shared);
    if (loss === undefined) return tellLoss(place, undefined, app);
    await confirmLoss(`${lossSentence(place, loss.loss)}.`, app);
    await rules.acceptSharedLoss(shared, loss, whoDecides());
    return tellLoss(place, loss.loss, app);
  });
}

export async function close(app: App<Args<'reason'>>): Promise<Exit> {
  const reason = app.args.text('reason') ?? '';
  const closed = await changeClosings(
    app,
    async ({ closeFile }, path) => closeFile(path, whoDecides(), app.clock.now(), reason),
    async ({ closeShared }, shared) => {
      await closeShared(shared, whoDecides(), reason);
      return shared.place;
    },
  );
  app.doing.hasChanged = true;
  const headline = `The journal ${closed} is closed for sending, until journal open. What is in flight is still recorded.`;
  const facts = { journal: closed, closed: true, reason: reason || undefined };
  await app.display.show(card(app.args.command, headline, [['Reason', reason || undefined, facts]], closed));
  return 0;
}

export async function open(app: App): Promise<Exit> {
  const { place, ended, stays } = await changeClosings(
    app,
    async ({ openForSending }, path) => openForSending(path, whoDecides(), app.clock.now()),
    async ({ openShared }, shared) => openShared(shared, whoDecides()),
  );
  app.doing.hasChanged = ended > 0;
  if (stays !== undefined) throw stays;
  const headline =
    ended === 0
      ? `The journal ${place} was not closed. ${nothingChanged}`
      : `The journal ${place} is open: commands and batches may send through it again.`;
  await app.display.show(
    card(app.args.command, headline, [['', undefined, { journal: place, closed: false }]], place),
  );
  return 0;
}

type FileUpkeep = typeof import('../../once/journal/file/upkeep.ts');
type ServerUpkeep = typeof import('../../postgres/upkeep.ts');

async function changeClosings<Result>(
  app: App,
  ofFile: (upkeep: FileUpkeep, path: string) => Promise<Result>,
  ofServer: (upkeep: ServerUpkeep, shared: Asking) => Promise<Result>,
): Promise<Result> {
  const location = await app.where();
  if (location.is === 'shared') {
    const upkeep = await import('../../postgres/upkeep.ts');
    return withServer(location.address, app, (shared) => ofServer(upkeep, shared));
  }
  await sayOfSteps(app);
  return ofFile(await import('../../once/journal/file/upkeep.ts'), location.path);
}

/** `lost` says what is missing. */
function confirmLoss(lost: string, app: App<Args<'yes'>>): Promise<void> {
  const warning = `${safeLine(lost)} ${missingMayBeSent}. If you accept the loss, the same command may send it again.`;
  const question: Question = (canvas) => `${remark(warning, canvas)}Accept the loss?`;
  return confirmed(question, app, () => noTerminalFor('usage', warning, [['doctor']]));
}

async function tellLoss(place: string, loss: Loss | undefined, app: App, keptLog?: string): Promise<Exit> {
  const { command } = app.args;
  const { display } = app;
  const missing = loss?.missing ?? [];
  const headline =
    loss === undefined
      ? `The journal ${place} has everything that it acknowledged to this machine. ${nothingChanged}`
      : `The loss is recorded in ${place}. The missing entries no longer stop the journal.`;
  const facts: Fact[] = [
    ['', undefined, { journal: place, accepted: loss !== undefined, missing: missing.map(missingJson) }],
    ...missing.map((known, index): Fact => [index === 0 ? 'Lost' : '', missingText(known)]),
    ['Old log', keptLog, { kept_log: keptLog }],
  ];
  await display.show(card(command, headline, facts, loss && String(missing.length)));
  return 0;
}

function missingJson({ entry, number, atMs }: Known): Fields {
  return number === 0 ? { entry, decision: isoExact(atMs) } : { entry, attempt: number };
}

function missingText({ entry, number, atMs }: Known): string {
  return `entry ${entry}, ${number === 0 ? `decision of ${isoExact(atMs)}` : `request ${number}`}`;
}
