import type { Failure } from '../../errors.ts';
import { sharedFailure } from './facts.ts';
import type { JournalFacts, ServerFacts } from './hello.ts';

const leastVersion = 15;

/** Why nothing is asked of this server; undefined where it may be. */
export function refusalOfServer(server: ServerFacts, place: string): Failure | undefined {
  const version = Math.floor(server.versionNumber / 10_000);
  if (version < leastVersion) return sharedFailure('server-too-old', { place, version, least: leastVersion });
  const encoding = server.settings.server_encoding;
  return encoding === 'UTF8' ? undefined : sharedFailure('not-utf8', { place, encoding });
}

/** Why nothing is sent through this journal. */
export function refusalToSend(
  server: ServerFacts,
  journal: JournalFacts,
  place: string,
): Failure | undefined {
  if (server.isStandby) return sharedFailure('standby-only', { place });
  if (server.isReadOnly) return sharedFailure('role-reads-only', { place });
  const wanted = 'synchronous_commit';
  // Asked for when the line was made: a server that does not do it even so acknowledges what it may lose.
  if (server.settings[wanted] !== 'on') return sharedFailure('not-durable', { place, setting: wanted });
  const off = (['fsync', 'full_page_writes'] as const).find((name) => server.settings[name] !== 'on');
  if (off !== undefined && !journal.acceptedDurability)
    return sharedFailure('not-durable', { place, setting: off });
  return journal.salt === undefined ? sharedFailure('no-salt', { place }) : undefined;
}
