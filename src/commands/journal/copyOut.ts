import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import type { Address } from '../../journal/postgres/address.ts';
import { askToCopy, copyingNow } from '../../words/copying.ts';
import {
  copiedOut,
  fileOnMachine,
  nobodyConfirmsCopyOut,
  wouldCloseShared,
} from '../../words/copyingBack.ts';
import { mayOnlyLook } from '../../words/sharedJournal.ts';
import { confirmed } from './confirmed.ts';
import { type SharedPlace, withServer } from './sharedServer.ts';

/** Copies the shared journal into a new file, which then takes its place. */
export async function copyOut(path: string, address: Address, given: Given, context: Context): Promise<Exit> {
  await withServer(address, given, context, async (shared) => {
    const { place } = shared;
    const { added, known } = await copy(path, shared, given, context);
    await context.display.show({
      json: {
        ...{ schema: 'botctl/1', command: given.command, from: place, to: path },
        ...{ added, known, merged: 0, held: 0 },
      },
      human: () =>
        copiedOut(safeLine(place), safeLine(path), added, known)
          .map((line) => `${line}\n`)
          .join(''),
      quiet: String(added),
    });
  });
  return 0;
}

async function copy(path: string, shared: SharedPlace, given: Given, { display, interrupts }: Context) {
  const { openSource } = await import('../../journal/postgres/openSource.ts');
  const { TargetFile } = await import('../../journal/sqlite/targetFile.ts');
  const { copyIntoFile } = await import('../../journal/copy/intoFile.ts');
  const { source, silentSinceMs } = await openSource(shared);
  if (source.salt === undefined) throw mayOnlyLook(shared.place, undefined);
  const movedTo = fileOnMachine(resolve(path), hostname());
  await source.refuseAnother(movedTo);
  const all = await source.intents();
  const warning = wouldCloseShared(shared.place, all, path);
  const nobody = () => nobodyConfirmsCopyOut(warning, path);
  if (!source.isClosed) await confirmed({ warning, question: askToCopy, nobody }, given, { display });
  const target = TargetFile.open(path, source.salt);
  let done = 0;
  let stopMeter = (): void => {};
  try {
    return await copyIntoFile({
      source,
      target,
      movedTo,
      silentSinceMs,
      interrupted: interrupts.first,
      onPage: (pageDone) => {
        if (done === 0) stopMeter = display.meter(() => ({ share: done / all, text: copyingNow(done, all) }));
        done = pageDone;
      },
    });
  } finally {
    stopMeter();
    target.close();
  }
}
