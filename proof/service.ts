import { defaultReadings, type Readings } from '../src/sandbox/readings.ts';
import { controlOf, type LedgerEffect } from '../test/support/sandbox.ts';
import { startSandboxProcess } from '../test/support/sandboxProcess.ts';
import { shipped } from './programs.ts';
import { endWithProof } from './run.ts';

type Heard = { readonly operation: string; readonly status: number; readonly key?: string };

/** The sandbox in a separate process, and its ledger: what truly happened. */
export type Service = Awaited<ReturnType<typeof startService>>;

export async function startService(env: Record<string, string>, dataDir: string) {
  const { greeting, child, lines, end } = await startSandboxProcess(['--data', dataDir], env, shipped);
  endWithProof(child);
  const { base_url: baseUrl, tokens, wallet, rpc_url: rpcUrl, genesis_hash: genesisHash, assets } = greeting;
  const control = controlOf(baseUrl);
  await control.money({ amount: '1000000' });
  return {
    ...control,
    ...ledgerOf(baseUrl, control),
    baseUrl,
    token: tokens.full,
    /** Its Solana node, as a profile names it. */
    node: { rpcUrl, genesisHash, assets },
    wallet: wallet.address,
    /** Every request whose end it has shown, in order. */
    heard: lines as unknown as readonly Heard[],
    close: () => end('SIGKILL'),
  };
}

function ledgerOf(baseUrl: string, control: ReturnType<typeof controlOf>) {
  let seen = 0;
  let isChanged = false;
  /** The effects since the last call of `fresh`. */
  const effects = async (): Promise<LedgerEffect[]> => {
    const ledger = `${baseUrl}/control/ledger?after=${seen}`;
    // A service on a busy machine may close an idle connection just as it is used. A ledger can be read twice.
    const response = await fetch(ledger).catch(() => fetch(ledger));
    return ((await response.json()) as { effects: LedgerEffect[] }).effects;
  };
  return {
    effects,
    set: async (change: Partial<Readings>): Promise<void> => {
      isChanged = true;
      await control.readings(change);
    },
    /** Looks away from all that happened so far; readings and faults are as at first. */
    fresh: async (keys: 'forgotten' | 'remembered' = 'forgotten'): Promise<void> => {
      seen = Math.max(seen, ...(await effects()).map(({ seq }) => seq));
      if (isChanged) await control.readings(defaultReadings);
      isChanged = false;
      await control.clearFaults();
      if (keys === 'forgotten') await control.forgetKeys();
    },
  };
}
