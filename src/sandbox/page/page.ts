import type { Service } from '../service.ts';
import { Html, html } from './html.ts';
import { type SectionName, sections } from './sections.ts';

const titles: readonly (readonly [SectionName, string])[] = [
  ['conversations', 'Conversations'],
  ['faults', 'Faults'],
  ['transfers', 'Transfers'],
  ['readings', 'Readings'],
];

/** What lives in the data folder, for a person who opens the address: whole without a script, live with one. */
export function page(service: Service): string {
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

/** A screen reader says what is new in a chat or a table, not a form that was drawn again. */
function liveness(name: SectionName): Html {
  return name === 'conversations' || name === 'transfers' ? html` aria-live="polite"` : html``;
}
