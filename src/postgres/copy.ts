import { journalFailure, type ShownConflict } from '../once/journal/facts.ts';
import type { Moved } from '../once/journal/file/ownFiles.ts';
import type { SourceFile } from '../once/journal/file/sourceFile.ts';
import type { CopiedFile } from './begunCopies.ts';
import { type Added, type Conflict, CopyTarget } from './copyTarget.ts';
import type { Note } from './facts.ts';
import { refusalToSend } from './handshake.ts';
import { Lease } from './lease.ts';
import { refuseLoss } from './notes.ts';
import { type Asking, meetJournal } from './upkeep.ts';

/** Opens a shared journal to receive a copy. Refuses one through which nothing could be sent. */
export async function openTarget(shared: Asking) {
  const { connection, schema, place, server } = shared;
  const { journal, notes } = await meetJournal(shared);
  await refuseLoss(connection, schema, place, { server, journal }, notes);
  const refused = refusalToSend(server, { ...journal, copying: undefined }, place);
  if (refused !== undefined) throw refused;
  const { leaseMs } = journal;
  const lease = new Lease(leaseMs, schema, place);
  const onAcknowledged = (note: Note): void => void notes.write(note);
  return {
    target: new CopyTarget({ connection, schema, place, lease, leaseMs, onAcknowledged }),
    journalId: journal.id,
    salt: journal.salt ?? new Uint8Array(),
    end: async (): Promise<void> => {
      notes.close();
      if (!connection.isBroken) await connection.query(lease.endOn(connection)).catch(() => undefined);
    },
  };
}

type Copying = {
  readonly source: SourceFile;
  readonly target: CopyTarget;
  /** The shared journal and the person who copies, as they are noted in the file. */
  readonly moved: Moved;
  readonly isSameSalt: boolean;
  readonly interrupted: AbortSignal;
  /** Asks a person before the file is closed. */
  confirm(): Promise<void>;
  onPage(done: number): void;
};

/**
 * Copies a journal from a file into a shared one: what is settled, and all of that or nothing. What speaks against it is
 * found before anything changes. The file is closed first, so that only one of the two sends. An interrupted copy
 * continues when run again.
 */
export async function copyIntoShared(copying: Copying): Promise<Added & { readonly keepsTokens: boolean }> {
  const { source, target, moved, isSameSalt } = copying;
  if (source.moved !== undefined && source.moved.journal !== moved.journal)
    throw journalFailure('moved-elsewhere', { path: source.path, place: source.moved.place });
  if (source.moved !== undefined && (await target.hasWhole(fileOf(copying)))) {
    source.noteWhole(moved.atMs);
    return { added: 0, known: source.intents, keepsTokens: isSameSalt };
  }
  const { isUsed, mayAdopt } = await target.refuseRole();
  if (!isUsed && !isSameSalt && !mayAdopt) throw journalFailure('may-not-adopt', { place: moved.place });
  const begin = (): Promise<boolean> =>
    target.begin(fileOf(copying), !isSameSalt && mayAdopt, () => refuseWhatIsThere(copying));
  const hasAdopted = source.moved === undefined ? await closeSource(copying, begin) : await begin();
  const keepsTokens = hasAdopted || isSameSalt;
  const file = fileOf(copying);
  const sum = { added: 0, known: 0 };
  for (const page of source.pages()) {
    const copied = sum.added + sum.known;
    if (copying.interrupted.aborted) throw journalFailure('copy-interrupted', { path: source.path, copied });
    const { added, known } = await target.add(file, page, keepsTokens);
    sum.added += added;
    sum.known += known;
    copying.onPage(sum.added + sum.known);
  }
  await target.finish(file, source.batches);
  source.noteWhole(moved.atMs);
  return { ...sum, keepsTokens };
}

/** As it is now: until it is closed, others may add to it. */
function fileOf({ source, moved }: Copying): CopiedFile {
  return { salt: source.salt, rows: source.rows, path: source.path, who: moved.who };
}

/** Returns what `begin` does, which begins the copy on the server while nobody can change the file. */
async function closeSource(copying: Copying, begin: () => Promise<boolean>): Promise<boolean> {
  const { source, moved, confirm } = copying;
  refuseUnsettled(source);
  await refuseWhatIsThere(copying);
  await confirm();
  return source.closeFor(moved, () => {
    refuseUnsettled(source);
    return begin();
  });
}

const mostShown = 5;

function refuseUnsettled(source: SourceFile): void {
  source.refuseOwners();
  const { path, unsettled } = source;
  if (unsettled.length === 0) return;
  throw journalFailure('unsettled', {
    ...{ path, count: unsettled.length, shown: unsettled.slice(0, mostShown) },
  });
}

async function refuseWhatIsThere(copying: Copying): Promise<void> {
  const { source, target, moved } = copying;
  const { place } = moved;
  await target.refuseOthers(fileOf(copying));
  const found: Conflict[] = [];
  for (const page of source.pages()) found.push(...(await target.conflictsOf(page)));
  const [first, ...others] = found.slice(0, mostShown).map(shownConflict);
  if (first !== undefined)
    throw journalFailure('bodies-differ', {
      ...{ path: source.path, place, shown: [first, ...others], count: found.length },
    });
}

function shownConflict({ here, there }: Conflict): ShownConflict {
  return { name: there.name ?? there.key, idInFile: there.id, idOnServer: here.id };
}
