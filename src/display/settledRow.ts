import { formatAmount } from '../intent/amount.ts';
import type { Observation } from '../journal/journal.ts';
import { csvLine } from '../words/csvLine.ts';
import { isoExact } from '../words/time.ts';
import { isVerified, messageOf, type Report, requestOf, shown, transferOf } from './report.ts';
import { safeJson, safeLine } from './safeText.ts';

export type SettledFormat = 'csv' | 'jsonl';

const columns = [
  'settled_at',
  'id',
  'kind',
  'name',
  'row',
  'bot',
  'conversation',
  'to',
  'asset',
  'amount',
  'memo',
  'message_id',
  'transfer_id',
  'signature',
  'verified',
  'fee',
] as const;

type Cells = Readonly<Record<(typeof columns)[number], string | boolean | undefined>>;

type Settled = { readonly report: Report; readonly observations: readonly Observation[] };

/** What books want to know of one intent that happened. */
function cellsOf({ report, observations }: Settled): Cells {
  const { intent, attempt } = report;
  const request = requestOf(intent);
  const transfer = transferOf(report);
  const message = messageOf(report);
  return {
    settled_at: isoExact(settledAt(report)),
    id: intent.id,
    kind: intent.kind,
    name: intent.name,
    row: intent.rowId,
    bot: intent.bot,
    conversation: shown(request.conversation_id),
    to: shown(request.to_address),
    asset: shown(request.asset),
    amount: shown(request.amount),
    memo: shown(request.memo),
    message_id: shown(message?.id ?? message?.message_id),
    transfer_id: shown(transfer?.transfer_id),
    signature: shown(transfer?.signature),
    verified: isProven(observations) || isVerified({ intent, attempt }),
    fee: feeOf(observations),
  };
}

/** When the service said so, or an operator. */
function settledAt({ intent, attempt }: Report): number {
  return intent.state === 'accepted' ? (attempt?.endedAtMs ?? intent.updatedAtMs) : intent.updatedAtMs;
}

function isProven(observations: readonly Observation[]): boolean {
  return observations.some(({ verdict }) => verdict === 'proven');
}

/** What the chain kept of the amount, where it was seen. */
function feeOf(observations: readonly Observation[]): string | undefined {
  const seen = observations.findLast(({ verdict }) => verdict === 'proven' || verdict === 'likely');
  if (seen === undefined) return undefined;
  try {
    const { paid } = JSON.parse(seen.facts) as { paid?: { fee_units?: string; decimals?: number } };
    if (paid?.fee_units === undefined || paid.decimals === undefined) return undefined;
    return formatAmount({ units: BigInt(paid.fee_units), decimals: paid.decimals });
  } catch {
    // Facts that were damaged are no facts.
    return undefined;
  }
}

export function settledHeading(format: SettledFormat): string {
  return format === 'csv' ? csvLine(columns) : '';
}

/** Harmless for a terminal, a spreadsheet and a log. */
export function settledLine(settled: Settled, format: SettledFormat): string {
  const cells = cellsOf(settled);
  if (format === 'jsonl') return `${safeJson(cells)}\n`;
  return csvLine(
    columns.map((column) => {
      const cell = cells[column];
      return typeof cell === 'string' ? safeLine(cell) : cell === undefined ? undefined : String(cell);
    }),
  );
}
