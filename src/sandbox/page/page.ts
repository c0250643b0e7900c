import { type Outlet, type Reply, rejection, rejectionReply, send } from '../reply.ts';
import { replyContext, type Service } from '../request.ts';
import { Html, html, type LivePages, type SectionName, sections } from './view.ts';

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
      <p id="live" role="status">as it was when this page was loaded</p>
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
source.onerror = () => { byId('live').textContent = 'not reached; trying again'; };
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
