import { clusterOf, explorerLink } from '../../once/chain/cluster.ts';
import type { Search } from '../../once/chain/search.ts';
import type { ChainView } from '../../once/chain/standing.ts';
import { isApprovalReason } from '../../once/engine/approval.ts';
import type { Attempt, Decision, EarlierPayment, Intent } from '../../once/journal/journal.ts';
import { readReply } from '../../once/wire/flight.ts';
import { chainLine, headlineOf, paidWords } from '../say/chain.ts';
import { didWords, handWords } from '../say/history.ts';
import { damage } from '../say/open.ts';
import { formatAmountOf, iso, isoExact } from '../say/phrases.ts';
import type { Problem } from '../say/told.ts';
import { type Fact, type Fields, labelled } from './card.ts';
import type { Canvas, LabelCanvas, Paint, View } from './display.ts';
import { foldAtBlanks, safeLine, safeLines } from './text.ts';

/** What a command reports about one intent. All commands share this shape. */
export type Report = {
  readonly command: string;
  readonly intent: Intent;
  readonly attempt: Attempt | undefined;
  readonly replayed: boolean;
  readonly problem?: Problem | undefined;
  readonly warnings: readonly string[];
  /** The signature that an operator noted when resolving the intent. */
  readonly signature?: string | undefined;
  /** What the chain shows about it. */
  readonly chain?: ChainView | undefined;
  /** What left the wallet and may be it. */
  readonly search?: Search;
  /** Who proposed, approved or declined it, where that is what it is about. */
  readonly decisions?: readonly Decision[];
  /** The same payment, made before. */
  readonly repeats?: readonly EarlierPayment[];
};

const deepest = 24;

/** Reply fields are shown as received, up to a fixed depth. */
function pruned(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === deepest) return '(nested too deep to show)';
  if (Array.isArray(value)) return value.map((item) => pruned(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, pruned(field, depth + 1)]));
}

/** The stored request, without its key. */
export function requestOf({ body }: Pick<Intent, 'body'>): Fields {
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
  throw damage('a stored request cannot be read');
}

function replyJson(attempt: Attempt | undefined): Fields | undefined {
  if (attempt?.reply === undefined || attempt.verdict !== 'accepted') return undefined;
  return readReply({ body: attempt.reply, headers: attempt.headers }).json;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The message in the service's reply. */
export function messageOf({ intent, attempt }: Pick<Report, 'intent' | 'attempt'>): Fields | undefined {
  const message = intent.kind === 'message' ? replyJson(attempt)?.message : undefined;
  return isFields(message) ? message : undefined;
}

/** The transfer in the service's reply, or as an operator found it. */
export function transferOf({
  intent,
  attempt,
  signature,
}: Pick<Report, 'intent' | 'attempt' | 'signature'>): Fields | undefined {
  if (intent.kind !== 'transfer') return undefined;
  const json = replyJson(attempt);
  if (json !== undefined) {
    const { request_id: _requestId, ...transfer } = json;
    return transfer;
  }
  return signature === undefined ? undefined : { signature };
}

/** A field of a reply as text. Anything but a string or number is shown as JSON. */
export function shown(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(pruned(value));
}

/** What a script needs: the message ID or the signature; without one, the transfer ID. */
export function idOrSignature(report: Report): string | undefined {
  if (report.intent.kind === 'message') {
    const message = messageOf(report);
    return shown(message?.id ?? message?.message_id ?? replyJson(report.attempt)?.message_id);
  }
  const transfer = transferOf(report);
  return shown(transfer?.signature) ?? shown(transfer?.transfer_id);
}

export function isSettled({ state, resolvedAs }: Intent): boolean {
  return state === 'accepted' || resolvedAs === 'happened';
}

/** When the service or an operator said that it happened. */
export function settledAt({ intent, attempt }: Pick<Report, 'intent' | 'attempt'>): number {
  return intent.state === 'accepted' ? (attempt?.endedAtMs ?? intent.updatedAtMs) : intent.updatedAtMs;
}

/** A script that waits for approval checks one word, whoever has to approve. */
function whyJson({ heldReason: why }: Intent): Fields {
  if (why === undefined) return {};
  if (!isApprovalReason(why)) return { why };
  return { why: 'approval', ...(why === 'approval' ? {} : { proposed: why === 'proposed' }) };
}

/** The columns of its row that were never sent. */
export function columnsOf({
  columns,
}: Pick<Intent, 'columns'>): Readonly<Record<string, string>> | undefined {
  try {
    const kept: unknown = columns === undefined ? undefined : JSON.parse(columns);
    return typeof kept === 'object' && kept !== null ? (kept as Record<string, string>) : undefined;
  } catch {
    // A flipped bit. The rest of the intent matters more.
    return undefined;
  }
}

const mostOfCell = 80;

function bounded(text: string): string {
  if (text.length <= mostOfCell) return text;
  return `${text.slice(0, mostOfCell).replace(/[\ud800-\udbff]$/u, '')}${'…'}`;
}

/** What its row says for people, in its columns `name` and `note`. */
export function forWhom(intent: Pick<Intent, 'columns'>): string | undefined {
  const cells = Object.entries(columnsOf(intent) ?? {});
  const said = ['name', 'note'].flatMap((wanted) =>
    cells.flatMap(([title, cell]) =>
      title.toLowerCase() === wanted ? [safeLine(bounded(String(cell)))] : [],
    ),
  );
  return said.length === 0 ? undefined : said.join(' · ');
}

function intentJson(intent: Intent): Fields {
  const columns = columnsOf(intent);
  return {
    id: intent.id,
    kind: intent.kind,
    key: intent.key,
    ...(intent.name === undefined ? {} : { name: intent.name }),
    ...(intent.rowId === undefined ? {} : { row: intent.rowId }),
    ...(columns === undefined ? {} : { columns }),
    bot: intent.bot,
    base_url: intent.spelledUrl,
    state: intent.state,
    tainted: intent.tainted,
    ...whyJson(intent),
    ...(intent.resolvedAs === undefined ? {} : { resolved_as: intent.resolvedAs }),
    attempts: intent.attempts,
    created_at: isoExact(intent.createdAtMs),
    request: requestOf(intent),
  };
}

/**
 * Whether something other than a person's word shows that the result matches the request; undefined if nothing
 * happened.
 */
function isVerified({
  intent,
  attempt,
  chain,
}: Pick<Report, 'intent' | 'attempt' | 'chain'>): boolean | undefined {
  if (chain?.verdict === 'proven') return true;
  if (chain?.verdict === 'contradicted')
    return intent.state === 'accepted' || intent.resolvedAs === 'happened' ? false : undefined;
  if (intent.state === 'accepted') return attempt?.verified ?? false;
  return intent.resolvedAs === 'happened' ? false : undefined;
}

function searchJson(search: Search | undefined): Fields {
  if (search === undefined) return {};
  const { candidates, sinceMs, untilMs, gap } = search;
  return {
    candidates: candidates.map(({ signature, slot, atMs, memo }) => ({
      ...{ signature, slot },
      ...(atMs === undefined ? {} : { at: isoExact(atMs) }),
      ...(memo === undefined ? {} : { memo }),
    })),
    searched: {
      ...{ since: isoExact(sinceMs), until: isoExact(untilMs) },
      ...(gap === undefined ? {} : { gap }),
    },
  };
}

/** The surest and newest first. */
export function repeatsJson(repeats: readonly EarlierPayment[] = []): Fields {
  if (repeats.length === 0) return {};
  return {
    repeats: repeats.map(({ id, bot, name, rowId, state, resolvedAs, atMs }) => ({
      intent: id,
      ...(name === undefined ? {} : { name }),
      ...(rowId === undefined ? {} : { row: rowId }),
      bot,
      state,
      ...(resolvedAs === undefined ? {} : { resolved_as: resolvedAs }),
      at: isoExact(atMs),
    })),
  };
}

export function reportJson(report: Report): Record<string, unknown> {
  const { command, intent, attempt, replayed, problem, warnings } = report;
  const message = messageOf(report);
  const transfer = transferOf(report);
  const verified = isVerified(report);
  return {
    schema: 'botctl/1',
    command,
    outcome: intent.state,
    replayed,
    duplicate: attempt?.duplicate ?? false,
    ...(verified === undefined ? {} : { verified }),
    intent: intentJson(intent),
    ...(message === undefined ? {} : { message: pruned(message) }),
    ...(transfer === undefined ? {} : { transfer: pruned(transfer) }),
    ...(report.chain === undefined ? {} : { chain: report.chain }),
    ...searchJson(report.search),
    ...repeatsJson(report.repeats),
    ...(attempt?.requestId === undefined ? {} : { request_id: attempt.requestId }),
    warnings,
    ...(report.decisions === undefined ? {} : { decisions: report.decisions.map(decisionJson) }),
    ...(problem === undefined ? {} : { error: problem }),
  };
}

export function decisionJson({ kind, who, role, atMs, reason, signature }: Decision): Fields {
  return {
    ...{ kind, who },
    ...(role === undefined ? {} : { role }),
    ...{ at: isoExact(atMs), reason },
    ...(signature === undefined ? {} : { signature }),
  };
}

export function decisionLines(decisions: readonly Decision[]): Fact[] {
  return decisions.map((one) => ['Decision', `${iso(one.atMs)} ${decisionWords(one)}`]);
}

function field(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function listIn(fields: Fields, name: string): Fields[] {
  const list = fields[name];
  return Array.isArray(list) ? list.filter(isFields) : [];
}

type Drawn = { readonly text: string; readonly width: number };

function drawButton(button: Fields, paint: Paint): Drawn {
  const label = ` ${safeLine(field(button, 'label')) || `(${safeLine(field(button, 'type'))})`} `;
  const style = field(button, 'style');
  const coloured =
    style === 'success' ? paint.black.bgGreen : style === 'danger' ? paint.white.bgRed : paint.inverse;
  const id = safeLine(field(button, 'custom_id'));
  const shownId = id === '' ? '' : ` ${id}`;
  return {
    text: `[${coloured(label)}]${shownId === '' ? '' : paint.dim(shownId)}`,
    width: [...`[${label}]${shownId}`].length,
  };
}

/** A row in lines of a given width, wrapped between its buttons. Continuation lines are indented. */
function drawRow(row: Fields, paint: Paint, width: number): string[] {
  const buttons = field(row, 'type') === 'action_row' ? listIn(row, 'components') : [row];
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
  const content = safeLines(field(request, 'content')).flatMap((line) => foldAtBlanks(line, columns - 4));
  const rows = listIn(request, 'components').flatMap((row) => drawRow(row, paint, columns - 4));
  const lines = rows.length === 0 ? content : [...content, '', ...rows];
  return lines.map((line) => `  ${bar} ${line}\n`).join('');
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function headline(report: Report, { paint, columns }: Canvas): string {
  const { intent, replayed, attempt } = report;
  const line = headlineOf({
    ...intent,
    isDoneBefore: attempt?.duplicate === true || replayed,
    isReplayed: replayed,
    isProven: report.chain?.verdict === 'proven',
  });
  const mark = intent.state === 'accepted' ? paint.green('✔') : paint.yellow('•');
  const lines = foldAtBlanks(line, columns - 2).map((text) => paint.bold(text));
  return `${mark} ${lines.join('\n  ')}\n`;
}

/** One intent for a person: the request, and what the service said. */
export function drawReport(report: Report, canvas: Canvas): string {
  const { intent } = report;
  const request = requestOf(intent);
  const named =
    intent.name === undefined
      ? undefined
      : `${intent.name} (--${intent.namedBy === 'key' ? 'idempotency-key' : intent.namedBy === 'row' ? 'once' : intent.namedBy})`;
  const trailing = labelled(
    [
      ['Name', named],
      ['Row', intent.rowId],
      ['For', forWhom(intent)],
      ['ID', intent.id],
    ],
    canvas,
  );
  if (intent.kind === 'message') {
    const message = messageOf(report);
    const facts = labelled(
      [
        ['Message', shown(message?.id ?? message?.message_id)],
        ['Conversation', text(request.conversation_id)],
        ['Reply to', text(request.reply_to_message_id)],
      ],
      canvas,
    );
    return `${headline(report, canvas)}${facts}${drawMessage(request, canvas)}${trailing}`;
  }
  const transfer = transferOf(report);
  const amount = formatAmountOf(text(request.amount) ?? '', text(request.asset) ?? '');
  const facts = labelled(
    [
      ['Amount', amount],
      ['To', text(request.to_address)],
      ['Memo', text(request.memo)],
      ['Signature', shown(transfer?.signature)],
      ['Status', shown(transfer?.status)],
      ['Transfer', shown(transfer?.transfer_id)],
      ...chainFacts(report.chain, text(request.asset)),
    ],
    canvas,
  );
  return `${headline(report, canvas)}${facts}${trailing}`;
}

/** An intent in a question: who would do what, and where. */
export function drawIntent(intent: Intent, canvas: LabelCanvas, balance?: string): string {
  const request = requestOf(intent);
  const amount = text(request.amount);
  return labelled(
    [
      ['Bot', intent.bot],
      ['Service', intent.spelledUrl],
      ['To', text(request.to_address)],
      ['Amount', amount === undefined ? undefined : formatAmountOf(amount, text(request.asset) ?? '')],
      ['Memo', text(request.memo)],
      ['Balance', balance && balance],
      ['Conversation', text(request.conversation_id)],
      ['Content', text(request.content)],
      ['Name', intent.name],
      ['Row', intent.rowId],
      ['For', forWhom(intent)],
    ],
    canvas,
  );
}

/** Who would send it where, who asked for approval, and who answered. */
function drawDecisions({ decisions, intent }: Report, canvas: Canvas): string {
  if (decisions === undefined) return '';
  const bot = `${intent.bot} at ${intent.spelledUrl}`;
  return labelled([['Bot', bot], ...decisionLines(decisions)], canvas);
}

export function outcomeView(report: Report): View {
  const quiet = idOrSignature(report);
  return {
    json: reportJson(report),
    human: (canvas) => drawReport(report, canvas) + drawDecisions(report, canvas),
    ...(quiet === undefined ? {} : { quiet }),
  };
}

/** Whether the chain shows that the payment matches the request. */
function agrees({ verdict }: ChainView): boolean {
  return verdict === 'proven' || verdict === 'likely';
}

/** What the chain shows about a transfer: the verdict, the amount paid, the place, and a link. */
function chainFacts(view: ChainView | undefined, asset: string | undefined): Fact[] {
  if (view === undefined) return [];
  const { slot, block_time: timeS, paid, signature = '' } = view;
  const cluster = clusterOf(view.cluster);
  const when = timeS === undefined ? '' : `, ${iso(1000 * timeS)}`;
  return [
    ['Chain', chainLine(view)],
    ['Paid', paid && paidWords(paid, agrees(view) ? asset : undefined)],
    ['Slot', slot === undefined ? undefined : `${slot} of ${view.cluster}${when}`],
    ['Explorer', cluster && explorerLink(cluster, signature)],
  ];
}

/** Who did something to an intent. */
function decisionWords({ kind, who, role, reason }: Decision): string {
  const did = `${handWords({ who, role })} ${didWords[kind]}`;
  return kind === 'proposed' || kind === 'approved' ? did : `${did}: ${reason}`;
}
