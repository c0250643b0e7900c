import type { Reason } from '../../once/chain/transaction.ts';
import { type Bot, envBot } from '../../once/connection.ts';
import type { Note } from '../../postgres/facts.ts';
import { reasonWords } from './chain.ts';
import { insecureTlsHint } from './machine.ts';
import { beforeAccepting } from './open.ts';
import {
  counted,
  formatClockOffset,
  formatCount,
  formatDuration,
  isoDay,
  isoExact,
  listed,
  type Suggestion,
} from './phrases.ts';
import { Told } from './told.ts';
import { sharedLoss } from './upkeep.ts';

/** Checks that people know under another name than --json gives them. */
export const checkNames: Readonly<Record<string, string>> = {
  intents: 'entries',
  mark: 'losses',
  notes: 'losses',
  runners: 'others',
};

/** The default hint of a failure that has none. */
export const lookCloser = { todo: 'See the details:', next: [['doctor', '--verbose']] } as const;

export const nodeVersion = (version: string): string => `Node ${version}`;

export const bunInside = (version: string): string =>
  `Bun ${version}, in botctl’s own file (a preview; no Node is needed)`;

export function untestedNode(version: string, tested: readonly number[]): Advice {
  return {
    says: `${nodeVersion(version)} is not a version that botctl is tested on`,
    todo: `If anything is odd, use Node ${listed(tested.map(String), 'or')}.`,
  };
}

export const wholeSandbox = 'messages and real transfers';
export const messagesOnly = (trouble: string): string => `messages only. ${trouble}`;

export const embeddedBot = { bot: 'sandbox, the built-in one', token: 'the sandbox’s own' } as const;
export const loadingSandbox = 'Loading the sandbox';
export const lookingAtJournal = 'Looking at the journal';
export const connectingTo = (origin: string): string => `Connecting to ${origin}`;

export const tryingToken = 'Trying the token';

export function tokenNotTried(source: string): string {
  return `from ${source}; its first use shows its permissions`;
}

export const tokenTaken = (source: string): string => `from ${source}; the service accepts it`;

export function tokenRefused({ name, tokenSource }: Pick<Bot, 'name' | 'tokenSource'>): Advice {
  const says = `from ${tokenSource}; the service refuses it (401)`;
  return name === envBot
    ? { says, todo: 'Give another token, with --token-file or BOTCTL_TOKEN.' }
    : { says, todo: 'Set the token again:', next: [['config', 'set', name, 'token']] };
}

export function mayNotSend(source: string): Advice {
  return {
    says: `from ${source}; it may not send messages (403)`,
    todo: 'Have the bot given the permission, unless it only pays.',
  };
}

export function tokenOpen(source: string, status: number | undefined): Advice {
  const why = status === undefined ? ': no answer' : ` (${status})`;
  return { says: `from ${source}; it could not be checked${why}`, todo: 'The first use will show.' };
}

export function profilesIn(file: string, count: number, inUse: string | undefined): string {
  return count === 0 ? 'none' : `${count} in ${file}${inUse === undefined ? '' : `, ${inUse} in use`}`;
}

export function addressFails(baseUrl: string, isReached: boolean, trouble: string | undefined): string {
  return `${baseUrl} cannot be ${isReached ? 'used' : 'reached'}: ${trouble ?? 'no reason is known'}`;
}

export function checkTheProxy(proxy: string): string {
  return `Check the proxy ${proxy} (HTTPS_PROXY, NO_PROXY), then the base URL.`;
}

export function endsWithApiPath(baseUrl: string, without: string): Advice {
  return {
    says: `${baseUrl} ends with a path that botctl adds itself`,
    todo: `Give it without that: ${without}`,
  };
}

export const checkTheAddress =
  'Check the base URL, the network, and whether a proxy is needed (HTTPS_PROXY).';

/** `protocol` is absent if the connection is not encrypted. */
export function addressAnswers(baseUrl: string, protocol: string | undefined): string {
  return protocol === undefined ? `${baseUrl} answers` : `${baseUrl} answers with ${protocol}`;
}

export function certificateEnds(answers: string, endsAtMs: number): Advice {
  return {
    says: `${answers}; its certificate ends on ${isoDay(endsAtMs)}`,
    todo: 'Tell the service’s operator.',
  };
}

export function certificateUntil(answers: string, endsAtMs: number): string {
  return `${answers}, certificate until ${isoDay(endsAtMs)}`;
}

export const proxyNotUsed = (proxy: string): string => `${proxy} is set, but not used for this service`;

export const uncheckedCertificates: Advice = {
  says: 'NODE_TLS_REJECT_UNAUTHORIZED=0 is set: certificates would not be checked, so botctl sends nothing',
  todo: insecureTlsHint,
};

export function clockBehindJournal(latestMs: number): Advice {
  return {
    says: `this machine’s clock is behind the journal’s last entry (${isoExact(latestMs)})`,
    todo: 'Set the clock: until then, unknown transfers count as too old and are held.',
  };
}

export const clockNotCompared = (hasReplied: boolean): Advice => ({
  says: `not compared with the service’s: ${hasReplied ? 'its reply had no Date header' : 'there was no reply'}`,
  todo: 'Compare it with a clock that you trust.',
  next: [{ shell: [['date', '-u']] }],
});

export const setTheClock = 'Set the clock: the age of an unknown transfer is measured with it.';

export function clockAgainstService(aheadMs: number): string {
  return `${formatClockOffset(aheadMs)} the service’s`;
}

/** What a failed check found, and what to do. */
export type Advice = {
  readonly says: string;
  readonly todo: string;
  /** Commands that fix it, each ready to paste. */
  readonly next?: readonly Suggestion[];
};

export const askingNode = 'Asking the Solana node';
export const noNode = 'the profile has no rpc-url: botctl balance says how to set it';
export const noWalletNamed = 'the profile has no wallet: botctl balance says how to set it';

export function nodesOfCluster(hosts: readonly string[], cluster: string): string {
  return `${listed(hosts)}: cluster ${cluster}`;
}

export function notOfCluster(profile: string, host: string, cluster: string): Advice {
  return {
    says: `the node ${host} does not belong to the cluster ${cluster}`,
    todo: 'Set the other cluster, or the URL of another node:',
    next: [
      ['config', 'set', profile, 'cluster', 'CLUSTER'],
      ['config', 'set', profile, 'rpc-url'],
    ],
  };
}

export function nodeSilent(host: string, because: Reason): Advice {
  return {
    says: `the node ${host} does not say its cluster: ${reasonWords[because]}`,
    todo: 'Payments do not need it. To prove them, and to see balances, try again later or set another rpc-url.',
  };
}

export function mintUnknown(asset: string): Advice {
  return { says: `the node does not say whether the mint of ${asset} is a mint`, todo: 'Try again later.' };
}

export function notTheMint(asset: string, mint: string, profile: string): Advice {
  return {
    says: `the mint of ${asset}, ${mint}, is not a token’s mint on this cluster`,
    todo: 'Set the assets again, with the mints of this cluster:',
    next: [['config', 'set', profile, 'assets', 'JSON']],
  };
}

export function notAWallet(profile: string, wallet: string): Advice {
  return {
    says: `${wallet} is a mint or a token account, not a wallet`,
    todo: 'Set the address of the bot’s own wallet, the owner of its token accounts:',
    next: [['config', 'set', profile, 'wallet', 'ADDRESS']],
  };
}

export function ownedByProgram(wallet: string, program: string): Advice {
  return {
    says: `${wallet} belongs to the program ${program} and may not be a wallet`,
    todo: 'Compare it with the address of the bot’s own wallet.',
  };
}

export function emptyWallet(wallet: string, cluster: string): Advice {
  return {
    says: `the wallet ${wallet} holds nothing on ${cluster}`,
    todo: 'Check the address and the cluster, or add money to it.',
  };
}

export function balanceUncertain(text: string): Advice {
  return { says: text, todo: 'Try again later.' };
}

const nameAnother = 'name another file with --journal';

export function noJournalYet(path: string): string {
  return `none yet; the first command creates ${path}`;
}

export function folderNotWritable(folder: string, trouble: string): Advice {
  return {
    says: `${folder} cannot be written (${trouble}), so nothing can be sent`,
    todo: `Fix its permissions, or ${nameAnother}.`,
  };
}

export function holdsAll({ intents, attempts }: { intents: number; attempts: number }): string {
  return `the journal has everything that it ever had (${counted(intents, 'entry', 'entries')}, ${counted(attempts, 'request')})`;
}

export function noMarkYet(path: string): Advice {
  return {
    says: `${path}.mark does not exist yet: its set-up was interrupted`,
    todo: 'The next send creates it.',
  };
}

export const disks: Readonly<Record<'tmpfs' | 'overlay' | 'network', Advice>> = {
  tmpfs: {
    says: 'the journal is kept in memory (tmpfs): it is lost when this machine stops',
    todo: 'Keep it on a disk: name another file with --journal or BOTCTL_JOURNAL.',
  },
  overlay: {
    says: 'the journal is in a container’s own layer (overlay): it is lost when the container is removed',
    todo: 'Mount a permanent folder, and name a file in it with BOTCTL_JOURNAL. Until then, name what you send: --once NAME.',
  },
  network: {
    says: 'the journal is on a network disk, whose locks may not reach all machines',
    todo: 'Keep it on a local disk.',
  },
};

export function notAJournal(path: string): Advice {
  return { says: `${path} is not a journal`, todo: 'Name the right file with --journal or BOTCTL_JOURNAL.' };
}

export function isDamaged(path: string, check: readonly string[]): Advice {
  return {
    says: `${path} is damaged: ${check.join('; ')}`,
    todo: `Stop botctl, keep a copy of ${path}, and replace it with a backup.`,
  };
}

export function isNewer(path: string, version: number, known: number): Advice {
  return {
    says: `${path} was written by a newer botctl (version ${version}; this one knows ${known})`,
    todo: 'Use the newer botctl.',
  };
}

export function wasMoved(path: string, place: string): Advice {
  return {
    says: `${path} was copied into ${place}, and no longer sends anything itself`,
    todo: 'Name that journal with BOTCTL_JOURNAL or --journal.',
  };
}

export const notDurable: Advice = {
  says: 'this build of SQLite does not commit durably',
  todo: 'Report it, with the output of this:',
  next: [['doctor', '--json']],
};

export function readOnlyJournal(path: string, trouble: string): Advice {
  return {
    says: `${path} can be read but not written (${trouble}), so nothing can be sent`,
    todo: `Fix that, or ${nameAnother}.`,
  };
}

export function notWal(path: string, mode: string): Advice {
  return {
    says: `${path} is in ${mode} mode, not wal`,
    todo: 'The next send sets it. If it does not change, the disk has no shared memory: use a local one.',
  };
}

export function soundJournal(path: string, version: number, known: number): string {
  const old = version < known ? ` (the next send updates it to ${known})` : '';
  return `${path}: version ${version}${old}, quick_check ok, WAL, synchronous FULL`;
}

/** The number of intents in each state. */
export function statesInAList(
  counts: readonly (readonly [state: string, count: number])[],
  waiting: Readonly<Record<string, number>>,
): string {
  const said = ([state, count]: readonly [string, number]): string => `${formatCount(count)} ${state}`;
  const proposals = Object.values(waiting).reduce((sum, count) => sum + count, 0);
  const held = proposals === 0 ? '' : ` (${counted(proposals, 'waits', 'wait')} for approval)`;
  return counts.map((one) => said(one) + (one[0] === 'held' ? held : '')).join(', ') || 'none';
}

export function someUnknown(states: string, oldest: { id: string; since: string } | undefined): Advice {
  const since = oldest === undefined ? '' : `; the oldest unknown is ${oldest.id}, since ${oldest.since}`;
  return {
    says: `${states}${since}`,
    todo: 'Run the same command again, or resume everything that is unknown:',
    next: [
      ['history', '--state', 'unknown'],
      ['resume', '--all'],
    ],
  };
}

export function someHeld(states: string): Advice {
  return {
    says: states,
    todo: 'They are waiting for you to decide. The history shows them:',
    next: [['history', '--state', 'held']],
  };
}

export const onThisMachine = 'the journal’s server is on this machine';
export const verifiedTls = 'the journal’s server must prove its name (sslmode=verify-full)';
export const certifiedTls =
  'the journal’s server needs a certificate of your authority, under any name (sslmode=verify-ca)';

export const noTls: Advice = {
  says: 'the connection to the journal is not encrypted (sslmode=disable): anyone in between can read and change it',
  todo: 'Use sslmode=verify-full, unless the whole network in between is yours.',
};

export const unverifiedTls: Advice = {
  says: 'the journal’s server proves nothing (sslmode=require): anyone in between can answer in its place',
  todo: 'Use sslmode=verify-full, and sslrootcert if the authority is your own.',
};

export function sharedJournal(place: string, serverVersion: number, version: number): string {
  const [major, minor] = [Math.floor(serverVersion / 10_000), serverVersion % 10_000];
  return `${place}: version ${version}, on PostgreSQL ${major}.${minor}`;
}

export const checkTheServer = 'Check the URL, the network in between, and whether the server is running.';

export const durable = 'fsync and full_page_writes are on: what the server acknowledges is on its disk';

export function durabilityAccepted(off: readonly string[]): string {
  return `${listed(off)} off, which was accepted for this journal`;
}

export function serverNotDurable(off: readonly string[]): Advice {
  return {
    says: `${listed(off)} off: the server may lose what it has acknowledged, so no command sends through it`,
    todo: 'Have the setting changed. If its disk is safe without it (as ZFS is without full_page_writes), say so as the owner of the database:',
    next: [['journal', 'accept-durability']],
  };
}

export const isStandby: Advice = {
  says: 'this server is a standby: it can be read, but no command sends through it',
  todo: 'To send, name the server that it follows.',
};

export const noSynchronousStandby =
  'no commit waits for a standby: a standby that is promoted may lack the latest ones';

export function synchronousStandbys(names: string, count: number | undefined): string {
  const there =
    count === undefined ? '' : `; ${counted(count, 'synchronous standby', 'synchronous standbys')} connected`;
  return `commits wait for ${names}${there}`;
}

export function standbyAway(names: string): Advice {
  return {
    says: `commits wait for ${names}, and none of them is connected`,
    todo: 'Start the standby: until then, every command waits.',
  };
}

export function superuser(name: string): Advice {
  return {
    says: `${name} is a superuser, so no rule of the journal applies to it`,
    todo: 'Run botctl with a role of its own. This prints what it needs:',
    next: [['journal', 'grants']],
  };
}

export function ownsTables(name: string): Advice {
  return {
    says: `${name} owns the journal’s tables and could change their rules`,
    todo: 'Run botctl with a role of its own. This prints what it needs:',
    next: [['journal', 'grants']],
  };
}

export const runnersRole = (name: string): string => `${name}, which owns nothing of the journal`;
export const auditorsRole = (name: string): string => `${name}, which may only read`;

export function notesHeld(count: number): string {
  return count === 0
    ? 'this machine has not sent through the journal yet'
    : `the journal has everything that it acknowledged to this machine (${counted(count, 'note')})`;
}

export function notesNotKept(folder: string, trouble: string): Advice {
  return {
    says: `this machine cannot keep notes in ${folder} (${trouble}), so botctl cannot tell whether the journal loses something`,
    todo: 'Make the folder writable, or name another one with XDG_DATA_HOME.',
  };
}

const accepting = {
  todo: `If you can, bring back the server as it was. Otherwise, ${beforeAccepting}`,
  next: [['journal', 'accept-loss']],
} as const;

export const notesMissing = (missing: readonly Note[]): Advice => ({
  says: sharedLoss({ is: 'records', missing }),
  ...accepting,
});
export const newServer: Advice = { says: sharedLoss({ is: 'server-changed' }), ...accepting };

export function lateReplies(folder: string): Advice {
  return {
    says: `replies that came while the journal was unreachable are kept in ${folder}`,
    todo: 'The next command that sends records them. Do not remove them before.',
  };
}

export function lostReply(path: string): Advice {
  return {
    says: `${path} has replies to entries that the journal has lost: they are the only record`,
    todo: 'Look for these in the wallet and the conversations, then keep the file or move it away. The same commands may send them again.',
  };
}

export function runners(count: number, leaseMs: number): string {
  return `${count === 0 ? 'none' : count} at work; after ${formatDuration(leaseMs)} of silence, another one takes over`;
}

const tenths = (ms: number): string => `${ms.toFixed(1)} ms`;

export const roundTrip = (ms: number): string => `${tenths(ms)} for a round trip to the journal’s server`;

export function slow(ms: number): Advice {
  return {
    says: roundTrip(ms),
    todo: 'A single command needs about ten. Run botctl closer to the server.',
  };
}

export function clocks(aheadMs: number): string {
  return `this clock ${formatClockOffset(aheadMs)} the journal’s server, which dates the entries`;
}

export function clockApart(aheadMs: number): Advice {
  return { says: clocks(aheadMs), todo: 'Set the clock of this machine, or the server’s.' };
}

export function metricsPlaceTaken(path: string, by: 'link' | 'other'): Told {
  const what = by === 'link' ? 'is a link' : 'is there already, and holds no metrics';
  return new Told('bad-file', `${path} ${what}. It was left unchanged`, {
    hint: 'Name another file with --prometheus.',
  });
}

export function metricsNotWritten(path: string, reason: string, cause: unknown): Told {
  return new Told('machine-fault', `The metrics could not be written to ${path}: ${reason}.`, {
    hint: 'Make its folder writable. An earlier file is unchanged.',
    cause,
  });
}

export const namedByConfig = 'botctl config journal names it for all commands on this machine';
