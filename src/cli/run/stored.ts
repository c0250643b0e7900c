import { chainViewOf } from '../../chain/paidAgain.ts';
import { type ChainView, isFinalMatch, isPaidAgain, signatureIn } from '../../chain/verdict.ts';
import type { Until } from '../../chain/verify.ts';
import { isProposal } from '../../once/engine/standing.ts';
import { asFailure, type Exit, failureWith } from '../../once/failures.ts';
import type { Attempt, Entry, Journal, Reads } from '../../once/journal/journal.ts';
import type { App } from '../app.ts';
import type { Display } from '../show/display.ts';
import { transferOf } from '../show/reply.ts';
import type { Report } from '../show/report.ts';
import { chainWarnings, contradicted, paidAgain, provenAgainst, undecided } from '../wording/chain.ts';
import { type Problem, problemOf } from '../wording/problem.ts';
import { optionWords } from '../wording/suggest.ts';

/** A report from the journal alone, for a command that sends nothing. */
export async function storedReport(entry: Entry, command: string, reads: Reads): Promise<Report> {
  return {
    command,
    entry,
    attempt: await reads.decisiveAttempt(entry.id),
    replayed: false,
    warnings: [],
    signature: await signatureOf(entry, reads),
    chain: await chainViewOf(entry, reads),
    ...(await decisionsShown(entry, command, reads)),
  };
}

/** The decisions to show: who asked for approval and who answered, if the command or the entry is about that. */
export async function decisionsShown(
  entry: Entry,
  command: string,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<Pick<Report, 'decisions'>> {
  const isAbout = command === 'approve' || isProposal(entry) || entry.state === 'declined';
  return isAbout ? { decisions: await reads.decisionsOf(entry.id) } : {};
}

/** The signature that an operator noted with “happened”; undefined if that decision was overruled. */
export async function signatureOf(
  entry: Entry,
  reads: Pick<Reads, 'decisionsOf'>,
): Promise<string | undefined> {
  if (entry.state !== 'resolved' || entry.resolvedAs !== 'happened') return undefined;
  const decisions = await reads.decisionsOf(entry.id);
  return decisions.findLast(({ kind }) => kind === 'happened')?.signature;
}

/** Notes that the outcome was reported. Only unnamed entries need it, to tell a re-run from a second order. */
export async function markReported(
  { id, namedBy }: Pick<Entry, 'id' | 'namedBy'>,
  journal: Pick<Journal, 'commit' | 'clock'>,
  display: Pick<Display, 'step'>,
): Promise<void> {
  if (namedBy !== undefined) return;
  try {
    await journal.commit((tx) => tx.markReported(id, journal.clock.now()));
  } catch (thrown) {
    // The outcome was reported. At worst a later run shows it again instead of doing it again.
    display.step(`not noted as reported: ${asFailure(thrown).message}`);
  }
}

/** A journal that cannot be written, as on a full disk, can still be read. */
export async function noteDeaths(
  { reads, commit, clock, isReadOnly }: Journal,
  { display }: Pick<App, 'display'>,
): Promise<void> {
  if (isReadOnly) return;
  try {
    for await (const { id, ownerLives } of reads.select({ states: ['sending'], limit: 1000 })) {
      if (!ownerLives) await commit((tx) => tx.recordDeath(id, clock.now()));
    }
  } catch (thrown) {
    const { code, message } = asFailure(thrown);
    if (code !== 'journal-not-writable') throw thrown;
    display.warn(`${message} An entry shown as sending may have happened: its process has ended.`);
  }
}

const leastCharacters = 4;

type ReadableJournal = Pick<Journal, 'reads' | 'place'>;

/** The only entry whose ID starts with this text or, if no ID does, the one with that name. */
export async function entryByIdOrName(text: string, journal: ReadableJournal): Promise<Entry> {
  const entry = (await startingWith(text, journal)) ?? (await named(text, journal));
  if (entry !== undefined) return entry;
  if (text.length < leastCharacters)
    throw failureWith('usage')`"${text}" is too short for an ID
      Give an ID, or at least its first ${leastCharacters} characters. The history lists entries and their names:
      $ history`;
  throw failureWith(
    'no-such-entry',
  )`No entry in ${journal.place} is named "${text}" or has an ID that begins with it
    The history lists entries and their names (for another journal, add --journal; for the sandbox’s, --sandbox):
    $ history`;
}

async function startingWith(beginning: string, { reads }: ReadableJournal): Promise<Entry | undefined> {
  const exact = await reads.get(beginning);
  if (exact !== undefined || beginning.length < leastCharacters) return exact;
  const [first, other] = await reads.startingWith(beginning);
  if (first !== undefined && other !== undefined)
    throw failureWith('usage')`Several entries begin with "${beginning}" (${first.id}, ${other.id}, …)
      Give more characters of the ID.`;
  return first;
}

const mostListed = 10;

async function named(name: string, { reads }: ReadableJournal): Promise<Entry | undefined> {
  if (name === '') return undefined;
  for await (const _row of reads.select({ batch: name, limit: 1 }))
    throw failureWith('usage', { next: [['history', ...optionWords({ name: 'batch', value: name })]] })`
      "${name}" names a batch
      Give the ID of one of its rows. This lists them:`;
  const entries: Entry[] = [];
  for await (const entry of reads.select({ name, limit: mostListed })) entries.push(entry);
  if (entries.length > 1)
    throw failureWith('usage')`Several entries are named "${name}" (${entries.map(({ id }) => id).join(', ')})
      Give the ID of one. The history lists them:
      $ history`;
  return entries[0];
}

/** Adds the chain's answer. `until` is set if a look was just made: the commitment it asked for. */
export function withChain(report: Report, chain: ChainView | undefined, until?: Until): Report {
  const { entry, warnings } = report;
  return {
    ...report,
    chain,
    problem: chainProblem(report, chain, until) ?? report.problem,
    warnings: [...warnings, ...chainWarnings(entry, chain)],
  };
}

/**
 * The chain's objection to a transfer, or undefined. `until` is set if a look was just made: the commitment it asked
 * for. Without a look, only an objection to an accepted transfer counts.
 */
function chainProblem(report: Report, view: ChainView | undefined, until?: Until): Problem | undefined {
  const { entry, attempt } = report;
  const isAccepted = entry.state === 'accepted';
  if (view === undefined || !(isAccepted || until !== undefined)) return undefined;
  const again = isAccepted ? paidAgainIn(view, attempt) : undefined;
  if (again !== undefined) return problemOf(paidAgain(entry, again));
  if (view.verdict === 'contradicted') return problemOf(contradicted(entry, view));
  if (view.verdict === 'proven' && entry.resolvedAs === 'did-not-happen')
    return problemOf(provenAgainst(entry, view));
  const isInDoubt = entry.state === 'unknown' || entry.state === 'held';
  const isReached = isFinalMatch(view) || (view.verdict === 'likely' && until === 'confirmed');
  if (until === undefined || (isReached && !isInDoubt)) return undefined;
  return problemOf(undecided(entry, view, transferOf(report)?.transfer_id !== undefined));
}

/** All signatures, if more than one such payment left the wallet. */
function paidAgainIn(view: ChainView, attempt: Attempt | undefined): readonly string[] | undefined {
  if (isPaidAgain(view)) return view.payments?.map(({ signature }) => signature);
  const replied = attempt === undefined ? undefined : signatureIn(attempt);
  const { verdict, signature } = view;
  const isOther = verdict === 'proven' && signature !== undefined && replied !== undefined;
  if (view.payments?.some((one) => one.signature === replied)) return undefined;
  return isOther && signature !== replied ? [signature, replied] : undefined;
}

/** Exit codes that another run of the same command may improve. */
const unfinished: readonly Exit[] = [7, 8, 9, 11, 130];

/** One entry gives its own exit code. With several, unfinished ones come first, then those that wait for a person. */
export function combineExits(exits: readonly Exit[]): Exit {
  const left = exits.filter((exit) => exit !== 0);
  const [only = 0] = left;
  if (exits.length === 1 || left.length === 0) return only;
  if (left.some((exit) => unfinished.includes(exit))) return 11;
  if (left.includes(10)) return 10;
  return left.includes(1) ? 1 : 2;
}
