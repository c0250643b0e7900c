import { copyInterrupted } from '../../words/copying.ts';
import type { CopySource } from '../postgres/copySource.ts';
import type { TargetFile } from '../sqlite/targetFile.ts';

type Copying = {
  readonly source: CopySource;
  readonly target: TargetFile;
  /** The file, as the shared journal is to name it. */
  readonly movedTo: string;
  /** Whoever was last heard of before is dead. */
  readonly silentSinceMs: number;
  readonly interrupted: AbortSignal;
  onPage(done: number): void;
};

/** Copies a shared journal into a new file, after closing it: nothing is ever sent by both. */
export async function copyIntoFile(
  copying: Copying,
): Promise<{ readonly added: number; readonly known: number }> {
  const { source, target, movedTo, silentSinceMs, interrupted, onPage } = copying;
  if (!source.isClosed) await source.close(movedTo, silentSinceMs);
  let [added, done] = [0, 0];
  for await (const page of source.pages()) {
    if (interrupted.aborted) throw copyInterrupted(source.place, done);
    added += target.add(page);
    done += page.length;
    onPage(done);
  }
  await source.noteWhole(movedTo);
  target.finish();
  return { added, known: done - added };
}
