import type { Advice } from './doctorJournal.ts';
import { listed } from './list.ts';
import { formatClockOffset, isoDay, isoExact } from './time.ts';
import { insecureTlsHint } from './wire.ts';

/** Where a failure has no hint of its own. */
export const lookCloser = { todo: 'See the details:', next: [['doctor', '--verbose']] } as const;

export const nodeVersion = (version: string): string => `Node ${version}`;

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

export function tokenFrom(source: string): string {
  return `from ${source}; its permissions show when it is used`;
}

export function profilesIn(file: string, count: number, inUse: string | undefined): string {
  return count === 0 ? 'none' : `${count} in ${file}${inUse === undefined ? '' : `, ${inUse} in use`}`;
}

export function addressFails(baseUrl: string, isReached: boolean, trouble: string | undefined): string {
  return `${baseUrl} cannot be ${isReached ? 'used' : 'reached'}: ${trouble ?? 'nothing says why'}`;
}

export function checkTheProxy(proxy: string): string {
  return `Check the proxy ${proxy} (HTTPS_PROXY, NO_PROXY), then the base URL.`;
}

export const checkTheAddress =
  'Check the base URL, the network, and whether a proxy is needed (HTTPS_PROXY).';

/** `protocol` is absent where the address is not encrypted. */
export function addressAnswers(baseUrl: string, protocol: string | undefined): string {
  return protocol === undefined ? `${baseUrl} answers` : `${baseUrl} answers with ${protocol}`;
}

export function certificateEnds(answers: string, endsAtMs: number): Advice {
  return {
    says: `${answers}; its certificate ends on ${isoDay(endsAtMs)}`,
    todo: 'Tell whoever runs the service.',
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
    todo: 'Set the clock: with this one, unknown transfers count as too old and are held.',
  };
}

export const clockNotCompared: Advice = {
  says: 'not compared with the service’s: the doctor saw no Date header from it',
  todo: 'Compare it with a clock that you trust.',
  next: [{ shell: [['date', '-u']] }],
};

export const setTheClock = 'Set the clock: the age of an unknown transfer is measured with it.';

export function clockAgainstService(aheadMs: number): string {
  return `${formatClockOffset(aheadMs)} the service’s`;
}
