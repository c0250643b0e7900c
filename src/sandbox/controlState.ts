import type { Derived } from './derived.ts';
import { randomOf } from './fate.ts';
import type { Ledger } from './ledger.ts';
import { balancesOf, suppliesOf } from './money.ts';
import { defaultReadings, type Readings } from './readings.ts';
import type { Effect, EffectFilter } from './store/effects.ts';

export type Controlled = { ledger: Ledger; derived: Derived; nowMs: () => number };

export function readingsOf(ledger: Ledger): Readings {
  return { ...defaultReadings, ...(ledger.settings.get('readings') as Partial<Readings> | undefined) };
}

export function faultsOf(ledger: Ledger): { scripted: unknown[]; random: unknown } {
  return { scripted: ledger.faults.list(), random: randomOf(ledger) ?? null };
}

export function stateOf({ ledger, derived }: Pick<Controlled, 'ledger' | 'derived'>): object {
  const { address } = derived.wallet;
  return {
    tokens: derived.tokens,
    conversations: ledger.conversations.list(),
    wallet: { address, balances: balancesOf(ledger, address) },
    assets: ledger.accounts.assets(),
    readings: readingsOf(ledger),
    faults: faultsOf(ledger),
    counts: {
      messages: ledger.effects.count('message'),
      transfers: ledger.effects.count('transfer'),
      transactions: ledger.transactions.count(),
    },
    // made = in accounts + burnt as fees, always.
    lamports: {
      made: ledger.facts.get('lamports_made'),
      in_accounts: ledger.accounts.totalLamports().toString(),
      fees: ledger.transactions.feesLamports().toString(),
    },
    // supply = held, always.
    supplies: suppliesOf(ledger),
  };
}

export function ledgerOf(query: URLSearchParams, { ledger }: Controlled): { effects: object[] } {
  const filter: EffectFilter = {};
  const kind = query.get('kind');
  const key = query.get('key');
  if (kind !== null) filter.kind = kind;
  if (key !== null) filter.key = key;
  if (query.has('after')) filter.afterSeq = Number(query.get('after')) || 0;
  if (query.has('limit')) filter.limit = Number(query.get('limit')) || 0;
  return { effects: ledger.effects.list(filter).map(shown) };
}

function shown(effect: Effect): object {
  const { seq, kind, id, token, key, atMs, request, signature } = effect;
  return {
    seq,
    kind,
    id,
    key,
    signature,
    token,
    at: new Date(atMs).toISOString(),
    request: JSON.parse(request),
  };
}
