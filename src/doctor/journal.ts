import type { Failure } from '../errors.ts';
import { states } from '../journal/journal.ts';
import type { JournalLook } from '../journal/lookOnly.ts';
import { type Finding, fail, failed, ok, warn } from './finding.ts';

/** What is at the journal's place. */
export type JournalFacts =
  | { readonly is: 'there'; readonly look: JournalLook }
  | { readonly is: 'none'; readonly folder: string; readonly writable: boolean }
  | { readonly is: 'unreadable'; readonly failure: Failure };

export function journalFindings(path: string, facts: JournalFacts): Finding[] {
  switch (facts.is) {
    case 'unreadable':
      return [failed('journal', facts.failure)];
    case 'none':
      return [absentFinding(path, facts.folder, facts.writable)];
    case 'there':
      return [fileFinding(path, facts.look), ...(facts.look.isJournal ? intentFindings(facts.look) : [])];
  }
}

function absentFinding(path: string, folder: string, writable: boolean): Finding {
  if (writable) return ok('journal', `none yet; the first command makes ${path}`);
  return fail(
    'journal',
    `${folder} cannot be written, so nothing can be sent`,
    'Mend its permissions, or name another file with --journal.',
  );
}

function fileFinding(path: string, look: JournalLook): Finding {
  const { check, version, knownVersion, mode, syncsFully } = look;
  if (!look.isJournal) {
    return fail(
      'journal',
      `${path} is not a journal`,
      'Name the right file with --journal or BOTCTL_JOURNAL.',
    );
  }
  if (check.length !== 1 || check[0] !== 'ok') {
    return fail(
      'journal',
      `${path} is damaged: ${check.join('; ')}`,
      `Stop botctl, keep a copy of ${path}, and put a backup in its place.`,
    );
  }
  if (version > knownVersion) {
    return fail(
      'journal',
      `${path} was written by a newer botctl (version ${version}; this one knows ${knownVersion})`,
      'Use the newer botctl.',
    );
  }
  if (!syncsFully) {
    return fail(
      'journal',
      'this build of SQLite does not commit durably',
      'Report it, with the output of botctl doctor --json.',
    );
  }
  if (mode !== 'wal') {
    return warn(
      'journal',
      `${path} is in the mode ${mode}, not wal`,
      'The next send sets it. If it stays so, the disk has no shared memory: use a local one.',
    );
  }
  const old = version < knownVersion ? ` (the next send brings it to ${knownVersion})` : '';
  return ok('journal', `${path}: version ${version}${old}, quick_check ok, WAL, synchronous FULL`);
}

function intentFindings({ counts, oldestUnknown }: JournalLook): Finding[] {
  const told = states.flatMap((state) => (counts[state] ? [`${counts[state]} ${state}`] : []));
  const says = told.length === 0 ? 'none' : told.join(', ');
  const since =
    oldestUnknown === undefined
      ? ''
      : `; the oldest unknown is ${oldestUnknown.id}, since ${new Date(oldestUnknown.mayHaveLandedAtMs ?? oldestUnknown.createdAtMs).toISOString().replace(/\.\d+Z$/u, 'Z')}`;
  if ((counts.unknown ?? 0) + (counts.sending ?? 0) > 0) {
    return [warn('intents', `${says}${since}`, 'Run the same command again, or botctl resume --all.')];
  }
  if (counts.held) {
    return [warn('intents', says, 'botctl history --state held shows them; decide with botctl resolve.')];
  }
  return [ok('intents', says)];
}
