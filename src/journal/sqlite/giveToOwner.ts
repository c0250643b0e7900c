import { lchownSync, statSync } from 'node:fs';

/** What root makes beside a user's journal belongs to that user, who could not open it otherwise. */
export function giveToOwner(path: string, journalPath: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(journalPath, { throwIfNoEntry: false });
  if (owner !== undefined && owner.uid !== 0) lchownSync(path, owner.uid, owner.gid);
}
