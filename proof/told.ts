import { exitTable } from '../src/once/failures.ts';
import type { LedgerEffect } from '../test/support/sandbox.ts';
import { objectsOf, type Ran } from './run.ts';

const documented = new Set<number>(exitTable.map(({ exit }) => exit));
const nothingHappened: readonly (number | null)[] = [2, 3, 4, 5, 6, 7, 8, 130];
/** Exit 8 for these speaks of this run alone: what an earlier one did stands in the journal that is away. */
const outages: readonly (string | undefined)[] = ['journal-unreachable', 'journal-busy', 'fenced'];

type Said = {
  outcome?: string;
  entry?: { key?: string };
  message?: { id?: string };
  transfer?: { signature?: string };
  error?: { code?: string; message?: string };
};

/** What one command said about its entry. */
export function toldBy(ran: Ran) {
  const said = (objectsOf(ran)?.[0] ?? {}) as Said;
  return {
    exit: ran.code,
    outcome: said.outcome,
    key: said.entry?.key,
    effect: said.message?.id ?? said.transfer?.signature,
    message: said.error?.message ?? '',
    /** The failure's name. */
    failure: said.error?.code,
  };
}

const ofTheJournal = ['journal-lost', 'journal-damaged', 'journal-unusable', 'journal-gone'];

/** What a command said about an untrusted journal, if it said nothing about an entry. */
export function journalRefusal(ran: Ran): string | undefined {
  const { failure, message } = toldBy(ran);
  if (failure !== undefined && ofTheJournal.includes(failure)) return failure;
  // What can still be read of it says that an earlier run may have happened: then that is told as well.
  return /may have happened/u.test(message) && /left unchanged|journal is damaged/u.test(message)
    ? 'in doubt'
    : undefined;
}

/** Not refusals of the journal: a server can be away, and a process that was silent for too long is told so. */
const brokenRule =
  /could not record it: (?!This process was silent|The journal \S+ (cannot be reached|has lost))|violates|constraint/u;

/** What no command may ever do. */
export function misbehaviour(ran: Ran, isDiskFailing = false, isShared = false): string[] {
  const found: string[] = [];
  if (ran.signal === 'SIGSEGV' || ran.signal === 'SIGABRT' || ran.signal === 'SIGBUS')
    found.push(`it crashed: ${ran.signal}`);
  if (ran.code !== null && !documented.has(ran.code)) found.push(`exit ${ran.code} is not documented`);
  if (/\n\s+at .+:\d+:\d+\)?/u.test(ran.stdout + ran.stderr)) found.push(`a stack trace: ${shortened(ran)}`);
  if (/botctl itself failed/u.test(ran.stdout + ran.stderr)) found.push(`a bug: ${shortened(ran)}`);
  if (!isDiskFailing && /database is locked|SQLITE_BUSY/u.test(ran.stdout + ran.stderr))
    found.push(`a busy journal reached the user: ${shortened(ran)}`);
  // On a sound disk the journal takes whatever the engine gives it: what it refuses breaks the promise.
  const couldNotGoOn = isShared ? brokenRule : /the journal could not record it|constraint failed/u;
  if (!isDiskFailing && couldNotGoOn.test(ran.stdout + ran.stderr))
    found.push(`the journal refused something: ${shortened(ran)}`);
  const end = ran.argv.indexOf('--');
  const options = end < 0 ? ran.argv : ran.argv.slice(0, end);
  const isHelp = options.some((word) => /^(help|--help|-h|--version)$/u.test(word));
  if (ran.code !== null && options.includes('--json') && !isHelp) {
    const objects = objectsOf(ran);
    if (objects === undefined) found.push(`stdout is no JSON: ${shortened(ran)}`);
    else if (objects.length === 0 && !isList(ran)) found.push(`nothing on stdout: ${shortened(ran)}`);
  }
  return found;
}

/** What no command may do where the machine is fast enough. */
export function lateness(ran: Ran, isDiskFailing = false): string[] {
  if (ran.hung) return [`it hung: ${ran.argv.join(' ')}`];
  const isBusy = !isDiskFailing && /kept busy/u.test(ran.stdout + ran.stderr);
  return isBusy ? [`the journal was kept busy for too long: ${shortened(ran)}`] : [];
}

/** How a command says that a lease, a timeout or its patience with others ran out. */
const outOfTime = /\bin time\b|\btook too long\b|\bfor too long\b|still at work after/u;
/** Exits of what has not come to its end: it is right to run it again. */
const unfinished: readonly (number | null)[] = [7, 8, 9, 11];

/** It did not come to its end because a lease, a timeout, its own --max-wait or the proof's patience ran out. */
export function ranOutOfTime(ran: Ran): boolean {
  // Also where a doctor lists it.
  if (lateness(ran).length > 0) return true;
  if (ran.code === 0 || ran.code === null) return false;
  if (unfinished.includes(ran.code) && ran.tookMs >= maxWaitMs(ran)) return true;
  const said = (objectsOf(ran) ?? []) as Said[];
  return said.some(({ error: { code, message } = {} }) => code === 'fenced' || outOfTime.test(message ?? ''));
}

/** The `--max-wait` that it was given, or botctl's own. */
function maxWaitMs({ argv }: Ran): number {
  const [, count = '60', unit = 's'] =
    /^(\d+)(ms|s)$/u.exec(argv[argv.indexOf('--max-wait') + 1] ?? '') ?? [];
  return Number(count) * (unit === 's' ? 1000 : 1);
}

/** Commands that print a line per item, and possibly none. */
function isList({ argv }: Ran): boolean {
  return argv.some((word) => ['history', 'resume', 'approve', 'list', 'batch'].includes(word));
}

export function shortened({ code, signal, stdout, stderr }: Ran): string {
  return `exit ${code ?? signal}; ${stdout.slice(-600)} ${stderr.slice(0, 400)}`.replace(/\s+/gu, ' ').trim();
}

/** Statements that contradict what had happened by then. */
export function untrue(ran: Ran, effects: readonly LedgerEffect[], isElsewhere = false): string[] {
  return ran.argv[0] === 'batch'
    ? untrueOfRows(ran, effects, isElsewhere)
    : untrueOfOne(ran, effects, isElsewhere);
}

/** A batch's exit code covers all its rows, and each row has a line of its own. */
function untrueOfRows(ran: Ran, effects: readonly LedgerEffect[], isElsewhere: boolean): string[] {
  const rows = (objectsOf(ran) ?? []).filter((one) => 'entry' in one) as Said[];
  const happened = new Set(effects.map(({ key }) => key));
  const wrong = rows.flatMap(({ outcome, entry }) => {
    const isDone = happened.has(entry?.key ?? '');
    if (outcome === 'accepted' && !isDone)
      return [`it said accepted of ${entry?.key}, and it had not happened`];
    if (!isElsewhere && (outcome === 'rejected' || outcome === 'open') && isDone)
      return [`it said ${outcome} of ${entry?.key}, and it had happened`];
    return [];
  });
  const isAllDone = rows.every(({ outcome }) => outcome === 'accepted' || outcome === 'resolved');
  if (ran.code === 0 && !isAllDone) wrong.push('exit 0 with a row that is not done');
  if (nothingHappened.includes(ran.code) && rows.length > 0 && isAllDone)
    wrong.push(`exit ${ran.code} with every row done`);
  return wrong;
}

function untrueOfOne(ran: Ran, effects: readonly LedgerEffect[], isElsewhere: boolean): string[] {
  const { exit, outcome, key, effect, message, failure } = toldBy(ran);
  if (exit === null || outages.includes(failure)) return [];
  const own = key === undefined ? effects : effects.filter((one) => one.key === key);
  const ids = own.flatMap(({ id, signature }) => [id, signature]);
  const said = `it said ${outcome ?? 'nothing'}, exit ${exit}`;
  if (exit === 0) {
    if (outcome !== 'accepted') return [`exit 0 without an accepted entry (${said})`];
    if (own.length === 0) return [`${said}, and it had not happened`];
    return effect === undefined || ids.includes(effect)
      ? []
      : [`${said}, and named ${effect}, which is another`];
  }
  // A second machine can only speak of what it did itself, and has to say that.
  if (isElsewhere && /This request (?:made no transfer|sent no message)\./u.test(message)) return [];
  // And open says no more than that nothing of it has left this machine.
  if (isElsewhere && outcome === 'open') return [];
  if (nothingHappened.includes(exit) && own.length > 0) return [`${said} (${message}), and it had happened`];
  return [];
}
