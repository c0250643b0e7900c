import { type Intent, states } from '../journal/journal.ts';
import type { JournalLook } from '../journal/sqlite/lookOnly.ts';
import type { RowNumbers } from '../journal/sqlite/mark.ts';
import * as say from '../words/doctorJournal.ts';
import { iso } from '../words/time.ts';
import type { Told } from '../words/told.ts';
import { type Finding, fail, failed, ok, warn } from './finding.ts';

/** What is at the journal's place. */
export type JournalFacts =
  | {
      readonly is: 'there';
      readonly look: JournalLook;
      readonly mark: RowNumbers | undefined;
      readonly disk: Disk;
    }
  | { readonly is: 'none'; readonly folder: string; readonly disk: Disk }
  | { readonly is: 'unreadable'; readonly failure: Told };

/** The disk that the journal is on, or will be. */
type Disk = {
  readonly kind: 'tmpfs' | 'overlay' | 'network' | undefined;
  /** Why a send could not write there, as part of a sentence. */
  readonly trouble: string | undefined;
};

export function journalFindings(path: string, facts: JournalFacts): Finding[] {
  switch (facts.is) {
    case 'unreadable':
      return [failed('journal', facts.failure)];
    case 'none':
      return [absentFinding(path, facts.folder, facts.disk), ...diskFindings(facts.disk)];
    case 'there':
      return [
        fileFinding(path, facts.look, facts.disk),
        ...(facts.look.isJournal ? [markFinding(path, facts.mark), ...intentFindings(facts.look)] : []),
        ...diskFindings(facts.disk),
      ];
  }
}

function absentFinding(path: string, folder: string, { trouble }: Disk): Finding {
  return trouble === undefined
    ? ok('journal', say.noJournalYet(path))
    : fail('journal', say.folderNotWritable(folder, trouble));
}

/** What the mark says was ever committed. That the journal holds less is refused before it is looked at. */
function markFinding(path: string, mark: RowNumbers | undefined): Finding {
  return mark === undefined ? warn('mark', say.noMarkYet(path)) : ok('mark', say.holdsAll(mark));
}

function diskFindings({ kind }: Disk): Finding[] {
  return kind === undefined ? [] : [warn('disk', say.disks[kind])];
}

function fileFinding(path: string, look: JournalLook, { trouble }: Disk): Finding {
  const { check, version, knownVersion, mode, syncsFully, movedTo } = look;
  if (!look.isJournal) return fail('journal', say.notAJournal(path));
  if (check.length !== 1 || check[0] !== 'ok') return fail('journal', say.isDamaged(path, check));
  if (version > knownVersion) return fail('journal', say.isNewer(path, version, knownVersion));
  if (movedTo !== undefined) return fail('journal', say.wasMoved(path, movedTo));
  if (!syncsFully) return fail('journal', say.notDurable);
  if (trouble !== undefined) return fail('journal', say.readOnlyJournal(path, trouble));
  if (mode !== 'wal') return warn('journal', say.notWal(path, mode));
  return ok('journal', say.soundJournal(path, version, knownVersion));
}

type IntentsLook = Pick<JournalLook, 'counts' | 'waiting'> & {
  readonly oldestUnknown: Pick<Intent, 'id' | 'mayHaveLandedAtMs' | 'createdAtMs'> | undefined;
};

export function intentFindings({ counts, waiting, oldestUnknown: oldest }: IntentsLook): Finding[] {
  const says = say.statesInAList(
    states.flatMap((state) => (counts[state] ? [[state, counts[state]] as const] : [])),
    waiting,
  );
  if ((counts.unknown ?? 0) > 0 || oldest !== undefined) {
    const since = oldest && { id: oldest.id, since: iso(oldest.mayHaveLandedAtMs ?? oldest.createdAtMs) };
    return [warn('intents', say.someUnknown(says, since))];
  }
  return [counts.held ? warn('intents', say.someHeld(says)) : ok('intents', says)];
}
