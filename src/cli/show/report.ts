import { clusterOf, explorerLink } from '../../chain/cluster.ts';
import type { Search } from '../../chain/search.ts';
import type { ChainView } from '../../chain/verdict.ts';
import { handWords } from '../../once/engine/deciding.ts';
import { damagedJournal } from '../../once/journal/failures.ts';
import type { Attempt, Decision, Entry, EqualPayment } from '../../once/journal/journal.ts';
import { formatAmountOf, iso, isoExact } from '../../once/phrases.ts';
import { hasLostDigits, isFields, readReply } from '../../once/wire/flight.ts';
import { chainLine, paidWords } from '../say/chain.ts';
import { headlineOf } from '../say/entry.ts';
import { didWords } from '../say/history.ts';
import type { Problem } from '../say/told.ts';
import { card, type Fact, type Fields, labelled } from './card.ts';
import type { Canvas, LabelCanvas, Paint, View } from './display.ts';
import { foldAtBlanks, safeLine, safeLines } from './text.ts';

/** What a command reports about one entry. All commands share this shape. */
export type Report = {
  readonly command: string;
  readonly entry: Entry;
  readonly attempt: Attempt | undefined;
  readonly replayed: boolean;
  /** Why it is not well, and what to do. */
  readonly problem?: Problem | undefined;
  readonly warnings: readonly string[];
  /** Warnings that were said before it was sent. */
  readonly warnedOf?: readonly string[];
  readonly notices?: readonly string[];
  /** The signature that an operator noted when resolving the entry. */
  readonly signature?: string | undefined;
  /** What the chain shows about it. */
  readonly chain?: ChainView | undefined;
  /** What left the wallet and may be it. */
  readonly search?: Search;
  /** Who proposed, approved or declined it, where that is what it is about. */
  readonly decisions?: readonly Decision[];
};

const deepest = 24;

/** Reply fields are shown as received, up to a fixed depth. A number that lost digits is not what was received. */
function pruned(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return hasLostDigits(value) ? undefined : value;
  if (depth === deepest) return '(nested too deep to show)';
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pruned(field, depth + 1)]));
}

/** The stored request, without its key. */
export function requestOf({ body }: Pick<Entry, 'body'>): Fields {
  const { idempotency_key: _key, ...request } = fieldsIn(body);
  return request;
}

/** The journal stores only bodies that botctl made, so an unreadable one was damaged later. */
function fieldsIn(body: Uint8Array): Fields {
  try {
    const fields: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof fields === 'object' && fields !== null) return fields as Fields;
  } catch {
    // The error below says it in useful words.
  }
  throw damagedJournal('a stored request cannot be read');
}

function replyJson(attempt: Attempt | undefined): Fields | undefined {
  if (attempt?.reply === undefined || attempt.verdict !== 'accepted') return undefined;
  return readReply({ body: attempt.reply, headers: attempt.headers }).json;
}

/** An entry, and what came back for it. */
type Replied = Pick<Report, 'entry' | 'attempt' | 'signature'>;

/** The message in the service's reply. */
export function messageOf({ entry, attempt }: Replied): Fields | undefined {
  const message = entry.kind === 'message' ? replyJson(attempt)?.message : undefined;
  return isFields(message) ? message : undefined;
}

/** The transfer in the service's reply, or as an operator found it. */
export function transferOf({ entry, attempt, signature }: Replied): Fields | undefined {
  if (entry.kind !== 'transfer') return undefined;
  const json = replyJson(attempt);
  if (json !== undefined) {
    const { request_id: _requestId, ...transfer } = json;
    // Some services tell what was done in a field of its own.
    return isFields(transfer.transfer) ? { ...transfer.transfer, ...transfer } : transfer;
  }
  return signature === undefined ? undefined : { signature };
}

/** A field of a reply as text. Anything but a string or number is shown as JSON. */
export function shown(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(pruned(value));
}

/** What a script needs: the message ID or the signature; without one, the transfer ID. */
export function idOrSignature(report: Replied): string | undefined {
  if (report.entry.kind === 'message') {
    const message = messageOf(report);
    return shown(message?.id ?? message?.message_id ?? replyJson(report.attempt)?.message_id);
  }
  const transfer = transferOf(report);
  return shown(transfer?.signature) ?? shown(transfer?.transfer_id);
}

/** When the service or an operator said that it happened. */
export function settledAt({ entry, attempt }: Replied): number {
  return entry.state === 'accepted' ? (attempt?.endedAtMs ?? entry.updatedAtMs) : entry.updatedAtMs;
}

/** The columns of its row that were never sent. */
export function columnsOf({
  columns,
}: Partial<Pick<Entry, 'columns'>>): Readonly<Record<string, string>> | undefined {
  try {
    const kept: unknown = columns === undefined ? undefined : JSON.parse(columns);
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, string>) : undefined;
  } catch {
    // A flipped bit. The rest of the entry matters more.
    return undefined;
  }
}

const mostOfCell = 80;

function bounded(text: string): string {
  if (text.length <= mostOfCell) return text;
  return `${text.slice(0, mostOfCell).replace(/[\ud800-\udbff]$/u, '')}${'…'}`;
}

/** What its row says for people, in its columns `name` and `note`. */
export function forWhom(entry: Partial<Pick<Entry, 'columns'>>): string | undefined {
  const cells = Object.entries(columnsOf(entry) ?? {});
  const said = ['name', 'note'].flatMap((wanted) =>
    cells.flatMap(([title, cell]) =>
      title.toLowerCase() === wanted ? [safeLine(bounded(String(cell)))] : [],
    ),
  );
  return said.length === 0 ? undefined : said.join(' · ');
}

function entryJson(entry: Entry): Fields {
  return {
    id: entry.id,
    kind: entry.kind,
    key: entry.key,
    name: entry.name,
    row: entry.rowId,
    columns: columnsOf(entry),
    bot: entry.bot,
    base_url: entry.baseUrl,
    state: entry.state,
    in_doubt: entry.inDoubt,
    why: entry.heldReason,
    approved: entry.approved ? true : undefined,
    resolved_as: entry.resolvedAs,
    attempts: entry.attempts,
    created_at: isoExact(entry.createdAtMs),
    request: requestOf(entry),
  };
}

/** The payments of a service that was asked twice stand beside what the chain says of the one. */
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

/** Who asked for approval, who answered, and how else a person decided. */
function decisionFacts(decisions: readonly Decision[]): Fact[] {
  const fields = decisions.map(({ kind, who, role, atMs, reason, signature }) => ({
    kind,
    who,
    role,
    at: isoExact(atMs),
    reason,
    signature,
  }));
  return [['', undefined, { decisions: fields }], ...decisionLines(decisions)];
}

export function decisionLines(decisions: readonly Decision[]): Fact[] {
  return decisions.map(({ kind, who, role, atMs, reason }) => {
    const did = `${iso(atMs)} ${handWords({ who, role })} ${didWords[kind]}`;
    return ['Decision', kind === 'proposed' || kind === 'approved' ? did : `${did}: ${reason}`];
  });
}

function listIn(fields: Fields, name: string): Fields[] {
  const list = fields[name];
  return Array.isArray(list) ? list.filter(isFields) : [];
}

type Drawn = { readonly text: string; readonly width: number };

function drawButton(button: Fields, paint: Paint): Drawn {
  const label = ` ${safeLine(text(button.label) ?? `(${text(button.type) ?? ''})`)} `;
  const style = text(button.style);
  const coloured =
    style === 'success' ? paint.black.bgGreen : style === 'danger' ? paint.white.bgRed : paint.inverse;
  const id = text(button.custom_id);
  const shownId = id === undefined ? '' : ` ${safeLine(id)}`;
  return {
    text: `[${coloured(label)}]${shownId === '' ? '' : paint.dim(shownId)}`,
    width: [...`[${label}]${shownId}`].length,
  };
}

/** A row in lines of a given width, wrapped between its buttons. Continuation lines are indented. */
function drawRow(row: Fields, paint: Paint, width: number): string[] {
  const buttons = text(row.type) === 'action_row' ? listIn(row, 'components') : [row];
  const lines: Drawn[] = [];
  for (const drawn of buttons.map((button) => drawButton(button, paint))) {
    const line = lines.at(-1);
    const wholeWidth = (line?.width ?? 0) + 2 + drawn.width;
    if (line === undefined) lines.push(drawn);
    else if (wholeWidth > width) lines.push({ text: `  ${drawn.text}`, width: drawn.width + 2 });
    else lines[lines.length - 1] = { text: `${line.text}  ${drawn.text}`, width: wholeWidth };
  }
  return lines.map(({ text }) => text);
}

/** The message as it will look: its text, and its rows of buttons. */
export function drawMessage(request: Fields, { paint, columns }: Pick<Canvas, 'paint' | 'columns'>): string {
  const bar = paint.dim('│');
  const content = safeLines(text(request.content) ?? '').flatMap((line) => foldAtBlanks(line, columns - 4));
  const rows = listIn(request, 'components').flatMap((row) => drawRow(row, paint, columns - 4));
  const lines = rows.length === 0 ? content : [...content, '', ...rows];
  return lines.map((line) => `  ${bar} ${line}\n`).join('');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What happened, in a line; below it a message as it looks. */
function headline({ entry, replayed, attempt }: Report, request: Fields, canvas: Canvas): string {
  const { paint, columns } = canvas;
  const line = headlineOf({
    ...entry,
    isDoneBefore: attempt?.duplicate === true || replayed,
    isReplayed: replayed,
  });
  const mark = entry.state === 'accepted' ? paint.green('✔') : paint.yellow('•');
  const lines = foldAtBlanks(line, columns - 2).map((text) => paint.bold(text));
  const preview = entry.kind === 'message' ? drawMessage(request, canvas) : '';
  return `${mark} ${lines.join('\n  ')}\n${preview}`;
}

/** `1.5 SOL`; undefined of a message. */
export function amountIn(request: Fields): string | undefined {
  const amount = text(request.amount);
  return amount && formatAmountOf(amount, text(request.asset) ?? '');
}

function requestFacts(request: Fields): Fact[] {
  return [
    ['Conversation', text(request.conversation_id)],
    ['Reply to', text(request.reply_to_message_id)],
    ['Amount', amountIn(request)],
    ['To', text(request.to_address)],
    ['Memo', text(request.memo)],
  ];
}

type Asked = Pick<Entry, 'bot' | 'baseUrl' | 'name'> &
  Partial<Pick<Entry, 'rowId' | 'columns'>> & { readonly request: Fields };

/** Who would do what, and where. Every question shows it. */
export function factsInQuestion(asked: Asked, balance?: string): Fact[] {
  return [
    ['Bot', asked.bot],
    ['Service', asked.baseUrl],
    ...requestFacts(asked.request),
    ['Content', text(asked.request.content)],
    ['Name', asked.name],
    ['Row', asked.rowId],
    ['For', forWhom(asked)],
    ['Balance', balance],
  ];
}

/** An entry on record in a question. */
export function drawEntry(entry: Entry, canvas: LabelCanvas, balance?: string): string {
  return labelled(factsInQuestion({ ...entry, request: requestOf(entry) }, balance), canvas);
}

/** One entry: the request, what the service said, and what the chain shows. */
function factsOf(report: Report, request: Fields): Fact[] {
  const { entry, attempt, decisions, problem } = report;
  const { name, namedBy } = entry;
  const message = messageOf(report);
  const transfer = transferOf(report);
  const warnings = [...(report.warnedOf ?? []), ...report.warnings];
  const option = namedBy === 'key' ? 'idempotency-key' : namedBy === 'row' ? 'once' : namedBy;
  const outcome = {
    outcome: entry.state,
    replayed: report.replayed,
    duplicate: attempt?.duplicate ?? false,
    entry: entryJson(entry),
  };
  return [
    ['', undefined, outcome],
    ['Message', shown(message?.id ?? message?.message_id), { message: pruned(message) }],
    ...requestFacts(request),
    ['Signature', shown(transfer?.signature), { transfer: pruned(transfer) }],
    ['Status', shown(transfer?.status)],
    ['Transfer', shown(transfer?.transfer_id)],
    ...chainFacts(report.chain, text(request.asset)),
    ['', undefined, searchJson(report.search)],
    ['Name', name && `${name} (--${option})`, { request_id: attempt?.requestId, warnings }],
    ['Row', entry.rowId],
    ['For', forWhom(entry)],
    ['ID', entry.id],
    ...(decisions === undefined ? [] : decidedFacts(entry, decisions)),
    ['', undefined, { error: problem }],
  ];
}

function decidedFacts(entry: Entry, decisions: readonly Decision[]): Fact[] {
  return [
    ['Bot', `${entry.bot} at ${entry.baseUrl}`],
    ['Created', iso(entry.createdAtMs)],
    ...decisionFacts(decisions),
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

/** What the chain shows about a transfer: the verdict, the amount paid, the place, and a link. */
function chainFacts(chain: ChainView | undefined, asset: string | undefined): Fact[] {
  if (chain === undefined) return [];
  const { verdict, slot, block_time: timeS, paid, payments = [], signature = '' } = chain;
  const cluster = chain.cluster === undefined ? undefined : clusterOf(chain.cluster);
  const when = timeS === undefined ? '' : `, ${iso(1000 * timeS)}`;
  const isPaidSo = verdict === 'proven' || verdict === 'likely';
  return [
    ['Chain', chainLine(chain), chainJson(chain)],
    ['Paid', paid && paidWords(paid, isPaidSo ? asset : undefined)],
    ...payments.flatMap(({ own, ...one }): Fact[] => (own ? [] : [['Paid again', one.signature]])),
    ['Slot', slot === undefined ? undefined : `${slot} of ${chain.cluster}${when}`],
    ['Explorer', cluster && explorerLink(cluster, signature)],
  ];
}
