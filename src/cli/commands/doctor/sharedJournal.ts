import { type Address, isHere } from '../../../postgres/address.ts';
import type { SharedLoss } from '../../../postgres/facts.ts';
import type { SharedLook } from '../../../postgres/upkeep.ts';
import { beforeAccepting, finishCopy } from '../../say/open.ts';
import { counted, formatClockOffset, formatDuration, listed } from '../../say/phrases.ts';
import type { Told } from '../../say/told.ts';
import { sharedLoss } from '../../say/upkeep.ts';
import { type Finding, fail, failed, intentFindings, ok, warn } from './findings.ts';

/** A round trip that a person would notice: a single command makes about ten. */
const slowMs = 100;
const tooFarMs = 30_000;

/** `trouble` says why this machine could not keep its notes on the journal, as part of a sentence. */
export function sharedFindings(place: string, look: SharedLook, trouble: string | undefined): Finding[] {
  return [
    journalFinding(place, look),
    ...copyFinding(place, look),
    durabilityFinding(look),
    standbyFinding(look),
    roleFinding(look),
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
    ok(
      'runners',
      `${look.runners === 0 ? 'none' : look.runners} at work; after ${formatDuration(look.journal.leaseMs)} of silence, another one takes over`,
    ),
    ...intentFindings(look),
    latencyFinding(look),
    timeFinding(look),
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

function copyFinding(place: string, { journal: { copying } }: SharedLook): Finding[] {
  if (copying === undefined) return [];
  const { path } = copying;
  return [
    fail('copy')`only a part of the file ${path} was copied into it, so no command sends through it
      ${finishCopy}
      $ journal copy ${path} --journal ${place}
      $ journal accept-loss`,
  ];
}

function durabilityFinding({ server, journal }: SharedLook): Finding {
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => server.settings[name] !== 'on');
  if (off.length === 0)
    return ok('durable', 'fsync and full_page_writes are on: what the server acknowledges is on its disk');
  return journal.acceptedDurability
    ? ok('durable', `${listed(off)} off, which was accepted for this journal`)
    : fail('durable')`
      ${listed(off)} off: the server may lose what it has acknowledged, so no command sends through it
      Have the setting changed. If its disk is safe without it (as ZFS is without full_page_writes), say so as the owner of the database:
      $ journal accept-durability`;
}

function standbyFinding({ server, standbys: { names, synchronous } }: SharedLook): Finding {
  if (server.isStandby)
    return warn('standby')`this server is a standby: it can be read, but no command sends through it
      To send, name the server that it follows.`;
  if (names === '')
    return ok(
      'standby',
      'no commit waits for a standby: a standby that is promoted may lack the latest ones',
    );
  const there =
    synchronous === undefined
      ? ''
      : `; ${counted(synchronous, 'synchronous standby', 'synchronous standbys')} connected`;
  return synchronous === 0
    ? fail('standby')`commits wait for ${names}, and none of them is connected
      Start the standby: until then, every command waits.`
    : ok('standby', `commits wait for ${names}${there}`);
}

function roleFinding({ role: { name, isSuperuser, ownsTables }, journal, server }: SharedLook): Finding {
  if (isSuperuser)
    return warn('role')`${name} is a superuser, so no rule of the journal applies to it
      Run botctl with a role of its own. This prints what it needs:
      $ journal grants`;
  if (ownsTables)
    return warn('role')`${name} owns the journal’s tables and could change their rules
      Run botctl with a role of its own. This prints what it needs:
      $ journal grants`;
  if (journal.salt !== undefined || server.isStandby)
    return ok('role', `${name}, which owns nothing of the journal`);
  return ok('role', `${name}, which may only read`);
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

function latencyFinding({ latencyMs }: SharedLook): Finding {
  const says = `${latencyMs.toFixed(1)} ms for a round trip to the journal’s server`;
  if (latencyMs <= slowMs) return ok('latency', says);
  return warn('latency')`${says}
    A single command needs about ten. Run botctl closer to the server.`;
}

/** The server's clock dates what is on record. */
function timeFinding({ aheadMs }: SharedLook): Finding {
  const says = `this clock ${formatClockOffset(aheadMs)} the journal’s server, which dates the entries`;
  if (Math.abs(aheadMs) <= tooFarMs) return ok('time', says);
  return warn('time')`${says}
    Set the clock of this machine, or the server’s.`;
}

/** Whether others could read or change the traffic to a shared journal. */
export function encryptionFinding({ host, tls: { mode } }: Address): Finding {
  if (isHere(host) && (mode === 'disable' || mode === 'require'))
    return ok('server', 'the journal’s server is on this machine');
  switch (mode) {
    case 'disable':
      return warn('server')`
        the connection to the journal is not encrypted (sslmode=disable): anyone in between can read and change it
        Use sslmode=verify-full, unless the whole network in between is yours.`;
    case 'require':
      return warn('server')`
        the journal’s server proves nothing (sslmode=require): anyone in between can answer in its place
        Use sslmode=verify-full, and sslrootcert if the authority is your own.`;
    case 'verify-ca':
      return ok(
        'server',
        'the journal’s server needs a certificate of your authority, under any name (sslmode=verify-ca)',
      );
    case 'verify-full':
      return ok('server', 'the journal’s server must prove its name (sslmode=verify-full)');
  }
}
