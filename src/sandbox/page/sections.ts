import { balancesOf } from '../money.ts';
import type { Service } from '../service.ts';
import { faultsSection, readingsSection } from './controls.ts';
import { html } from './html.ts';
import { conversationsSection } from './messages.ts';
import { transfersSection } from './transfers.ts';

export type SectionName = 'wallet' | 'conversations' | 'transfers' | 'faults' | 'readings';

const effectsShown = 100;

/** All that changes on the page, by the name of its place there. */
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
