import type { Note } from '../journal/postgres/note.ts';
import type { Advice } from './doctorJournal.ts';
import { counted, listed } from './list.ts';
import { sharedLoss } from './sharedJournal.ts';
import { formatClockOffset, formatDuration } from './time.ts';

export function sharedJournal(place: string, serverVersion: number, version: number): string {
  const [major, minor] = [Math.floor(serverVersion / 10_000), serverVersion % 10_000];
  return `${place}: version ${version}, on PostgreSQL ${major}.${minor}`;
}

export const checkTheServer = 'Check the URL, the network between, and whether the server runs.';

export const durable = 'fsync and full_page_writes are on: what the server acknowledges is on its disk';

export function durabilityAccepted(off: readonly string[]): string {
  return `${listed(off)} off, as was accepted for this journal`;
}

export function notDurable(off: readonly string[]): Advice {
  return {
    says: `${listed(off)} off: the server may lose what it has acknowledged, so no command sends through it`,
    todo: 'Have the setting changed. Where its disk makes up for it (as ZFS does for full_page_writes), say so as whoever owns the database:',
    next: [['journal', 'accept-durability']],
  };
}

export const isStandby: Advice = {
  says: 'this server is a standby: it shows what it has, and no command sends through it',
  todo: 'To send, name the server that it follows.',
};

export const noSynchronousStandby =
  'no commit waits for a standby: a standby that is promoted may lack the latest ones';

export function synchronousStandbys(names: string, count: number | undefined): string {
  const there =
    count === undefined ? '' : `; ${counted(count, 'synchronous standby', 'synchronous standbys')} there`;
  return `commits wait for ${names}${there}`;
}

export function standbyAway(names: string): Advice {
  return {
    says: `commits wait for ${names}, and none of them is there`,
    todo: 'Start the standby: until then every command waits.',
  };
}

export function superuser(name: string): Advice {
  return {
    says: `${name} is a superuser, whom no rule of the journal binds`,
    todo: 'Run botctl with a role of its own. This prints what it needs:',
    next: [['journal', 'grants']],
  };
}

export function ownsTables(name: string): Advice {
  return {
    says: `${name} owns the journal’s tables, and could change their rules`,
    todo: 'Run botctl with a role of its own. This prints what it needs:',
    next: [['journal', 'grants']],
  };
}

export const runnersRole = (name: string): string => `${name}, which owns nothing of the journal`;
export const auditorsRole = (name: string): string => `${name}, which may only look`;

export function notesHeld(count: number): string {
  return count === 0
    ? 'this machine has not sent through the journal yet'
    : `the journal holds what it acknowledged to this machine (${counted(count, 'note')})`;
}

export function notesNotKept(folder: string, trouble: string): Advice {
  return {
    says: `this machine cannot keep notes in ${folder} (${trouble}): botctl cannot tell here whether the journal loses something`,
    todo: 'Make the folder writable, or name another one with XDG_DATA_HOME.',
  };
}

const accepting = {
  todo: 'If you can, bring back the server as it was. If you cannot, check the wallet and the conversations first, then accept the loss:',
  next: [['journal', 'accept-loss']],
} as const;

export const notesMissing = (missing: readonly Note[]): Advice => ({
  says: sharedLoss({ is: 'records', missing }),
  ...accepting,
});
export const newServer: Advice = { says: sharedLoss({ is: 'server-changed' }), ...accepting };

export function lateReplies(folder: string): Advice {
  return {
    says: `replies that came while the journal was away are kept in ${folder}`,
    todo: 'The next command that sends puts them on record. Until then do not remove them.',
  };
}

export function lostReply(path: string): Advice {
  return {
    says: `${path} holds replies to what the journal has lost: they are the only record of it`,
    todo: 'Check what it names in the wallet and the conversations, and keep it or move it away. The same commands may send it again.',
  };
}

export function runners(count: number, leaseMs: number): string {
  return `${count === 0 ? 'none' : count} at work; one that is silent for ${formatDuration(leaseMs)} is taken over`;
}

const tenths = (ms: number): string => `${ms.toFixed(1)} ms`;

export const roundTrip = (ms: number): string => `${tenths(ms)} for a round trip to the journal’s server`;

export function slow(ms: number): Advice {
  return {
    says: roundTrip(ms),
    todo: 'A single command makes about ten of them. Run botctl nearer to the server.',
  };
}

export function clocks(aheadMs: number): string {
  return `this clock ${formatClockOffset(aheadMs)} the journal’s server, which dates what is on record`;
}

export function clockApart(aheadMs: number): Advice {
  return { says: clocks(aheadMs), todo: 'Set the clock of this machine, or the server’s.' };
}
