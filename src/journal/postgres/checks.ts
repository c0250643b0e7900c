import type { Failure } from '../../errors.ts';
import {
  noSalt,
  notUtf8,
  readOnlySession,
  serverNotDurable,
  serverTooOld,
  settingOff,
  standbyOnly,
} from '../../words/sharedJournal.ts';
import type { JournalFacts, ServerFacts } from './hello.ts';

const leastVersion = 15;

/** Why nothing is asked of this server; undefined where it may be. */
export function refusalOfServer(server: ServerFacts, place: string): Failure | undefined {
  const version = Math.floor(server.versionNumber / 10_000);
  if (version < leastVersion) return serverTooOld(place, version, leastVersion);
  const encoding = server.settings.server_encoding;
  return encoding === 'UTF8' ? undefined : notUtf8(place, encoding);
}

/** Why nothing is sent through this journal. */
export function refusalToSend(
  server: ServerFacts,
  journal: JournalFacts,
  place: string,
): Failure | undefined {
  if (server.isStandby) return standbyOnly(place);
  if (server.isReadOnly) return readOnlySession(place);
  const wanted = 'synchronous_commit';
  // Asked for when the line was made: a server that does not do it even so acknowledges what it may lose.
  if (server.settings[wanted] !== 'on') return serverNotDurable(place, settingOff(wanted));
  const off = (['fsync', 'full_page_writes'] as const).find((name) => server.settings[name] !== 'on');
  if (off !== undefined && !journal.acceptedDurability) return serverNotDurable(place, settingOff(off));
  return journal.salt === undefined ? noSalt(place) : undefined;
}
