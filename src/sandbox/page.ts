import type { ServerResponse } from 'node:http';
import { faultKinds, faultMoments } from './faults.ts';
import { balancesOf } from './money.ts';
import { choicesOf, defaultReadings, type Readings } from './readings.ts';
import { escapeHtml, type Outlet, type Reply, rejection, rejectionReply, send } from './reply.ts';
import { replyContext, type Service } from './request.ts';
import { nodeFor, stageOf } from './rpc/node.ts';
import { allAccounts, decimal, decodeTransaction } from './solana.ts';
import type { StoredTransaction, TokenBalance } from './store/database.ts';
import type { Effect } from './store/ledger.ts';

const titles: readonly (readonly [SectionName, string])[] = [
  ['conversations', 'Conversations'],
  ['faults', 'Faults'],
  ['transfers', 'Transfers'],
  ['readings', 'Readings'],
];

/** Shows the data folder to a person: complete without a script, live with one. */
function page(service: Service): string {
  const now = sections(service);
  const tokens = Object.entries(service.derived.tokens).map(
    ([name, token]) => html`<dt>${name}</dt><dd><code>${token}</code></dd>`,
  );
  const parts = titles.map(
    ([name, title]) => html`<section aria-labelledby="title-${name}">
      <h2 id="title-${name}">${title}</h2>
      <div id="${name}" class="${name}"${liveness(name)}>${new Html(now[name])}</div>
    </section>`,
  );
  return `<!doctype html>\n${
    html`<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>botctl sandbox</title>
    <link rel="stylesheet" href="/page.css">
    <script src="/page.js" defer></script>
  </head>
  <body>
    <header>
      <h1>botctl sandbox</h1>
      <p id="live" role="status">not live: this is the state when the page was loaded</p>
      <div id="wallet" class="wallet">${new Html(now.wallet)}</div>
      <details><summary>Tokens</summary><dl>${tokens}</dl></details>
    </header>
    <main>${parts}</main>
    <p id="problem" role="alert"></p>
  </body>
</html>
`.text
  }`;
}

/** A screen reader announces new text in a chat or a table, but not a redrawn form. */
function liveness(name: SectionName): Html {
  return name === 'conversations' || name === 'transfers' ? html` aria-live="polite"` : html``;
}

/** Loads nothing from elsewhere, runs no inline script, and forbids frames. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const documents: Readonly<Record<string, { type: string; text: (service: Service) => string }>> = {
  '/': { type: 'text/html', text: page },
  '/page.css': { type: 'text/css', text: () => style },
  '/page.js': { type: 'text/javascript', text: () => script },
};

export const pagePaths: readonly string[] = [...Object.keys(documents), '/events'];

/** Serves the page; returns the status sent. */
export function servePage(path: string, outlet: Outlet, service: Service, live: LivePages): number {
  const document = documents[path];
  if (document !== undefined) return send(reply(document.type, document.text(service)), outlet);
  if (live.isFull) {
    const full = rejection(503, 'too_many_pages', 'Too many pages are open.');
    return send(rejectionReply(full, replyContext(service)), outlet);
  }
  live.show(outlet.response);
  return 200;
}

function reply(type: string, text: string): Reply {
  return {
    status: 200,
    headers: [
      ['Content-Type', `${type}; charset=utf-8`],
      ['Content-Security-Policy', policy],
      ['X-Content-Type-Options', 'nosniff'],
      ['Referrer-Policy', 'no-referrer'],
      ['Cache-Control', 'no-store'],
    ],
    body: Buffer.from(text, 'utf8'),
  };
}

/** Runs in the browser. It inserts only text that the sandbox has escaped. */
const script = `'use strict';
const byId = (id) => document.getElementById(id);
const waiting = new Map();

// A form that somebody is in is drawn again when they have left it.
const isBusy = (place) => place.contains(document.activeElement) && document.activeElement.matches('input, select');

const put = (name, text) => {
  const place = byId(name);
  if (isBusy(place)) return void waiting.set(name, text);
  waiting.delete(name);
  const focused = place.contains(document.activeElement) ? document.activeElement.id : '';
  place.innerHTML = text;
  if (focused !== '') byId(focused)?.focus();
};

addEventListener('focusout', () => setTimeout(() => {
  for (const [name, text] of [...waiting]) put(name, text);
}));

const source = new EventSource('/events');
source.onopen = () => { byId('live').textContent = 'live'; };
source.onerror = () => { byId('live').textContent = 'connection lost; trying again'; };
source.onmessage = ({ data }) => {
  for (const [name, text] of Object.entries(JSON.parse(data))) put(name, text);
};

const tell = async (method, path, body) => {
  const headers = { 'Content-Type': 'application/json' };
  const reply = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const said = await reply.json();
  byId('problem').textContent = reply.ok ? '' : said.error.message;
};

const attempt = (work) => work().catch((error) => { byId('problem').textContent = error.message; });

addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  const fields = Object.fromEntries(new FormData(form));
  document.activeElement?.blur();
  attempt(async () => {
    if ('fault' in form.dataset) {
      const { kind, when, operation, more } = fields;
      const fault = { kind, when, ...(operation === '' ? {} : { operation }), ...JSON.parse(more || '{}') };
      await tell('POST', '/control/faults', { faults: [fault] });
      return;
    }
    const [[name, text]] = Object.entries(fields);
    await tell('POST', form.dataset.post, { [name]: JSON.parse(text) });
  });
});

addEventListener('click', ({ target }) => {
  if (target.matches('[data-clear]')) attempt(() => tell('DELETE', '/control/faults'));
  if (!target.matches('[data-press]')) return;
  target.closest('li').querySelector('output').textContent = 'pressed: custom_id ' + target.dataset.press;
});
`;

const style = `
:root { color-scheme: light dark; --ground: #f6f7f9; --card: #fff; --text: #1b1f24; --dim: #5b6470; --line: #d9dee5; --accent: #2457c5; --bubble: #e8effd; --good: #12703a; --bad: #b3261e; --mark: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --ground: #121417; --card: #1c2025; --text: #e8eaed; --dim: #9aa4b1; --line: #353c45; --accent: #8ab4ff; --bubble: #22314d; --good: #6cd391; --bad: #ff9c94; --mark: #f0b849 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
h3, small, code, output, button { unicode-bidi: isolate }
h1 { font-size: 1.25rem; margin: 0 } h2 { font-size: 1.05rem; margin: 0 0 .6rem } h3 { font-size: .95rem; margin: 0 0 .5rem }
header { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; align-items: baseline; padding-bottom: .8rem }
#live { margin: 0; color: var(--dim) }
code { font: 12.5px ui-monospace, monospace; overflow-wrap: anywhere }
.wallet { display: flex; flex-wrap: wrap; gap: .2rem 1rem; align-items: baseline } .wallet ul { display: flex; gap: 1rem; margin: 0; padding: 0; list-style: none }
details { flex-basis: 100% } summary { cursor: pointer; color: var(--dim) } dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0 0 } dd { margin: 0 }
main { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 1rem; min-width: 0 }
section:nth-of-type(n + 3) { grid-column: 1 / -1 }
.none { color: var(--dim); margin: 0 }
.chat + .chat { margin-top: 1rem; border-top: 1px solid var(--line); padding-top: 1rem }
.chat ol, .faults { list-style: none; margin: 0; padding: 0 } .chat ol { display: grid; gap: .6rem; max-height: 32rem; overflow-y: auto }
.chat li { background: var(--bubble); border-radius: 4px 12px 12px 12px; padding: .5rem .8rem; justify-self: start; max-width: 100% }
.content { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate }
.reply { margin: 0; color: var(--dim); font-size: .85em } .chat footer, .chat output { display: block; color: var(--dim); font-size: .85em } .chat output { color: var(--text); overflow-wrap: anywhere }
.row { display: flex; flex-wrap: wrap; gap: .4rem; margin: .4rem 0 }
button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .25rem .7rem; cursor: pointer; overflow-wrap: anywhere }
button.success { color: var(--good); border-color: currentColor } button.danger { color: var(--bad); border-color: currentColor }
:is(button, input, select, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
input, select { font: 13px ui-monospace, monospace; color: var(--text); background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .3rem .4rem; min-width: 0; max-width: 100% }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .35rem .7rem .35rem 0 } th { color: var(--dim); font-weight: 500; font-size: .85em } tbody tr { border-top: 1px solid var(--line) }
td small { color: var(--dim) } td[data-name^=Wallet], td[data-name=Fee], td[data-name=Amount] { font-variant-numeric: tabular-nums }
.readings { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 22rem), 1fr)); gap: .4rem 1.2rem }
.reading { display: grid; grid-template-columns: 11.5rem 1fr max-content; gap: .4rem; align-items: center } .reading label { overflow-wrap: anywhere; font-size: .9em }
.reading.changed label { color: var(--mark); font-weight: 600 }
.fault { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; margin-top: .8rem } .times { color: var(--dim) }
#problem { position: sticky; bottom: 0; margin: 1rem 0 0; color: var(--bad) } #problem:not(:empty) { background: var(--card); border: 1px solid var(--bad); border-radius: 6px; padding: .5rem .8rem }
@media (min-width: 52.01rem) { td[data-name^=Wallet], td[data-name=Fee] { white-space: nowrap } }
@media (max-width: 52rem) {
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden } tbody tr { display: block; padding: .5rem 0 }
  td { display: grid; grid-template-columns: 7.5rem 1fr; padding: .1rem 0 } td::before { content: attr(data-name); color: var(--dim) } td:empty { display: none }
}
@media (max-width: 30rem) { .reading { grid-template-columns: 1fr max-content } .reading label { grid-column: 1 / -1 } }
`;

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

type SectionName = 'wallet' | 'conversations' | 'transfers' | 'faults' | 'readings';

const effectsShown = 100;

/** Every part of the page that changes, by section name. */
function sections(service: Service): Record<SectionName, string> {
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
  return html`${queued.length === 0 ? html`<p class="none">No faults are queued.</p>` : html`<ol class="faults">${list}</ol>`}
  <form class="fault" data-fault>
    <label for="fault-kind">Fault</label>
    <select id="fault-kind" name="kind">${faultKinds.map((kind) => option(kind, kind === 'drop'))}</select>
    <label for="fault-when">when</label>
    <select id="fault-when" name="when">${faultMoments.map((when) => option(when, when === 'before'))}</select>
    <label for="fault-operation">for</label>
    <select id="fault-operation" name="operation">
      <option value="">messages and transfers</option>${['message', 'transfer', 'rpc'].map((name) => option(name, false))}
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
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | readonly Piece[];

/** A template that escapes its pieces, unless they are `Html` themselves. */
function html(parts: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(parts.map((part, place) => part + textOf(pieces[place] ?? '')).join(''));
}

function textOf(piece: Piece): string {
  if (piece instanceof Html) return piece.text;
  return typeof piece === 'object' ? piece.map(textOf).join('') : escapeHtml(String(piece));
}
