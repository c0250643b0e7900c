import type { ServerResponse } from 'node:http';
import { faultKinds, faultMoments } from '../faults.ts';
import { balancesOf } from '../money.ts';
import { choicesOf, defaultReadings, type Readings } from '../readings.ts';
import { escapeHtml } from '../reply.ts';
import type { Service } from '../request.ts';
import { nodeFor, stageOf } from '../rpc/node.ts';
import { decimal } from '../solana/address.ts';
import { allAccounts, decodeTransaction } from '../solana/message.ts';
import type { StoredTransaction, TokenBalance } from '../store/database.ts';
import type { Effect } from '../store/ledger.ts';

const lookEveryMs = 250;
const viewersAtMost = 20;

type Viewer = { response: ServerResponse; seen: Partial<Record<SectionName, string>> };

/** Sends changes to open pages as server-sent events. It checks once for all pages, and only while one is open. */
export class LivePages {
  readonly #service: Service;
  readonly #closing: AbortSignal;
  readonly #viewers = new Set<Viewer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(service: Service, closing: AbortSignal) {
    this.#service = service;
    this.#closing = closing;
    closing.addEventListener('abort', () => this.#end(), { once: true });
  }

  get isFull(): boolean {
    return this.#viewers.size >= viewersAtMost || this.#closing.aborted;
  }

  show(response: ServerResponse): void {
    const viewer: Viewer = { response, seen: {} };
    this.#viewers.add(viewer);
    response.on('close', () => {
      this.#viewers.delete(viewer);
      this.#keepLooking();
    });
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write('retry: 1000\n\n');
    this.#look();
    this.#keepLooking();
  }

  #keepLooking(): void {
    const isWatched = this.#viewers.size > 0;
    if (!isWatched) clearInterval(this.#timer);
    this.#timer = isWatched
      ? (this.#timer ?? setInterval(() => this.#look(), lookEveryMs).unref())
      : undefined;
  }

  /** Skips a busy folder until the next check. */
  #look(): void {
    let now: Record<SectionName, string>;
    try {
      now = sections(this.#service);
    } catch {
      return;
    }
    for (const viewer of this.#viewers) tell(viewer, now);
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const { response } of this.#viewers) response.destroy();
  }
}

/** Skips a viewer that has not read the last update; a later check sends the changes. */
function tell(viewer: Viewer, now: Record<SectionName, string>): void {
  if (viewer.response.writableNeedDrain) return;
  const names = Object.keys(now) as SectionName[];
  const changed = names.filter((name) => viewer.seen[name] !== now[name]);
  if (changed.length === 0) return;
  viewer.seen = now;
  const told = Object.fromEntries(changed.map((name) => [name, now[name]]));
  viewer.response.write(`data: ${JSON.stringify(told)}\n\n`);
}

export type SectionName = 'wallet' | 'conversations' | 'transfers' | 'faults' | 'readings';

const effectsShown = 100;

/** Every part of the page that changes, by section name. */
export function sections(service: Service): Record<SectionName, string> {
  const { ledger, derived } = service;
  const effects = ledger.effects.latest(effectsShown);
  const balances = balancesOf(ledger, derived.wallet.address);
  const money = balances.map(({ asset, amount }) => html`<li><b>${amount}</b> ${asset}</li>`);
  return {
    wallet: html`<ul>${money}</ul><code>${derived.wallet.address}</code>`.text,
    conversations: conversationsSection(service, effects).text,
    transfers: transfersSection(service, effects).text,
    faults: faultsSection(service).text,
    readings: readingsSection(service).text,
  };
}

type Button = { label?: unknown; style?: unknown; custom_id?: unknown };
type TableRow = { components?: Button[] };
type ShownMessage = {
  conversation_id: string;
  content: string;
  reply_to_message_id?: string;
  components?: TableRow[];
};

/** The conversations as chats, newest messages last. */
function conversationsSection({ ledger }: Service, effects: readonly Effect[]): Html {
  const messages = effects.filter(({ kind }) => kind === 'message').reverse();
  return html`${ledger.conversations.list().map((id) => {
    const own = messages.filter((effect) => messageOf(effect).conversation_id === id);
    return html`<article class="chat" aria-labelledby="chat-${id}">
      <h3 id="chat-${id}">${id}</h3>
      ${own.length === 0 ? html`<p class="none">No messages yet.</p>` : html`<ol>${own.map(bubble)}</ol>`}
    </article>`;
  })}`;
}

const messageOf = ({ request }: Effect): ShownMessage => JSON.parse(request) as ShownMessage;

function bubble(effect: Effect): Html {
  const { content, reply_to_message_id: replyTo, components = [] } = messageOf(effect);
  const at = new Date(effect.atMs).toISOString();
  return html`<li id="${effect.id}">
    ${replyTo === undefined ? '' : html`<p class="reply">in reply to ${replyTo}</p>`}
    <p class="content" dir="auto">${content}</p>
    ${components.map((row, place) => buttonRow(row, `${effect.id}-${place}`))}
    <output aria-live="polite"></output>
    <footer><time datetime="${at}">${at.slice(11, 19)}</time> <code>${effect.id}</code></footer>
  </li>`;
}

function buttonRow({ components = [] }: TableRow, id: string): Html {
  const buttons = components.map((button, place) => {
    const style = ['success', 'danger'].find((name) => name === button.style) ?? 'plain';
    const label = String(button.label ?? '');
    const press = String(button.custom_id ?? '');
    return html`<button type="button" id="${id}-${place}" class="${style}" data-press="${press}">${label}</button>`;
  });
  return html`<div class="row" role="group" aria-label="Buttons">${buttons}</div>`;
}

type Transfer = { to_address: string; asset: string; amount: string; memo?: string };

/** Each payment, its cost and the balance after it, newest first. */
function transfersSection(service: Service, effects: readonly Effect[]): Html {
  const transfers = effects.filter(({ kind }) => kind === 'transfer');
  if (transfers.length === 0) return html`<p class="none">No transfers yet.</p>`;
  const heads = ['Time', 'Amount', 'To', 'Wallet before', 'Wallet after', 'Fee', 'Stage', 'Signature'];
  return html`<table>
    <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
    <tbody>${transfers.map((effect) => transferRow(effect, service))}</tbody>
  </table>`;
}

function transferRow(effect: Effect, service: Service): Html {
  const { to_address: to, asset, amount, memo } = JSON.parse(effect.request) as Transfer;
  const signature = effect.signature ?? '';
  const found = service.ledger.transactions.get(signature);
  const symbol = service.ledger.accounts.asset(asset)?.symbol ?? asset;
  const moved = found === undefined ? undefined : walletMoved(found, symbol, service);
  const fee = found === undefined ? '' : `${decimal(BigInt(found.meta.fee), 9)} SOL`;
  const at = new Date(effect.atMs).toISOString();
  const cells: [string, Html | string][] = [
    ['Time', html`<time datetime="${at}">${at.slice(11, 19)}</time>`],
    [
      'Amount',
      html`<b>${amount} ${symbol}</b>${memo === undefined ? '' : html`<br><small dir="auto">${memo}</small>`}`,
    ],
    ['To', html`<code>${to}</code>`],
    ['Wallet before', moved === undefined ? '' : `${moved.before} ${symbol}`],
    ['Wallet after', moved === undefined ? '' : `${moved.after} ${symbol}`],
    ['Fee', fee],
    ['Stage', found === undefined ? 'reset' : stage(found, service)],
    ['Signature', html`<code>${signature}</code>`],
  ];
  return html`<tr>${cells.map(([name, cell]) => html`<td data-name="${name}">${cell}</td>`)}</tr>`;
}

function stage({ slot }: StoredTransaction, service: Service): string {
  const node = nodeFor('/rpc', service);
  return 'problem' in node ? '' : (stageOf(slot, node) ?? 'not seen by the node');
}

/** The change in the wallet's balance of the requested asset. */
function walletMoved(
  { wire, meta }: StoredTransaction,
  symbol: string,
  { ledger, derived }: Service,
): { before: string; after: string } {
  const { address } = derived.wallet;
  const asset = ledger.accounts.asset(symbol);
  if (asset === undefined) {
    const place = allAccounts(decodeTransaction(wire).message, meta.loaded).indexOf(address);
    const sol = (balances: string[]): string => decimal(BigInt(balances[place] ?? '0'), 9);
    return { before: sol(meta.preBalances), after: sol(meta.postBalances) };
  }
  const held = (balances: TokenBalance[]): string => {
    const own = balances.find(({ owner, mint }) => owner === address && mint === asset.mint);
    return decimal(BigInt(own?.amount ?? '0'), asset.decimals);
  };
  return { before: held(meta.preTokenBalances), after: held(meta.postTokenBalances) };
}

/** A form for each reading: a choice if it has few values, otherwise its JSON. */
function readingsSection(service: Service): Html {
  const readings = service.readings();
  const names = Object.keys(defaultReadings) as (keyof Readings)[];
  return html`${names.map((name) => readingForm(name, readings))}`;
}

function readingForm(name: keyof Readings, readings: Readings): Html {
  const value = JSON.stringify(readings[name]);
  const isChanged = value !== JSON.stringify(defaultReadings[name]);
  const choices = choicesOf(name)?.map((choice) => JSON.stringify(choice));
  const id = `reading-${name}`;
  const field =
    choices === undefined
      ? html`<input id="${id}" name="${name}" value="${value}" spellcheck="false" autocomplete="off">`
      : html`<select id="${id}" name="${name}">${choices.map((choice) => option(choice, choice === value))}</select>`;
  return html`<form class="reading${isChanged ? ' changed' : ''}" data-post="/control/readings">
    <label for="${id}">${name}</label>${field}<button id="set-${name}">Set</button>
  </form>`;
}

/** The queued faults, and a form to add one. */
function faultsSection({ ledger }: Service): Html {
  const queued = ledger.faults.list();
  const list = queued.map(({ fault, remaining }) => {
    const { kind, when, operation, key, ...more } = fault;
    const rest = Object.entries({
      ...(operation === null ? {} : { operation }),
      ...(key === null ? {} : { key }),
      ...more,
    });
    const words = rest.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ');
    return html`<li><b>${kind}</b> ${when}${words === '' ? '' : `, ${words}`} <span class="times">&times; ${remaining}</span></li>`;
  });
  return html`${queued.length === 0 ? html`<p class="none">No fault waits.</p>` : html`<ol class="faults">${list}</ol>`}
  <form class="fault" data-fault>
    <label for="fault-kind">Fault</label>
    <select id="fault-kind" name="kind">${faultKinds.map((kind) => option(kind, kind === 'drop'))}</select>
    <label for="fault-when">when</label>
    <select id="fault-when" name="when">${faultMoments.map((when) => option(when, when === 'before'))}</select>
    <label for="fault-operation">for</label>
    <select id="fault-operation" name="operation">
      <option value="">both operations</option>${['message', 'transfer', 'rpc'].map((name) => option(name, false))}
    </select>
    <label for="fault-more">and</label>
    <input id="fault-more" name="more" placeholder='{"status": 503}' spellcheck="false" autocomplete="off">
    <button id="fault-add">Add</button>
    <button id="fault-clear" type="button" data-clear>Clear all</button>
  </form>`;
}

function option(value: string, isChosen: boolean): Html {
  return isChosen
    ? html`<option value="${value}" selected>${value}</option>`
    : html`<option value="${value}">${value}</option>`;
}

/** Text that is already safe in a page. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Piece[];

/** A template that escapes its pieces, unless they are `Html` themselves. */
export function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(parts.map((part, place) => part + textOf(pieces[place] ?? '')).join(''));
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  return typeof piece === 'object' ? piece.map(textOf).join('') : escapeHtml(String(piece));
}
