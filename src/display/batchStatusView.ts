import type { Kind } from '../intent/wanted.ts';
import { type RowStanding, rowStandings, rowsStandingSo } from '../words/batchStatus.ts';
import { formatCount } from '../words/list.ts';
import { isoExact, isoIn, type Zone } from '../words/time.ts';
import type { View } from './display.ts';
import { labelled } from './drawing.ts';

/** How a batch stands by the journal alone. */
export type BatchStatus = {
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
};

export function batchStatusView(command: string, status: BatchStatus, zone: Zone): View {
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
