import { statSync } from 'node:fs';
import type { Given } from '../cli/given.ts';
import type { Run } from '../cli/spec.ts';
import type { Context } from '../context.ts';
import { historyDetail, historyHeading, historyLine } from '../display/historyView.ts';
import { type Exit, Failure } from '../errors.ts';
import type { Kind } from '../intent/wanted.ts';
import { type Journal, type Selection, type State, states } from '../journal/journal.ts';
import { durationRule, parseDuration } from '../profile/duration.ts';
import { intentById } from './intentById.ts';
import { journalPath, openJournalOf } from './journalPlace.ts';
import { storedReport } from './storedReport.ts';
import { keepThatItWasTold } from './telling.ts';

export const run: Run = async (given, context) => {
  const selection = parse(given, context);
  const [id] = given.args;
  if (id === undefined && isMissing(journalPath(given, context))) return sayEmpty(given, context);
  const journal = await openJournalOf(given, context);
  try {
    return await (id === undefined
      ? list(selection, journal, given, context)
      : detail(id, journal, given, context));
  } finally {
    journal.close();
  }
};

/** What may not be looked at may well be there, and hold what is unknown: whoever opens it says why it cannot. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

const defaultLimit = 20;

function refuse(option: string, value: string, what: string, hint: string): Failure {
  return new Failure('usage', `--${option} "${value}" is not ${what}.`, { hint });
}

function parse(given: Given, { clock }: Context): Selection {
  const state = given.text('state');
  const kind = given.text('kind');
  const since = given.text('since');
  const limit = given.text('limit');
  if (state !== undefined && !isState(state))
    throw refuse('state', state, 'a state', `Give one of ${states.join(', ')}.`);
  if (kind !== undefined && !isKind(kind)) throw refuse('kind', kind, 'a kind', 'Give message or transfer.');
  if (limit !== undefined && !/^[1-9]\d{0,8}$/u.test(limit))
    throw refuse('limit', limit, 'a count', 'Give a whole number from 1.');
  const sinceMs = since === undefined ? undefined : parseDuration(since);
  if (since !== undefined && sinceMs === undefined)
    throw refuse('since', since, 'a duration', `Write ${durationRule}.`);
  return {
    ...(state === undefined ? {} : { states: [state] }),
    ...(kind === undefined ? {} : { kind }),
    ...(sinceMs === undefined ? {} : { sinceMs: clock.now() - sinceMs }),
    limit: limit === undefined ? defaultLimit : Number(limit),
  };
}

function isState(text: string): text is State {
  return (states as readonly string[]).includes(text);
}

function isKind(text: string): text is Kind {
  return text === 'message' || text === 'transfer';
}

function sayEmpty(given: Given, context: Context): Exit {
  context.display.notice(
    given.flag('sandbox') && given.text('journal') === undefined
      ? 'Nothing was sent in the sandbox yet.'
      : `Nothing is recorded yet: there is no journal ${journalPath(given, context)}.`,
  );
  return 0;
}

async function list(selection: Selection, journal: Journal, given: Given, context: Context): Promise<Exit> {
  const { display } = context;
  // Those whose process died are unknown, and are to be listed as that.
  recordDeaths(journal, context);
  let count = 0;
  for (const intent of journal.select(selection)) {
    if (count === 0 && display.face === 'human' && !display.quiet) {
      await display.show({ json: {}, human: historyHeading });
    }
    count += 1;
    if ((await display.show(historyLine(storedReport(intent, given.command, journal)))) === 'closed')
      return 0;
  }
  if (count === 0) display.notice('No intent matches.');
  return 0;
}

function recordDeaths(journal: Journal, { clock }: Context): void {
  for (const { id } of [...journal.select({ states: ['sending'], limit: 1000 })]) {
    journal.recordDeath(id, clock.now());
  }
}

async function detail(beginning: string, journal: Journal, given: Given, context: Context): Promise<Exit> {
  const { display, clock } = context;
  const { id } = intentById(beginning, journal);
  journal.recordDeath(id, clock.now());
  const intent = intentById(id, journal);
  const view = historyDetail(
    storedReport(intent, given.command, journal),
    journal.attemptsOf(id),
    journal.decisionsOf(id),
  );
  const written = await display.show(view);
  if (written === 'written' && intent.state === 'accepted') keepThatItWasTold(intent, journal, context);
  return 0;
}
