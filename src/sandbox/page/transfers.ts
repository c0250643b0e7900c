import { nodeFor, stageOf } from '../rpc/node.ts';
import type { Service } from '../service.ts';
import { allAccounts, decodeTransaction } from '../solana/message.ts';
import { decimal } from '../solana/token.ts';
import type { Effect } from '../store/effects.ts';
import type { StoredTransaction, TokenBalance } from '../store/transactions.ts';
import { type Html, html } from './html.ts';

type Transfer = { to_address: string; asset: string; amount: string; memo?: string };

/** What was paid, what it cost, and what it left, newest first. */
export function transfersSection(service: Service, effects: readonly Effect[]): Html {
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

/** The wallet's own side of a transaction, in the asset that was asked for. */
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
