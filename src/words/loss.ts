import type { JournalFacts, LostRows } from '../journal/facts.ts';
import { counted, listed } from './list.ts';

/** What a journal's file has lost, as a sentence without its full stop. */
export function lossSentence({ path, loss }: JournalFacts['lost']): string {
  switch (loss.is) {
    case 'rows':
      return `The journal ${path} has lost ${listed(loss.rows.map(countedLoss))} that it once held`;
    case 'mark':
      return `The journal ${path} may have lost some of what it held: its mark ${path}.mark is ${marks[loss.found]}`;
    case 'base':
      return `The journal ${path} is older than the log ${path}-wal beside it, and lacks what was done in between`;
    case 'journal': {
      const held = loss.rows.length === 0 ? '' : `; that journal held ${listed(loss.rows.map(countedLoss))}`;
      return loss.found === 'gone'
        ? `The journal ${path} is gone or empty, but what belongs beside it is still there${held}`
        : `The journal ${path} is older than the mark beside it${held}`;
    }
  }
}

const marks = { missing: 'missing', damaged: 'damaged', anothers: 'of another journal' } as const;

function countedLoss({ what, first, last }: LostRows): string {
  return counted(last - first + 1, what.slice(0, -1));
}
