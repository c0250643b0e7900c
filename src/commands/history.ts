import { parseDuration } from '../bot/duration.ts';
import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { historyDetail, historyHeading, historyLine } from '../display/historyView.ts';
import type { Exit } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import { type Intent, type Journal, type Selection, type State, states } from '../journal/journal.ts';
import {
  emptySandbox,
  noIntentMatches,
  noJournalYet,
  notAKind,
  notALimit,
  notASince,
  notAState,
} from '../words/history.ts';
import { durationRule } from '../words/settings.ts';
import { intentById } from './intentById.ts';
import { isJournalThere, journalLocation, openJournalOf, shownLocation } from './journalPath.ts';
import { markReported } from './markReported.ts';
import { storedReport } from './storedReport.ts';

export const run: Run = async (given, context) => {
  const wanted = parse(given);
  const [id] = given.args;
  if (id === undefined && !(await isJournalThere(given, context))) return sayEmpty(given, context);
  const journal = await openJournalOf(given, context, 'look');
  try {
    return await (id === undefined
      ? list(selectionOf(wanted, journal), journal, given, context)
      : detail(id, journal, given, context));
  } finally {
    await journal.close();
  }
};

function selectionOf({ agoMs, ...rest }: Wanted, { clock }: Journal): Selection {
  return { ...rest, ...(agoMs === undefined ? {} : { sinceMs: clock.now() - agoMs }) };
}

const defaultLimit = 20;

/** `since` is how long ago: by the journal's own clock, once it is open. */
type Wanted = Omit<Selection, 'sinceMs'> & { readonly agoMs?: number };

function parse(given: Given): Wanted {
  const state = given.text('state');
  const kind = given.text('kind');
  const since = given.text('since');
  const limit = given.text('limit');
  if (state !== undefined && !isState(state)) throw notAState(state, states);
  if (kind !== undefined && !isKind(kind)) throw notAKind(kind);
  if (limit !== undefined && !/^[1-9]\d{0,8}$/u.test(limit)) throw notALimit(limit);
  const agoMs = since === undefined ? undefined : parseDuration(since);
  if (since !== undefined && agoMs === undefined) throw notASince(since, durationRule);
  return {
    ...(state === undefined ? {} : { states: [state] }),
    ...(kind === undefined ? {} : { kind }),
    ...(agoMs === undefined ? {} : { agoMs }),
    limit: limit === undefined ? defaultLimit : Number(limit),
  };
}

function isState(text: string): text is State {
  return (states as readonly string[]).includes(text);
}

function isKind(text: string): text is Kind {
  return text === 'message' || text === 'transfer';
}

async function sayEmpty(given: Given, context: Context): Promise<Exit> {
  context.display.notice(
    given.flag('sandbox') && given.text('journal') === undefined
      ? emptySandbox
      : noJournalYet(await shownLocation(await journalLocation(given, context))),
  );
  return 0;
}

async function list(selection: Selection, journal: Journal, given: Given, context: Context): Promise<Exit> {
  const { display } = context;
  // Those whose process died are unknown, and are to be listed as that.
  if (!journal.isReadOnly) await recordDeaths(journal);
  let count = 0;
  for await (const intents of inPages(journal.reads.select(selection))) {
    if (count === 0 && display.face === 'human' && !display.quiet) {
      await display.show({ json: {}, human: historyHeading });
    }
    count += intents.length;
    const reports = intents.map((intent) => storedReport(intent, given.command, journal.reads));
    // What can be read is shown before it is said what cannot.
    for (const report of await Promise.allSettled(reports)) {
      if (report.status === 'rejected') throw report.reason;
      if ((await display.show(historyLine(report.value))) === 'closed') return 0;
    }
  }
  if (count === 0) display.notice(noIntentMatches);
  return 0;
}

// What is asked of the journal in one breath may be one question to it.
const pageLength = 100;

async function* inPages(intents: AsyncIterable<Intent>): AsyncGenerator<readonly Intent[]> {
  let page: Intent[] = [];
  const noTrouble = Symbol();
  let trouble: unknown = noTrouble;
  try {
    for await (const intent of intents) {
      page.push(intent);
      if (page.length < pageLength) continue;
      const whole = page;
      page = [];
      yield whole;
    }
  } catch (thrown) {
    trouble = thrown;
  }
  if (page.length > 0) yield page;
  if (trouble !== noTrouble) throw trouble;
}

async function recordDeaths({ reads, commit, clock }: Journal): Promise<void> {
  for await (const { id, ownerLives } of reads.select({ states: ['sending'], limit: 1000 })) {
    if (!ownerLives) await commit((tx) => tx.recordDeath(id, clock.now()));
  }
}

async function detail(beginning: string, journal: Journal, given: Given, context: Context): Promise<Exit> {
  const { display } = context;
  const found = await intentById(beginning, journal);
  if (!journal.isReadOnly && found.state === 'sending' && !found.ownerLives)
    await journal.commit((tx) => tx.recordDeath(found.id, journal.clock.now()));
  const intent = await intentById(found.id, journal);
  const view = historyDetail(
    await storedReport(intent, given.command, journal.reads),
    await journal.reads.attemptsOf(intent.id),
    await journal.reads.decisionsOf(intent.id),
  );
  const written = await display.show(view);
  if (written === 'written' && intent.state === 'accepted' && !journal.isReadOnly)
    await markReported(intent, journal, context);
  return 0;
}
