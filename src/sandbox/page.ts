import type { Derived } from './derived.ts';
import type { Ledger } from './ledger.ts';
import { balancesOf } from './money.ts';
import { escapeHtml, type Reply } from './reply.ts';
import type { Effect } from './store/effects.ts';

const style = `
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
  code { font: 13px ui-monospace, monospace; word-break: break-all }
  table { border-collapse: collapse; width: 100% } td, th { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top }
  tr + tr td { border-top: 1px solid #ddd } @media (prefers-color-scheme: dark) { body { background: #161616; color: #ddd } }
`;

/** What lives in the data folder, for a person who opens the address. */
export function page(ledger: Ledger, derived: Derived): Reply {
  const { address } = derived.wallet;
  const balances = balancesOf(ledger, address).map(({ asset, amount }) => `${amount} ${asset}`);
  const effects = ledger.effects.latest(50);
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>botctl sandbox</title><style>${style}</style></head>
<body><h1>botctl sandbox</h1>
<table>
${row('wallet', code(address))}${row('balances', escapeHtml(balances.join(', ')))}
${row('conversations', ledger.conversations.list().map(code).join(' '))}
${Object.entries(derived.tokens)
  .map(([name, token]) => row(`token ${name}`, code(token)))
  .join('')}
</table>
<h2>Last effects</h2>
<table><tr><th>time</th><th>kind</th><th>key</th><th>what</th></tr>${effects.map(effectRow).join('')}</table>
</body></html>\n`;
  return {
    status: 200,
    headers: [['Content-Type', 'text/html; charset=utf-8']],
    body: Buffer.from(html, 'utf8'),
  };
}

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

const row = (name: string, html: string): string => `<tr><th>${escapeHtml(name)}</th><td>${html}</td></tr>`;

function effectRow({ atMs, kind, key, id, signature, request }: Effect): string {
  const cells = [
    escapeHtml(new Date(atMs).toISOString()),
    kind,
    code(key ?? ''),
    `${code(signature ?? id)}<br>${code(request)}`,
  ];
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}
