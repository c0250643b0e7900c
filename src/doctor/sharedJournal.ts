import type { Address } from '../journal/postgres/address.ts';
import type { SharedLook } from '../journal/postgres/lookShared.ts';
import { distanceOf } from '../journal/postgres/server.ts';
import * as say from '../words/doctorJournal.ts';
import * as tell from '../words/doctorShared.ts';
import type { Told } from '../words/told.ts';
import { type Finding, fail, failed, ok, warn } from './finding.ts';
import { intentFindings } from './journal.ts';

/** A round trip that a person would notice: a single command makes about ten. */
const slowMs = 100;
const tooFarMs = 30_000;

/** `trouble` is why this machine could keep no notes of the journal, as part of a sentence. */
export function sharedFindings(place: string, look: SharedLook, trouble: string | undefined): Finding[] {
  return [
    journalFinding(place, look),
    durabilityFinding(look),
    standbyFinding(look),
    roleFinding(look),
    notesFinding(look, trouble),
    ...(look.spilled === undefined ? [] : [warn('late', tell.lateReplies(look.spilled))]),
    ...look.lostReplies.map((path) => warn('late', tell.lostReply(path))),
    ok('runners', tell.runners(look.runners, look.journal.leaseMs)),
    ...intentFindings(look),
    latencyFinding(look),
    timeFinding(look),
  ];
}

/** Why no look at the journal could be had. Who is told to ask the doctor has done so. */
export function unusableFinding(failure: Told): Finding {
  const finding = failed('journal', failure);
  const asksDoctor = failure.details.next?.some((next) => !('shell' in next) && next[0] === 'doctor');
  return asksDoctor ? fail('journal', { says: finding.says, todo: tell.checkTheServer }) : finding;
}

function journalFinding(place: string, { server, schemaVersion }: SharedLook): Finding {
  return ok('journal', tell.sharedJournal(place, server.versionNumber, schemaVersion));
}

function durabilityFinding({ server, journal }: SharedLook): Finding {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => server.settings[name] !== 'on');
  if (off.length === 0) return ok('durable', tell.durable);
  return journal.acceptedDurability
    ? ok('durable', tell.durabilityAccepted(off))
    : fail('durable', tell.notDurable(off));
}

function standbyFinding({ server, standbys: { names, synchronous } }: SharedLook): Finding {
  if (server.isStandby) return warn('standby', tell.isStandby);
  if (names === '') return ok('standby', tell.noSynchronousStandby);
  return synchronous === 0
    ? fail('standby', tell.standbyAway(names))
    : ok('standby', tell.synchronousStandbys(names, synchronous));
}

function roleFinding({ role: { name, isSuperuser, ownsTables }, journal, server }: SharedLook): Finding {
  if (isSuperuser) return warn('role', tell.superuser(name));
  if (ownsTables) return warn('role', tell.ownsTables(name));
  if (journal.salt !== undefined || server.isStandby) return ok('role', tell.runnersRole(name));
  return ok('role', tell.auditorsRole(name));
}

function notesFinding(
  { notes: { held, missing, isNewServer, folder }, journal }: SharedLook,
  trouble: string | undefined,
): Finding {
  if (missing.length > 0) return fail('notes', tell.notesMissing(missing));
  if (isNewServer && held === 0) return fail('notes', tell.newServer);
  // Who may only look notes nothing.
  if (trouble !== undefined && journal.salt !== undefined)
    return warn('notes', tell.notesNotKept(folder, trouble));
  return ok('notes', tell.notesHeld(held));
}

function latencyFinding({ latencyMs }: SharedLook): Finding {
  return latencyMs > slowMs
    ? warn('latency', tell.slow(latencyMs))
    : ok('latency', tell.roundTrip(latencyMs));
}

/** What is on record is dated by the server. */
function timeFinding({ aheadMs }: SharedLook): Finding {
  return Math.abs(aheadMs) > tooFarMs
    ? warn('time', tell.clockApart(aheadMs))
    : ok('time', tell.clocks(aheadMs));
}

/** Who could read or change what a shared journal says, on its way here. */
export function encryptionFinding({ server, encryption }: Address): Finding {
  const { mode } = encryption;
  const isHere = distanceOf(server) !== 'network';
  if (isHere && (mode === 'disable' || mode === 'require')) return ok('server', say.onThisMachine);
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
