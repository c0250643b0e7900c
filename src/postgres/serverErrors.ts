import { errorCodeOf } from '../machine/disk.ts';
import { Failure } from '../once/failures.ts';
import { Overtaken } from '../once/journal/verbs.ts';
import { type Denial, type ServerTrouble, ServerTroubleError, sharedFailure } from './failures.ts';

/** Part of the server's error if the process that answers is not the one that the connection began with. */
export const elsewhere = 'another process than this connection began with';

const driverSays = /^(?:Connection terminated|Client (?:was closed|has encountered))/u;

/** Whether a different server process answered: a pooler has switched connections, or allows no transactions. */
export function isElsewhere(error: unknown): boolean {
  const code = errorCodeOf(error) ?? '';
  const said = error instanceof Error ? error.message : '';
  return (code === '22P02' && said.includes(elsewhere)) || noTransactions.test(said);
}

/** PgBouncer's own words. */
const noTransactions = /statement pooling mode/u;

const networkCodes = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/u;

export function isOfNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ServerTroubleError) return true;
  return driverSays.test(error.message) || networkCodes.test(errorCodeOf(error) ?? '') || isOfPooler(error);
}

/** PgBouncer uses one code both if its own connection to the server ends (FATAL) and for mistakes (not FATAL). */
function isOfPooler(error: Error): boolean {
  const isFatal = 'severity' in error && error.severity === 'FATAL';
  return isFatal && errorCodeOf(error) === '08P01' && !noTransactions.test(error.message);
}

/** Whether the session is over: by a shutdown, an administrator or a time limit, or a pooler lost its server. */
export function isLastWord(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /^(?:57P0[1-5]|25P0[34])$/u.test(errorCodeOf(error) ?? '') || isOfPooler(error);
}

const ruleOfJournal = 'ZJ001';

const lockTimedOut = '55P03';

/** A transaction took too long, mostly by waiting for others. */
const tookTooLong = '25P04';

const readOnly = '25006';

/** The transaction was rolled back whole and may succeed when it is tried again. */
const passing = [
  '40001', // could not serialize
  '40P01', // deadlock
  lockTimedOut,
  '57014', // a statement took too long
  '23505', // another process was quicker
  readOnly, // it has become a standby
  '25P02', // an earlier error in the same transaction
  '25P03', // idle in the transaction for too long
  tookTooLong,
  '57P01', // shutting down
  '57P02',
  '57P03', // starting up
  '57P05', // idle for too long
  '53200', // out of memory
  '53300', // too many connections
  ruleOfJournal, // the data changed after it was read
];

/** Whether an immediate retry would only meet the same error. */
export function needsTime(error: unknown): boolean {
  return isOfNetwork(error) || /^5[37]|^55P03$|^25P04$/u.test(errorCodeOf(error) ?? '');
}

/** Whether it waited for a lock or another slow answer. */
export function isHeldUp(error: unknown): boolean {
  const code = errorCodeOf(error);
  return code === lockTimedOut || code === tookTooLong || isSilent(error);
}

/** Whether the server accepted the connection and then did not answer: it is busy, or cut off. */
function isSilent(error: unknown): boolean {
  return error instanceof ServerTroubleError && error.trouble.is === 'silent';
}

export function isPassing(error: unknown): boolean {
  return error instanceof Overtaken || passing.includes(errorCodeOf(error) ?? '');
}

/** Whether to wait and connect again: the server is busy, connections become free, or it has just been started. */
export function isComingBack(error: unknown): boolean {
  return isSilent(error) || ['53300', '57P03', '57P01', '57P02', '57P05'].includes(errorCodeOf(error) ?? '');
}

/** Whether a commit was made here, but the server did not wait for the standby that must have it. */
export function isUnawaited({ warnings = [] }: { readonly warnings?: readonly string[] }): boolean {
  return warnings.includes(waitWasCancelled);
}

const waitWasCancelled = '01000';

/** A commit is made, but a standby may not have it. */
export class NotOnStandby extends Error {}

const denials: Readonly<Record<string, Denial>> = {
  28000: 'user',
  '28P01': 'user',
  '3D000': 'database',
  42501: 'rights',
};

export function isDenied(error: unknown): boolean {
  return denialOf(error) !== undefined;
}

function denialOf(error: unknown): Denial | undefined {
  return denials[errorCodeOf(error) ?? ''];
}

/** The driver's own words, because it has no code for this. */
const noTls = 'The server does not support SSL connections';

const certificateCodes = /CERT|^UNABLE_TO_VERIFY_|^HOSTNAME_MISMATCH$/u;

/** Why a connection cannot be made, or no longer works. */
export function unreachable(error: unknown, place: string): unknown {
  if (error instanceof Error && error.message === noTls) return sharedFailure('no-tls', { place }, error);
  const trouble = troubleOf(error);
  if (certificateCodes.test(errorCodeOf(error) ?? ''))
    return sharedFailure('certificate-refused', { place, trouble }, error);
  const failure = serverFailure(error, place);
  return failure instanceof Failure ? failure : sharedFailure('unreachable', { place, trouble }, error);
}

/** The server's error as a failure with a name; any other error unchanged. */
export function serverFailure(error: unknown, place: string): unknown {
  const code = errorCodeOf(error);
  if (error instanceof Failure || code === undefined) return error;
  const denial = denialOf(error);
  const trouble = troubleOf(error);
  if (denial !== undefined)
    return sharedFailure('denied', { place, denial, role: roleIn(place), trouble }, error);
  if (isElsewhere(error)) return sharedFailure('through-pooler', { place }, error);
  if (code === '53100') return sharedFailure('disk-full', { place }, error);
  if (code === readOnly) return sharedFailure('role-reads-only', { place }, error);
  if (code === lockTimedOut || code === tookTooLong) return sharedFailure('busy', { place }, error);
  if (code === ruleOfJournal || code.startsWith('23'))
    return sharedFailure('rules-refused', { place, trouble }, error);
  return isPassing(error) || isOfNetwork(error)
    ? sharedFailure('unreachable', { place, trouble }, error)
    : error;
}

/** The role in a journal's URL. */
function roleIn(place: string): string {
  return decodeURIComponent(/^postgres:\/\/([^@/]*)@/u.exec(place)?.[1] ?? '');
}

function troubleOf(error: unknown): ServerTrouble {
  if (error instanceof ServerTroubleError) return error.trouble;
  const inner: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const said = inner instanceof Error ? inner.message : String(inner);
  const text = said === '' ? errorCodeOf(inner) : said;
  return text === undefined ? { is: 'no-reason' } : { is: 'said', text };
}
