import { exitOf, type Failure, type FailureCode, retryOf, stopsAll } from '../../once/failures.ts';
import { identityUrl, parseBaseUrl, sandboxBaseUrl } from '../../once/intent/baseUrl.ts';
import type { Naming, Order } from '../../once/intent/naming.ts';
import { canonicalOf, fingerprint, type Kind } from '../../once/intent/wanted.ts';
import type { Intent, Journal } from '../../once/journal/journal.ts';
import type { Context, ParsedArgs } from '../parse/command.ts';
import { inWords } from '../say/inWords.ts';
import { counted } from '../say/phrases.ts';
import { Told } from '../say/told.ts';
import { isJournalThere, journalLocation, openWithoutWarning, whileOpen } from './openJournal.ts';

/**
 * If a command cannot start, for lack of a token or a journal, an earlier run of it may still have sent something. If
 * the journal can be read, the failure reports that.
 */
export async function withEarlierRun(
  thrown: unknown,
  order: Order,
  given: ParsedArgs,
  context: Context,
  journal?: Pick<Journal, 'self'>,
): Promise<Told> {
  const failure = await inWords(thrown);
  // The check just before sending raises this, so it was this very command that was kept from sending.
  if (failure.code === 'journal-gone') return failure;
  const earlier = await earlierOf(failure, order.wanted.kind, given, context);
  if (earlier === 'untold') return cannotBeTold(failure);
  const self = journal && selfOf(journal);
  const [found] = earlier.filter((intent) => isSame(intent, order) && !isBegunBy(self, intent));
  if (found === undefined) return failure;
  return earlierMayHaveHappened(failure, found, retryOf(failure.code) === 'same-command');
}

function selfOf(journal: Pick<Journal, 'self'>): string | undefined {
  try {
    return journal.self();
  } catch {
    // Without an identity it owns nothing.
    return undefined;
  }
}

/** This run recorded it, and nothing was sent. */
function isBegunBy(self: string | undefined, { owner, tainted }: Intent): boolean {
  return self !== undefined && owner === self && !tainted;
}

/** The same for the rows of a batch. */
export async function withEarlierRows(
  thrown: unknown,
  { kind, name }: { readonly kind: Kind; readonly name: string },
  given: ParsedArgs,
  context: Context,
): Promise<Told> {
  const failure = await inWords(thrown);
  const earlier = await earlierOf(failure, kind, given, context);
  if (earlier === 'untold') return cannotBeTold(failure);
  const rows = earlier.filter((intent) => intent.namedBy === 'row' && intent.name === name).length;
  return rows === 0
    ? failure
    : new Told('stopped', failure.message, {
        ...failure.details,
        earlier: `${counted(rows, 'row')} of this batch may have happened in an earlier run.`,
        cause: failure,
      });
}

/** The undecided intents at this base URL, whichever bot sent them, or 'untold' if the journal cannot be read. */
async function earlierOf(
  failure: Failure,
  kind: Kind,
  given: ParsedArgs,
  context: Context,
): Promise<readonly Intent[] | 'untold'> {
  const { code } = failure;
  const mayHideDoubt = stopsAll(code) || exitOf(code) === 3 || othersThatHideDoubt.includes(code);
  if (!mayHideDoubt || failure.code === 'bug') return [];
  // The fault that kept the journal from being opened would now keep it from being read.
  if (unaskable.includes(failure.code)) return 'untold';
  if (!(await isJournalThere(given, context))) return [];
  try {
    const { undecidedIntents } = await import('../../once/journal/file/lookOnly.ts');
    const baseUrl = knownBaseUrl(given, context);
    const location = await journalLocation(given, context);
    const undecided =
      location.is === 'shared'
        ? await undecidedOnShared(kind, given, context)
        : undecidedIntents(location.path, kind);
    return undecided.filter((intent) => baseUrl === undefined || intent.baseUrl === baseUrl);
  } catch {
    return 'untold';
  }
}

const othersThatHideDoubt: readonly FailureCode[] = ['no-such-profile', 'no-answer'];
const unaskable: readonly FailureCode[] = ['journal-unreachable', 'journal-schema', 'journal-denied'];

async function undecidedOnShared(kind: Kind, given: ParsedArgs, context: Context): Promise<Intent[]> {
  return whileOpen(openWithoutWarning(given, context, 'look'), async (journal) => {
    const undecided: Intent[] = [];
    const states = ['unknown', 'sending', 'held'] as const;
    for await (const intent of journal.reads.select({ states, kind, limit: Number.MAX_SAFE_INTEGER }))
      undecided.push(intent);
    return undecided;
  });
}

function knownBaseUrl(given: ParsedArgs, { env }: Context): string | undefined {
  if (given.flag('sandbox')) return sandboxBaseUrl;
  const text = given.text('base-url') ?? env.BOTCTL_BASE_URL;
  return text === undefined ? undefined : identityUrl(parseBaseUrl(text));
}

/** Ignores the bot: it may be what is unknown. */
function isSame(intent: Intent, { naming, wanted }: Order): boolean {
  const sameBody = intent.fingerprint === fingerprint(canonicalOf(wanted));
  return isSameName(intent, naming, sameBody);
}

function isSameName({ namedBy, name, key }: Intent, naming: Naming, sameBody: boolean): boolean {
  switch (naming.by) {
    case 'nothing':
      return namedBy === undefined && sameBody;
    case 'run':
      return namedBy === 'run' && name === naming.name && sameBody;
    case 'key':
      return key === naming.key;
    case 'once':
    case 'row':
      return namedBy === naming.by && name === naming.name;
  }
}

type Earlier = { readonly id: string; readonly key: string; readonly state: string };

function earlierMayHaveHappened(cause: Told, { id, state }: Earlier, isRunAgainAnyway: boolean): Told {
  const { message, details } = cause;
  const goesOn = 'Then run the same command again: it continues where that one stopped.';
  return new Told(state === 'held' ? 'held' : 'unknown', message, {
    ...details,
    earlier: `It may have happened in an earlier run of this command (ID ${id}, ${state}).`,
    hint: isRunAgainAnyway
      ? (details.hint ?? goesOn)
      : `${(details.hint ?? '').replace(/:$/u, '.')} ${goesOn}`.trim(),
    next: [...(details.next ?? []), ['history', id]],
    cause,
  });
}

function cannotBeTold({ code, message, details }: Told): Told {
  const earlier = 'Without the journal, botctl cannot tell whether an earlier run did this.';
  return new Told(code, message, { ...details, earlier });
}
