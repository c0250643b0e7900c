import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import type { SourceFile } from '../../journal/sqlite/sourceFile.ts';
import {
  askToCopy,
  copied,
  copyingNow,
  nobodyConfirmsCopy,
  targetIsFile,
  tokensLost,
  wouldClose,
} from '../../words/copying.ts';
import { journalFile, journalLocation, whoDecides } from '../journalPath.ts';
import { confirmed } from './confirmed.ts';
import { withServer } from './sharedServer.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const [file = ''] = given.args;
  const location = await journalLocation(given, context);
  if (location.is === 'file') throw targetIsFile(location.path);
  const { SourceFile } = await import('../../journal/sqlite/sourceFile.ts');
  const source = SourceFile.open(journalFile(file, 'FILE', context.env));
  try {
    const { openTarget } = await import('../../journal/postgres/openTarget.ts');
    await withServer(location.address, given, context, async (shared) => {
      const { place } = shared;
      const target = await openTarget(shared);
      try {
        const end = await copy({ source, place, ...target }, given, context);
        await context.display.show({
          json: { schema: 'botctl/1', command: given.command, from: source.path, to: place, ...end },
          human: () =>
            copied(safeLine(source.path), safeLine(place), end)
              .map((line) => `${line}\n`)
              .join(''),
          quiet: String(end.added),
        });
        if (end.held > 0) context.display.notice(tokensLost(end.held), [['history', '--state', 'held']]);
      } finally {
        await target.end();
      }
    });
    return 0;
  } finally {
    source.close();
  }
}

type Target = Awaited<ReturnType<typeof import('../../journal/postgres/openTarget.ts').openTarget>>;

async function copy(
  { source, place, target, journalId, salt }: Omit<Target, 'end'> & { source: SourceFile; place: string },
  given: Given,
  { display, clock, interrupts, doing }: Context,
) {
  const { copyIntoShared } = await import('../../journal/copy/intoShared.ts');
  const all = source.intents;
  const warning = wouldClose(source.path, all, place);
  const nobody = () => nobodyConfirmsCopy(warning, source.path);
  let done = 0;
  let stopMeter = (): void => {};
  const copying = copyIntoShared({
    source,
    target,
    moved: { place, journal: journalId, who: whoDecides(), atMs: clock.now() },
    isSameSalt: Buffer.from(source.salt).equals(salt),
    interrupted: interrupts.first,
    confirm: async () => {
      await confirmed({ warning, question: askToCopy, nobody }, given, { display });
      doing.hasChanged = true;
    },
    onPage: (pageDone) => {
      if (done === 0) stopMeter = display.meter(() => ({ share: done / all, text: copyingNow(done, all) }));
      doing.hasChanged = true;
      done = pageDone;
    },
  });
  try {
    const { added, known, merged, held } = await copying;
    return { added, known, merged, held };
  } finally {
    stopMeter();
  }
}
