import { isUnsettled } from '../../../once/engine/standing.ts';
import { asFailure, type Exit, Failure, failureWith } from '../../../once/failures.ts';
import { journalFailure } from '../../../once/journal/failures.ts';
import { refuseUnusable, resolveLinks } from '../../../once/journal/file/ownFiles.ts';
import type { App } from '../../app.ts';
import { changeProfiles } from '../../bot/changeProfiles.ts';
import { readProfiles } from '../../bot/profiles.ts';
import { isThere, lastingLocation, locationAt, openAt, shownLocation } from '../../open/journal.ts';
import { card } from '../../show/card.ts';
import type { JournalArgs } from './config.spec.ts';
import { profilesPathsOf } from './show.ts';

/** Shows, sets or unsets the journal that commands on this machine use if they name none. */
export async function journal(app: App<JournalArgs>): Promise<Exit> {
  const { display, env } = app;
  const [text] = app.args.words;
  const unset = app.args.flag('unset');
  if (text !== undefined && unset)
    throw failureWith('usage')`A journal and --unset cannot both be given
      Give one of them.`;
  const paths = profilesPathsOf(app);
  if (env.BOTCTL_JOURNAL !== undefined) display.warn('BOTCTL_JOURNAL is set, and comes first in this shell.');
  if (text === undefined && !unset) return tell(journalInUse, app);
  const wanted = text === undefined ? undefined : await lastingName(text, app);
  if (wanted !== readProfiles(paths).journal) await refuseToLeave(app);
  await changeProfiles(paths, (file) => ({ ...file, journal: wanted }));
  return tell(journalSets, app);
}

/** The name to store: a file's whole path, or a URL without a password, whose journal can be opened. */
async function lastingName(text: string, app: App): Promise<string> {
  if (text === '') throw journalFailure('empty-name', { source: 'journal' });
  const location = await locationAt(text, 'journal', app);
  if (location.is === 'file') {
    // A journal that cannot be opened is not stored: to unset it, botctl must open it.
    refuseUnusable(resolveLinks(location.path));
    return location.path;
  }
  await openAt(location, app, 'look');
  return text;
}

/** Refuses to leave a journal with unsettled entries: with another journal they could be paid twice. */
async function refuseToLeave(app: App): Promise<void> {
  const location = await lastingLocation(app);
  if (!isThere(location)) return;
  const left = await openAt(location, app, 'look').catch((thrown: unknown) => {
    throw journalNotOpened(asFailure(thrown), profilesPathsOf(app).file);
  });
  const states = ['open', 'sending', 'unknown', 'held'] as const;
  for await (const entry of left.reads.select({ states, limit: Number.MAX_SAFE_INTEGER })) {
    if (!isUnsettled(entry)) continue;
    throw failureWith('not-allowed-now')`
      The journal ${left.place} has entries that are not settled: under another they could happen twice
      Settle them first:
      $ history --state ${entry.state}`;
  }
}

async function tell(say: (place: string) => string, app: App): Promise<Exit> {
  const { command } = app.args;
  const location = await lastingLocation(app);
  const place = await shownLocation(location);
  const fields = { journal: place, set: location.namedBy !== undefined };
  await app.display.show(card(command, say(place), [['', undefined, fields]], place));
  return 0;
}

const journalInUse = (place: string): string => `Commands that name no journal use ${place}.`;

const journalSets = (place: string): string => `From now on, commands that name no journal use ${place}.`;

/** A journal that is gone for good must be removed from the file by hand. */
function journalNotOpened({ code, message, details }: Failure, path: string): Failure {
  return new Failure(code, message, {
    ...details,
    hint: `It may have entries that are not settled. If it is gone for good, remove "journal" from ${path}.`,
    next: [],
  });
}
