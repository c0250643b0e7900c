import type { Given } from '../../cli/given.ts';
import type { Context } from '../../context.ts';
import type { View } from '../../display/display.ts';
import { safeLine } from '../../display/safeText.ts';
import type { Exit } from '../../errors.ts';
import type { AcceptedLoss } from '../../journal/sqlite/acceptLoss.ts';
import {
  askToAccept,
  logKept,
  lossAccepted,
  lostNumbers,
  nobodyAccepts,
  nothingLost,
  wouldBeSentAgain,
} from '../../words/acceptedLoss.ts';
import { lossSentence } from '../../words/loss.ts';
import { journalLocation, whoDecides } from '../journalPath.ts';
import { confirmed } from './confirmed.ts';

export async function run(given: Given, context: Context): Promise<Exit> {
  const { display, clock } = context;
  const location = await journalLocation(given, context);
  if (location.is === 'shared') {
    const { acceptSharedLoss } = await import('./acceptSharedLoss.ts');
    return acceptSharedLoss(location.address, given, context, (lost) =>
      confirmed(questionOf(lost), given, context),
    );
  }
  const { path } = location;
  const { acceptLoss, findLoss } = await import('../../journal/sqlite/acceptLoss.ts');
  const loss = findLoss(path);
  if (loss === undefined) {
    await display.show({
      json: { schema: 'botctl/1', command: given.command, journal: path, accepted: false, lost: [] },
      human: () => `${nothingLost(safeLine(path))}\n`,
    });
    return 0;
  }
  await confirmed(questionOf(lossSentence({ path, loss })), given, context);
  await display.show(acceptedView(given.command, path, acceptLoss(path, whoDecides(), clock.now())));
  return 0;
}

const questionOf = (lost: string) => ({
  warning: wouldBeSentAgain(lost),
  question: askToAccept,
  nobody: () => nobodyAccepts(lost),
});

function acceptedView(command: string, path: string, { rows, keptLog }: AcceptedLoss): View {
  const lost = rows.map(({ what, first, last }) => ({ what, first, last, count: last - first + 1 }));
  return {
    json: {
      schema: 'botctl/1',
      command,
      journal: path,
      accepted: true,
      lost,
      ...(keptLog === undefined ? {} : { kept_log: keptLog }),
    },
    human: () =>
      [
        lossAccepted(safeLine(path)),
        ...lost.map(({ what, first, last, count }) => `  ${lostNumbers(what, count, first, last)}`),
        ...(keptLog === undefined ? [] : [logKept(safeLine(keptLog))]),
      ]
        .map((line) => `${line}\n`)
        .join(''),
    quiet: String(lost.reduce((sum, { count }) => sum + count, 0)),
  };
}
