import type { Exit } from '../../../once/failures.ts';
import type { Kind } from '../../../once/intent/wanted.ts';
import type { RowsStanding } from '../../../once/journal/journal.ts';
import type { Run } from '../../parse/command.ts';
import {
  beyondTheJournal,
  noSuchBatch,
  type RowStanding,
  rowStandings,
  rowsStandingSo,
} from '../../say/batch.ts';
import { formatCount, isoExact, isoIn, type Zone } from '../../say/phrases.ts';
import type { View } from '../../show/display.ts';
import { labelled } from '../../show/report.ts';
import { openJournalOf } from '../openJournal.ts';
import { combineExits } from '../stored.ts';

/** Reads the journal only, so it works while any machine runs the batch. */
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

/** The same name at another service, or for the other kind, is another batch. */
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
  if (state === 'resolved') return resolvedAs === 'happened' ? 'done' : (resolvedAs ?? 'did-not-happen');
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
  declined: 10,
};

function exitFor(statuses: readonly BatchStatus[]): Exit {
  const standings = statuses.flatMap(({ standings }) => Object.keys(standings) as RowStanding[]);
  return combineExits(standings.map((standing) => exits[standing]));
}

/** The state of a batch according to the journal. */
type BatchStatus = {
  readonly name: string;
  readonly kind: Kind;
  readonly baseUrl: string;
  readonly bots: readonly string[];
  readonly rows: number;
  readonly standings: Readonly<Partial<Record<RowStanding, number>>>;
  readonly begunAtMs: number;
  readonly updatedAtMs: number;
};

const labels: Readonly<Record<RowStanding, string>> = {
  done: 'Done',
  sending: 'Sending',
  unknown: 'Unknown',
  held: 'Held',
  open: 'Open',
  rejected: 'Rejected',
  'did-not-happen': 'Not happened',
  declined: 'Declined',
};

function batchStatusView(command: string, status: BatchStatus, zone: Zone): View {
  const { name, kind, baseUrl, bots, rows, standings, begunAtMs, updatedAtMs } = status;
  return {
    json: {
      schema: 'botctl/1',
      command,
      name,
      kind,
      base_url: baseUrl,
      bots,
      rows,
      standings: Object.fromEntries(
        Object.entries(standings).map(([standing, count]) => [standing.replaceAll('-', '_'), count]),
      ),
      begun_at: isoExact(begunAtMs),
      updated_at: isoExact(updatedAtMs),
    },
    quiet: `${standings.done ?? 0}/${rows}`,
    human: (canvas) => {
      const facts = labelled(
        [
          ['Bot', bots.join(', ')],
          ['Service', baseUrl],
          ['Rows', `${formatCount(rows)} begun`],
          ...rowStandings.map((standing) => {
            const count = standings[standing] ?? 0;
            return [labels[standing], count === 0 ? undefined : rowsStandingSo(standing, count)] as const;
          }),
          ['Began', isoIn(zone, begunAtMs)],
          ['Latest', isoIn(zone, updatedAtMs)],
        ],
        canvas,
      );
      return `${canvas.paint.bold(`Batch ${name}`)} (${kind}s)\n${facts}`;
    },
  };
}
