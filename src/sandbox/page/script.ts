/** For the browser. What it puts into the page was escaped by the sandbox; nothing else is ever put there. */
export const script = `'use strict';
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
