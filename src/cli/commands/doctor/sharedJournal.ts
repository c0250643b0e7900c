import type { SharedLoss } from '../../../postgres/facts.ts';
import type { SharedLook } from '../../../postgres/upkeep.ts';
import { beforeAccepting } from '../../say/open.ts';
import { counted, listed } from '../../say/phrases.ts';
import type { Told } from '../../say/told.ts';
import { sharedLoss } from '../../say/upkeep.ts';
import { type Finding, fail, failed, intentFindings, ok, warn } from './findings.ts';

/** `trouble` says why this machine could not keep its notes on the journal, as part of a sentence. */
export function sharedFindings(place: string, look: SharedLook, trouble: string | undefined): Finding[] {
  return [
    journalFinding(place, look),
    ...durabilityFinding(look),
    notesFinding(look, trouble),
    ...(look.lateReplies === undefined
      ? []
      : [
          warn('late')`replies that came while the journal was unreachable are kept in ${look.lateReplies}
            The next command that sends records them. Do not remove them before.`,
        ]),
    ...look.lostReplies.map(
      (path) =>
        warn('late')`${path} has replies to entries that the journal has lost: they are the only record
          Look for these in the wallet and the conversations, then keep the file or move it away. The same commands may send them again.`,
    ),
    ...intentFindings(look),
  ];
}

/** Why the journal could not be read. The user is already running the doctor, so that advice is replaced. */
export function unusableFinding(failure: Told): Finding {
  const finding = failed('journal', failure);
  const asksDoctor = failure.details.next?.some((next) => !('shell' in next) && next[0] === 'doctor');
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

function notesFinding(
  { notes: { held, missing, isNewServer, folder }, journal }: SharedLook,
  trouble: string | undefined,
): Finding {
  if (missing.length > 0) return lossFinding({ is: 'records', missing });
  if (isNewServer && held === 0) return lossFinding({ is: 'server-changed' });
  // A role that may only read notes nothing.
  if (trouble !== undefined && journal.salt !== undefined)
    return warn('notes')`
      this machine cannot keep notes in ${folder} (${trouble}), so botctl cannot tell whether the journal loses something
      Make the folder writable, or name another one with XDG_DATA_HOME.`;
  return ok(
    'notes',
    held === 0
      ? 'this machine has not sent through the journal yet'
      : `the journal has everything that it acknowledged to this machine (${counted(held, 'note')})`,
  );
}

function lossFinding(loss: SharedLoss): Finding {
  return fail('notes')`${sharedLoss(loss)}
    If you can, bring back the server as it was. Otherwise, ${beforeAccepting}
    $ journal accept-loss`;
}
