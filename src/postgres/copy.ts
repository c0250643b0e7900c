import { journalFailure, type ShownConflict } from '../once/journal/facts.ts';
import type { Moved } from '../once/journal/file/ownFiles.ts';
import type { SourceFile } from '../once/journal/file/sourceFile.ts';
import { type Added, type Conflict, type CopiedFile, CopyTarget } from './copyTarget.ts';
import { sharedFailure } from './facts.ts';
import { askJournal, refusalToSend } from './handshake.ts';
import { Lease } from './lease.ts';
import { findSharedLoss } from './upkeep.ts';

type Shared = Parameters<typeof findSharedLoss>[0];

/** Opens a shared journal to receive a copy. Refuses one through which nothing could be sent. */
export async function openTarget(shared: Shared) {
  const { connection, schema, place, server } = shared;
  const lost = await findSharedLoss(shared);
  if (lost !== undefined && lost.loss.is !== 'rest-of-file')
    throw sharedFailure('lost', { place, loss: lost.loss });
  const journal = await askJournal(connection, schema);
  const refused = refusalToSend(server, { ...journal, copying: undefined }, place);
  if (refused !== undefined) throw refused;
  const lease = new Lease(journal.leaseMs, schema, place);
  return {
    target: new CopyTarget({ connection, schema, place, lease }),
    leaseMs: journal.leaseMs,
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
  /** How long a process of the shared journal lives that is not heard of. */
  readonly leaseMs: number;
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
  const { isUsed, mayAdopt } = await target.refuseRole();
  const adopts = !isUsed && !isSameSalt;
  if (adopts && !mayAdopt) throw journalFailure('may-not-adopt', { place: moved.place });
  const file = { salt: source.salt, path: source.path, who: moved.who };
  if (source.moved === undefined) await closeSource(copying, file);
  else if (source.moved.journal !== moved.journal)
    throw journalFailure('moved-elsewhere', { path: source.path, place: source.moved.place });
  else await target.begin(file);
  if (adopts) await target.adoptSalt(source.salt);
  const keepsTokens = adopts || isSameSalt;
  const sum = { added: 0, known: 0 };
  for (const page of source.pages()) {
    const copied = sum.added + sum.known;
    if (copying.interrupted.aborted) throw journalFailure('copy-interrupted', { path: source.path, copied });
    const { added, known } = await target.add(page, keepsTokens);
    sum.added += added;
    sum.known += known;
    copying.onPage(sum.added + sum.known);
  }
  await target.addBatches(source.batches);
  await target.finish(file);
  source.noteWhole(moved.atMs);
  return { ...sum, keepsTokens };
}

async function closeSource(copying: Copying, file: CopiedFile): Promise<void> {
  const { source, target, moved, leaseMs, confirm } = copying;
  const seen = source.version;
  await refuseIfAnything(copying);
  await confirm();
  await source.closeFor(moved, async () => {
    if (source.version !== seen) await refuseIfAnything(copying);
    await target.begin(file);
    const count = await target.runners(leaseMs);
    if (count === 0) return;
    await target.finish(file);
    throw journalFailure('owners-alive', { path: moved.place, count });
  });
}

const mostShown = 5;

async function refuseIfAnything({ source, target, leaseMs, moved: { place } }: Copying): Promise<void> {
  source.refuseOwners();
  const { path, unsettled } = source;
  if (unsettled.length > 0)
    throw journalFailure('unsettled', {
      ...{ path, count: unsettled.length, shown: unsettled.slice(0, mostShown) },
    });
  const count = await target.runners(leaseMs);
  if (count > 0) throw journalFailure('owners-alive', { path: place, count });
  const found: Conflict[] = [];
  for (const page of source.pages()) found.push(...(await target.conflictsOf(page)));
  const [first, ...others] = found.slice(0, mostShown).map(shownConflict);
  if (first !== undefined)
    throw journalFailure('bodies-differ', { path, place, shown: [first, ...others], count: found.length });
}

function shownConflict({ here, there }: Conflict): ShownConflict {
  return { name: there.name ?? there.key, idInFile: there.id, idOnServer: here.id };
}
