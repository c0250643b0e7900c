import type { Run } from '../cli/spec.ts';
import { type BatchStatus, batchStatusView } from '../display/batchStatusView.ts';
import type { Exit } from '../errors.ts';
import type { RowsStanding } from '../journal/journal.ts';
import { beyondTheJournal, noSuchBatch, type RowStanding } from '../words/batchStatus.ts';
import { combineExits } from './combineExits.ts';
import { openJournalOf } from './journalPath.ts';

/** By the journal alone, whoever runs the batch, and wherever. */
export const run: Run = async (given, context) => {
  const { display } = context;
  const [name = ''] = given.args;
  const journal = await openJournalOf(given, context, 'look');
  try {
    const statuses = statusesOf(name, await journal.reads.rowsStanding(name));
    if (statuses.length === 0) throw noSuchBatch(name, journal.place);
    for (const status of statuses)
      await display.show(batchStatusView(given.command, status, given.flag('local') ? 'local' : 'utc'));
    if (!display.quiet) display.notice(beyondTheJournal);
    return exitFor(statuses);
  } finally {
    await journal.close();
  }
};

/** The same name at another service, or of the other kind, is another batch. */
function statusesOf(name: string, groups: readonly RowsStanding[]): readonly BatchStatus[] {
  const byBatch = new Map<string, [RowsStanding, ...RowsStanding[]]>();
  for (const group of groups) {
    const same = byBatch.get(`${group.kind} ${group.baseUrl}`);
    if (same === undefined) byBatch.set(`${group.kind} ${group.baseUrl}`, [group]);
    else same.push(group);
  }
  return [...byBatch.values()].map((same) => statusOf(name, same));
}

function statusOf(name: string, groups: readonly [RowsStanding, ...RowsStanding[]]): BatchStatus {
  const [{ kind, baseUrl }] = groups;
  const standings: Partial<Record<RowStanding, number>> = {};
  for (const group of groups) {
    const standing = standingOf(group);
    standings[standing] = (standings[standing] ?? 0) + group.rows;
  }
  return {
    name,
    kind,
    baseUrl,
    bots: [...new Set(groups.map(({ bot }) => bot))].sort(),
    rows: groups.reduce((sum, { rows }) => sum + rows, 0),
    standings,
    begunAtMs: Math.min(...groups.map(({ begunAtMs }) => begunAtMs)),
    updatedAtMs: Math.max(...groups.map(({ updatedAtMs }) => updatedAtMs)),
  };
}

function standingOf({ state, resolvedAs, ownerLives }: RowsStanding): RowStanding {
  if (state === 'resolved') return resolvedAs === 'happened' ? 'done' : 'did-not-happen';
  if (state === 'sending') return ownerLives ? 'sending' : 'unknown';
  return state === 'accepted' ? 'done' : state;
}

const exits: Readonly<Record<RowStanding, Exit>> = {
  done: 0,
  sending: 11,
  unknown: 11,
  open: 11,
  held: 10,
  rejected: 2,
  'did-not-happen': 2,
};

function exitFor(statuses: readonly BatchStatus[]): Exit {
  const standings = statuses.flatMap(({ standings }) => Object.keys(standings) as RowStanding[]);
  return combineExits(standings.map((standing) => exits[standing]));
}
