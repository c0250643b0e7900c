import { type Address, isHere } from '../../../postgres/address.ts';
import type { SharedLook } from '../../../postgres/upkeep.ts';
import * as say from '../../say/doctor.ts';

import type { Told } from '../../say/told.ts';
import { type Finding, fail, failed, intentFindings, ok, warn } from './findings.ts';

/** A round trip that a person would notice: a single command makes about ten. */
const slowMs = 100;
const tooFarMs = 30_000;

/** `trouble` says why this machine could not keep its notes on the journal, as part of a sentence. */
export function sharedFindings(place: string, look: SharedLook, trouble: string | undefined): Finding[] {
  return [
    journalFinding(place, look),
    durabilityFinding(look),
    standbyFinding(look),
    roleFinding(look),
    notesFinding(look, trouble),
    ...(look.lateReplies === undefined ? [] : [warn('late', say.lateReplies(look.lateReplies))]),
    ...look.lostReplies.map((path) => warn('late', say.lostReply(path))),
    ok('runners', say.runners(look.runners, look.journal.leaseMs)),
    ...intentFindings(look),
    latencyFinding(look),
    timeFinding(look),
  ];
}

/** Why the journal could not be read. The user is already running the doctor, so that advice is replaced. */
export function unusableFinding(failure: Told): Finding {
  const finding = failed('journal', failure);
  const asksDoctor = failure.details.next?.some((next) => !('shell' in next) && next[0] === 'doctor');
  return asksDoctor ? fail('journal', { says: finding.says, todo: say.checkTheServer }) : finding;
}

function journalFinding(place: string, { server, schemaVersion }: SharedLook): Finding {
  return ok('journal', say.sharedJournal(place, server.versionNumber, schemaVersion));
}

function durabilityFinding({ server, journal }: SharedLook): Finding {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => server.settings[name] !== 'on');
  if (off.length === 0) return ok('durable', say.durable);
  return journal.acceptedDurability
    ? ok('durable', say.durabilityAccepted(off))
    : fail('durable', say.serverNotDurable(off));
}

function standbyFinding({ server, standbys: { names, synchronous } }: SharedLook): Finding {
  if (server.isStandby) return warn('standby', say.isStandby);
  if (names === '') return ok('standby', say.noSynchronousStandby);
  return synchronous === 0
    ? fail('standby', say.standbyAway(names))
    : ok('standby', say.synchronousStandbys(names, synchronous));
}

function roleFinding({ role: { name, isSuperuser, ownsTables }, journal, server }: SharedLook): Finding {
  if (isSuperuser) return warn('role', say.superuser(name));
  if (ownsTables) return warn('role', say.ownsTables(name));
  if (journal.salt !== undefined || server.isStandby) return ok('role', say.runnersRole(name));
  return ok('role', say.auditorsRole(name));
}

function notesFinding(
  { notes: { held, missing, isNewServer, folder }, journal }: SharedLook,
  trouble: string | undefined,
): Finding {
  if (missing.length > 0) return fail('notes', say.notesMissing(missing));
  if (isNewServer && held === 0) return fail('notes', say.newServer);
  // A role that may only read notes nothing.
  if (trouble !== undefined && journal.salt !== undefined)
    return warn('notes', say.notesNotKept(folder, trouble));
  return ok('notes', say.notesHeld(held));
}

function latencyFinding({ latencyMs }: SharedLook): Finding {
  return latencyMs > slowMs ? warn('latency', say.slow(latencyMs)) : ok('latency', say.roundTrip(latencyMs));
}

/** The server's clock dates what is on record. */
function timeFinding({ aheadMs }: SharedLook): Finding {
  return Math.abs(aheadMs) > tooFarMs
    ? warn('time', say.clockApart(aheadMs))
    : ok('time', say.clocks(aheadMs));
}

/** Whether others could read or change the traffic to a shared journal. */
export function encryptionFinding({ host, tls: { mode } }: Address): Finding {
  if (isHere(host) && (mode === 'disable' || mode === 'require')) return ok('server', say.onThisMachine);
  switch (mode) {
    case 'disable':
      return warn('server', say.noTls);
    case 'require':
      return warn('server', say.unverifiedTls);
    case 'verify-ca':
      return ok('server', say.certifiedTls);
    case 'verify-full':
      return ok('server', say.verifiedTls);
  }
}
