import type { SharedLook } from '../../../postgres/upkeep.ts';
import { lossSentence } from '../../say/journal.ts';
import { beforeAccepting } from '../../say/open.ts';
import { listed } from '../../say/phrases.ts';
import type { Told } from '../../say/told.ts';
import { type Finding, fail, failed, intentFindings, ok, warn, wholeFinding } from './findings.ts';

export function sharedFindings(place: string, look: SharedLook): Finding[] {
  return [
    journalFinding(place, look),
    ...durabilityFinding(look),
    noteFinding(place, look),
    ...intentFindings(look),
  ];
}

/** Why the journal could not be read. The user is already running the doctor, so that advice is replaced. */
export function unusableFinding(failure: Told): Finding {
  const finding = failed('journal', failure);
  const asksDoctor = failure.details.next?.some((next) => '0' in next && next[0] === 'doctor');
  return asksDoctor
    ? fail('journal')`${finding.says}
      Check the URL, the network in between, and whether the server is running.`
    : finding;
}

function journalFinding(place: string, { server, schemaVersion }: SharedLook): Finding {
  const [major, minor] = [Math.floor(server.versionNumber / 10_000), server.versionNumber % 10_000];
  return ok('journal', `${place}: version ${schemaVersion}, on PostgreSQL ${major}.${minor}`);
}

function durabilityFinding({ server }: SharedLook): Finding[] {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => server.settings[name] !== 'on');
  if (off.length === 0) return [];
  return [
    warn('durable')`
      ${listed(off)} off: the server may lose what it has acknowledged, and the same command would send that again
      Have the setting changed, unless the server’s disk is safe without it (as ZFS is without full_page_writes).`,
  ];
}

function noteFinding(place: string, { missing }: SharedLook): Finding {
  if (missing.length === 0) return wholeFinding;
  return fail('note')`${lossSentence(place, { isGone: false, missing })}
    If you can, bring back the server as it was. Otherwise, ${beforeAccepting}
    $ journal accept-loss`;
}
