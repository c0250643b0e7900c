import { clusterOf, explorerLink } from '../../chain/cluster.ts';
import type { Search } from '../../chain/search.ts';
import type { ChainView } from '../../chain/verdict.ts';
import { handWords } from '../../once/engine/decisionWords.ts';
import type { Decision, Entry, EqualPayment, NamedBy } from '../../once/journal/journal.ts';
import { iso, isoExact } from '../../once/phrases.ts';
import { chainLine, paidWords, timesPaid } from '../wording/chain.ts';
import { headlineOf } from '../wording/entry.ts';
import { didWords } from '../wording/history.ts';
import { whyItWaits } from '../wording/outcomes.ts';
import type { Problem } from '../wording/problem.ts';
import { card, type Fact, type Fields } from './card.ts';
import type { Canvas, View } from './display.ts';
import { drawMessage, forWhom, requestFacts, requestOf, rowColumns, text } from './entry.ts';
import { fieldText, idOrSignature, messageOf, pruned, type Replied, transferOf } from './reply.ts';
import { foldAtBlanks } from './text.ts';

/** What a command reports about one entry. All commands share this shape. */
export type Report = Replied & {
  readonly command: string;
  readonly replayed: boolean;
  /** The problem, if there is one, and what to do. */
  readonly problem?: Problem | undefined;
  readonly warnings: readonly string[];
  readonly notices?: readonly string[];
  /** What the chain shows about it. */
  readonly chain?: ChainView | undefined;
  /** Payments from the wallet that may be this transfer. */
  readonly search?: Search;
  /** Who proposed, approved or declined it, if the command or the entry is about that. */
  readonly decisions?: readonly Decision[];
};

function entryJson(entry: Entry): Fields {
  return {
    id: entry.id,
    kind: entry.kind,
    key: entry.key,
    name: entry.name,
    row: entry.rowId,
    columns: rowColumns(entry),
    bot: entry.bot,
    base_url: entry.baseUrl,
    state: entry.state,
    in_doubt: entry.wasInDoubt,
    why: entry.heldReason,
    approved: entry.approved ? true : undefined,
    resolved_as: entry.resolvedAs,
    attempts: entry.attempts,
    created_at: isoExact(entry.createdAtMs),
    request: requestOf(entry),
  };
}

/** `payments` is a field of the report, beside `chain`, and not part of it. */
function chainJson({ payments, ...chain }: ChainView): Fields {
  const seen = payments?.map((one) => ({
    ...one,
    at: one.at === undefined ? undefined : isoExact(1000 * one.at),
  }));
  return { chain, payments: seen };
}

function searchJson(search: Search | undefined): Fields {
  if (search === undefined) return {};
  const { candidates, sinceMs, untilMs, gap } = search;
  return {
    candidates: candidates.map(({ signature, slot, atMs, memo }) => ({
      signature,
      slot,
      at: atMs && isoExact(atMs),
      memo,
    })),
    searched: { since: isoExact(sinceMs), until: isoExact(untilMs), gap },
  };
}

/** The other entry that made an equal payment. */
export function equalJson(equal: EqualPayment | undefined): Fields {
  if (equal === undefined) return {};
  const { id, bot, name, rowId, state, resolvedAs, countsAtMs, updatedAtMs } = equal;
  return {
    equal_payment: {
      entry: id,
      name,
      row: rowId,
      bot,
      state,
      resolved_as: resolvedAs,
      at: isoExact(countsAtMs ?? updatedAtMs),
    },
  };
}

export function decisionLines(decisions: readonly Decision[]): Fact[] {
  return decisions.map(({ kind, who, role, atMs, reason }) => {
    const did = `${iso(atMs)} ${handWords({ who, role })} ${didWords[kind]}`;
    const why = kind === 'proposed' ? whyItWaits({ reason }) : reason;
    return ['Decision', kind === 'approved' ? did : `${did}: ${why}`];
  });
}

/** The headline of `verify` begins with the chain's answer. */
function chainAnswer({ command, chain }: Report): string | undefined {
  return command === 'verify' ? chain && chainLine(chain) : undefined;
}

/** What happened, in one line, and below it the message as it looks. */
function headline(report: Report, request: Fields, canvas: Canvas): string {
  const { entry, replayed, attempt, chain } = report;
  const { paint, columns } = canvas;
  const stands = headlineOf(entry, attempt?.duplicate === true || replayed, replayed, timesPaid(chain));
  const line = [chainAnswer(report), stands].filter((part) => part !== undefined).join('. ');
  const mark = entry.state === 'accepted' ? paint.green('✔') : paint.yellow('•');
  const lines = foldAtBlanks(line, columns - 2).map((text) => paint.bold(text));
  const preview = entry.kind === 'message' ? drawMessage(request, canvas) : '';
  return `${mark} ${lines.join('\n  ')}\n${preview}`;
}

/** What a person typed to name an entry. */
const namedWith = {
  once: '--once',
  row: '--once',
  run: 'BOTCTL_RUN',
  key: '--idempotency-key',
} as const satisfies Record<NamedBy, string>;

/** Facts about one entry: the request, the service's answer, and the chain's answer. */
function factsOf(report: Report, request: Fields): Fact[] {
  const { entry, attempt, decisions, problem, warnings } = report;
  const { name, namedBy } = entry;
  const message = messageOf(report);
  const transfer = transferOf(report);
  const outcome = {
    outcome: entry.state,
    replayed: report.replayed,
    duplicate: attempt?.duplicate ?? false,
    entry: entryJson(entry),
  };
  return [
    ['', undefined, outcome],
    ['Message', fieldText(message?.id ?? message?.message_id), { message: pruned(message) }],
    ...requestFacts(request),
    ['Signature', fieldText(transfer?.signature), { transfer: pruned(transfer) }],
    ['Status', fieldText(transfer?.status)],
    ['Transfer', fieldText(transfer?.transfer_id)],
    ...chainFacts(report, text(request.asset)),
    ['', undefined, searchJson(report.search)],
    [
      'Name',
      name && `${name} (${namedBy && namedWith[namedBy]})`,
      { request_id: attempt?.requestId, warnings },
    ],
    ['Row', entry.rowId],
    ['For', forWhom(entry)],
    ['ID', entry.id],
    ...(decisions === undefined ? [] : decidedFacts(entry, decisions)),
    ['', undefined, { error: problem }],
  ];
}

/** Every decision of a person: requests for approval, answers, and others. */
function decidedFacts(entry: Entry, decisions: readonly Decision[]): Fact[] {
  const fields = decisions.map(({ kind, who, role, atMs, reason, signature }) => {
    return { kind, who, role, at: isoExact(atMs), reason, signature };
  });
  return [
    ['Bot', `${entry.bot} at ${entry.baseUrl}`],
    ['Created', iso(entry.createdAtMs), { decisions: fields }],
    ...decisionLines(decisions),
  ];
}

export function outcomeView(report: Report, more: readonly Fact[] = []): View {
  const request = requestOf(report.entry);
  return card(
    report.command,
    (canvas) => headline(report, request, canvas),
    [...factsOf(report, request), ...more],
    idOrSignature(report),
  );
}

/** The chain's answer about a transfer: the verdict, the amount paid, the place, and a link. */
function chainFacts(report: Report, asset: string | undefined): Fact[] {
  const { chain } = report;
  if (chain === undefined) return [];
  const { verdict, slot, block_time: timeS, paid, payments = [], signature = '' } = chain;
  const cluster = chain.cluster === undefined ? undefined : clusterOf(chain.cluster);
  const when = timeS === undefined ? '' : `, ${iso(1000 * timeS)}`;
  const isPaidSo = verdict === 'proven' || verdict === 'likely';
  return [
    ['Chain', chainAnswer(report) === undefined ? chainLine(chain) : undefined, chainJson(chain)],
    ['Paid', paid && paidWords(paid, isPaidSo ? asset : undefined)],
    ...payments.flatMap(({ own, ...one }): Fact[] => (own ? [] : [['Paid again', one.signature]])),
    ['Slot', slot === undefined ? undefined : `${slot} of ${chain.cluster}${when}`],
    ['Explorer', cluster && explorerLink(cluster, signature)],
  ];
}
