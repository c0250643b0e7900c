import { journalFailure, type ShownConflict } from '../once/journal/facts.ts';
import type { Moved } from '../once/journal/file/ownFiles.ts';
import type { SourceFile } from '../once/journal/file/sourceFile.ts';
import { type Added, type Conflict, CopyTarget } from './copyTarget.ts';
import { sharedFailure } from './facts.ts';
import { askJournal, refusalToSend } from './handshake.ts';
import { Lease } from './lease.ts';
import { findSharedLoss } from './upkeep.ts';

type Shared = Parameters<typeof findSharedLoss>[0];

/** Opens a shared journal to receive a copy. Refuses one through which nothing could be sent. */
export async function openTarget(shared: Shared) {
  const { connection, schema, place, server } = shared;
  const lost = await findSharedLoss(shared);
  if (lost !== undefined) throw sharedFailure('lost', { place, loss: lost.loss });
  const journal = await askJournal(connection, schema);
  const refused = refusalToSend(server, journal, place);
  if (refused !== undefined) throw refused;
  const lease = new Lease(journal.leaseMs, schema, place);
  return {
    target: new CopyTarget({ connection, schema, place, lease }),
    journalId: journal.id,
    salt: journal.salt ?? new Uint8Array(),
    end: async (): Promise<void> => {
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
 * Copies a journal from a file into a shared one. Conflicts are found before anything changes. The file is closed
 * first, so that only one of the two sends. An interrupted copy continues when run again.
 */
export async function copyIntoShared(copying: Copying): Promise<Added & { readonly keepsTokens: boolean }> {
  const { source, target, moved, isSameSalt } = copying;
  const { isUsed, mayAdopt } = await target.refuseRole();
  const adopts = !isUsed && !isSameSalt;
  if (adopts && !mayAdopt) throw journalFailure('may-not-adopt', { place: moved.place });
  if (source.moved === undefined) await closeSource(copying);
  else if (source.moved.journal !== moved.journal)
    throw journalFailure('moved-elsewhere', { path: source.path, place: source.moved.place });
  if (adopts) await target.adoptSalt(source.salt);
  const keepsTokens = adopts || isSameSalt;
  let sum: Added = { added: 0, known: 0, merged: 0, held: 0 };
  for (const page of source.pages()) {
    if (copying.interrupted.aborted)
      throw journalFailure('copy-interrupted', { path: source.path, copied: copied(sum) });
    sum = plus(sum, await target.add(page, keepsTokens));
    copying.onPage(copied(sum));
  }
  await target.addBatches(source.batches);
  source.noteWhole(moved.atMs);
  return { ...sum, keepsTokens };
}

async function closeSource(copying: Copying): Promise<void> {
  const { source, moved, confirm } = copying;
  const seen = source.version;
  await refuseConflicts(copying);
  await confirm();
  await source.closeFor(moved, async () => {
    if (source.version !== seen) await refuseConflicts(copying);
  });
}

const mostShown = 5;

async function refuseConflicts({ source, target, moved }: Copying): Promise<void> {
  const found: ShownConflict[] = [];
  let count = 0;
  for (const page of source.pages()) {
    const conflicts = await target.conflictsOf(page);
    count += conflicts.length;
    found.push(...conflicts.slice(0, mostShown - found.length).map(shownConflict));
  }
  const [first, ...others] = found;
  if (first === undefined) return;
  const shown = [first, ...others] as const;
  throw journalFailure('bodies-differ', { path: source.path, place: moved.place, shown, count });
}

function shownConflict({ here, there, isSending }: Conflict): ShownConflict {
  return { name: there.name ?? there.key, idInFile: there.id, idOnServer: here, isSending };
}

function copied({ added, known, merged }: Added): number {
  return added + known + merged;
}

function plus(left: Added, right: Added): Added {
  return {
    added: left.added + right.added,
    known: left.known + right.known,
    merged: left.merged + right.merged,
    held: left.held + right.held,
  };
}
