import { existsSync, statSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { dataFolder, homeFolder } from '../../machine/folders.ts';
import { claimedBy, Failure, failureWith } from '../../once/failures.ts';
import { journalFailure, whyClosed } from '../../once/journal/failures.ts';
import type { JournalUse } from '../../once/journal/file/opening.ts';
import type { Journal } from '../../once/journal/journal.ts';
import { isFile, isJournalUrl, isMarked } from '../../once/journal/place.ts';
import type { Address, UrlSource } from '../../postgres/address.ts';
import type { PgConnection } from '../../postgres/connection.ts';
import type { Patience } from '../../postgres/connections.ts';
import type { ServerFacts } from '../../postgres/handshake.ts';
import { profilesPaths, readProfiles } from '../bot/profiles.ts';
import type { Opening, ProcessOfCommand } from './process.ts';

export function sandboxFolder(env: ProcessOfCommand['env']): string {
  return join(dataFolder(env), 'sandbox');
}

/** A file on this machine, or a server that several machines share. */
type Where =
  | { readonly is: 'file'; readonly path: string }
  | { readonly is: 'shared'; readonly address: Address };

/** The location of this command's journal, and what named it. */
export type JournalLocation = Where & { readonly namedBy?: UrlSource };

/** The sandbox has its own journal: trying things out must never touch real money. */
export async function journalLocation(app: Opening): Promise<JournalLocation> {
  const named = app.args.text('journal');
  if (named === '') throw journalFailure('empty-name', { source: '--journal' });
  if (named !== undefined) return locationAt(named, '--journal', app);
  const { BOTCTL_JOURNAL: text } = app.env;
  // An empty value is a missing CI secret: each runner would use its own journal and pay separately.
  if (text === '') throw journalFailure('empty-name', { source: 'BOTCTL_JOURNAL' });
  if (app.args.flag('sandbox')) return { is: 'file', path: join(sandboxFolder(app.env), 'journal.db') };
  if (text === undefined) return lastingLocation(app);
  return locationAt(text, 'BOTCTL_JOURNAL', app);
}

/** The journal of all commands that name no other. */
export async function lastingLocation({ env }: EnvContext): Promise<JournalLocation> {
  const { journal } = readProfiles(profilesPaths(env));
  if (journal === undefined) return { is: 'file', path: join(dataFolder(env), 'journal.db') };
  return locationAt(journal, 'journal', { env });
}

export async function locationAt(
  text: string,
  source: UrlSource,
  { env }: EnvContext,
): Promise<JournalLocation> {
  if (isJournalUrl(text) && !isMarked(text)) {
    const { parseAddress } = await import('../../postgres/address.ts');
    return { is: 'shared', address: parseAddress(text, source, env, accountName), namedBy: source };
  }
  const path = journalFile(text, source, env);
  // A relative path would mean a different journal in each folder, and CI files do not expand a ~.
  if (source === 'BOTCTL_JOURNAL' && !isAbsolute(text))
    throw failureWith('usage')`BOTCTL_JOURNAL is not an absolute path
      Write the whole path, starting with /. Otherwise each folder would have its own journal.`;
  return { is: 'file', path: source === 'journal' ? resolve(path) : path, namedBy: source };
}

/** The file of a named journal. `source` says where the name came from: an option, an argument, or the variable. */
export function journalFile(text: string, source: string, env: ProcessOfCommand['env']): string {
  // An argument that can only be a file may be relative to this folder, unless it looks like a server or a password.
  const isHere = ['FILE', '--import'].includes(source) && isFile(`./${text}`) && !/^~|[@:=]/u.test(text);
  if (!isFile(text) && !isHere) throw journalFailure('no-file-name', { source });
  return text.startsWith('~') ? join(homeFolder(env), text.slice(1)) : text;
}

/** The location as shown to people: a path, or the URL without its password. */
export async function shownLocation(location: Where): Promise<string> {
  if (location.is === 'file') return location.path;
  const { placeOf } = await import('../../postgres/address.ts');
  return placeOf(location.address);
}

export async function openJournalOf(
  location: JournalLocation,
  app: Opening,
  use: JournalUse,
): Promise<Journal> {
  const journal = await openAt(location, app, use);
  if (journal.lost !== undefined) {
    app.display.warn(
      `${journal.lost.message} The rest of the journal is shown. Nothing can be sent until you deal with this:`,
      [['doctor']],
    );
  }
  // A command that would send fails with this.
  const closed = use === 'look' ? whyClosed(journal.place, await journal.reads.closings()) : undefined;
  if (closed !== undefined) app.display.warn(closed.message);
  return journal;
}

export async function openAt(location: JournalLocation, app: Opening, use: JournalUse): Promise<Journal> {
  if (location.is === 'shared') {
    const { openSharedJournal } = await import('../../postgres/openSharedJournal.ts');
    await warnOfPassFile(app);
    const opening = openSharedJournal(location.address, {
      use,
      dataFolder: dataFolder(app.env),
      patience: patienceOf(app),
      isInterrupted: () => isLeft(app),
    });
    return app.owns(await app.display.waiting('connecting to the shared journal', opening));
  }
  const { path, namedBy } = location;
  if (isEmptyFile(path)) app.display.warn(`${path} is an empty file. It becomes a new journal.`);
  const { openJournal } = await import('../../once/journal/file/openJournal.ts');
  await sayOfSteps(app);
  // A mistyped name creates a journal that knows nothing, so a new one is reported.
  const isNew = namedBy !== undefined && !existsSync(path);
  const journal = app.owns(openJournal(path, use, app.clock, () => isLeft(app)));
  if (isNew)
    app.display.warn(
      `${path} is a new journal, so botctl cannot tell what was sent before. If you expected an earlier one, check this path.`,
    );
  return journal;
}

/** A command that has claimed an entry leaves only at the second signal: its result is still reported. */
function isLeft({ interrupts }: Pick<ProcessOfCommand, 'interrupts'>): boolean {
  return (claimedBy(interrupts) === undefined ? interrupts.first : interrupts.second).aborted;
}

/** Reports when a file is brought up to date, even if the command then fails. Call it before opening a file. */
export async function sayOfSteps({ display }: Pick<ProcessOfCommand, 'display'>): Promise<void> {
  const { onStep } = await import('../../once/journal/file/step.ts');
  onStep((path) =>
    display.notice(`The journal ${path} is being brought up to date. An older botctl can no longer open it.`),
  );
}

/** How long to wait for a server that does not answer. */
function patienceOf(app: Opening): Patience {
  const { interrupts, clock } = app;
  return {
    maxWaitMs: app.settings().maxWaitMs ?? defaultMaxWaitMs,
    leastMs: 2000,
    interrupted: interrupts.first,
    leaving: interrupts.second,
    sleep: (waitMs, signal) => clock.sleep(waitMs, signal),
  };
}

async function warnOfPassFile({ display }: Pick<ProcessOfCommand, 'display'>): Promise<void> {
  const { onPassFileIgnored } = await import('../../postgres/connection.ts');
  onPassFileIgnored((complaint) => display.warn(`The ${complaint}: it was not used`));
}

/**
 * Whether a journal exists or existed. If that cannot be checked, it may exist and have unknown entries. So the answer
 * is yes: opening it reports the fault.
 */
export function isThere(location: JournalLocation): boolean {
  if (location.is === 'shared') return true;
  const { path } = location;
  return [path, `${path}-wal`, `${path}.note`].some(mayBeThere);
}

/** Whether the path exists. If that cannot be checked, it may. */
export function mayBeThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

type EnvContext = Pick<ProcessOfCommand, 'env'>;

export function isEmptyFile(path: string): boolean {
  try {
    const stats = statSync(path);
    // An empty file with a setup lock beside it is a journal that another process is creating.
    return stats.isFile() && stats.size === 0 && !existsSync(`${path}.setup`);
  } catch {
    return false;
  }
}

/** The user and host that are stored with every decision. */
export function whoDecides(): string {
  return `${userName()}@${hostname()}`;
}

function userName(): string {
  return nameOfUser() ?? `uid ${process.getuid?.() ?? 'unknown'}`;
}

/** The default user name for a server, as in libpq. */
function accountName(): string {
  const name = nameOfUser();
  if (name === undefined)
    throw failureWith('usage')`The journal’s URL names no user, and this account has no name
      Write the user into the URL (postgres://USER@HOST/DATABASE), or set PGUSER.`;
  return name;
}

// In a container the user may be a number without a name.
function nameOfUser(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}

export const defaultTimeoutMs = 30_000;
export const defaultMaxWaitMs = 60_000;

/** A shared journal that a command maintains, and the connection to its server. */
type SharedPlace = {
  /** Its URL without the password. */
  readonly place: string;
  readonly schema: string;
  readonly connection: PgConnection;
  readonly server: ServerFacts;
  /** The folder of this machine's notes. */
  readonly dataFolder: string;
};

/** Runs `work` on a connection to the server, without checking the state of the journal. */
export async function withServer<Result>(
  address: Address,
  app: Opening,
  work: (shared: SharedPlace) => Promise<Result>,
): Promise<Result> {
  const { meetServer, connectionFailure } = await import('../../postgres/upkeep.ts');
  await warnOfPassFile(app);
  const place = await shownLocation({ is: 'shared', address });
  const { connection, server } = await meetServer(address, patienceOf(app));
  app.owns(connection);
  try {
    return await work({
      place,
      schema: address.schema,
      connection,
      server,
      dataFolder: dataFolder(app.env),
    });
  } catch (error) {
    if (error instanceof Failure) throw error;
    // Work that broke off, or did not wait for a standby, may have left changes. A refusal has left none.
    app.doing.hasChanged = true;
    throw connectionFailure(connection, place, error);
  }
}
