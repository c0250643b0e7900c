import { defaultReadings, type Readings } from '../src/sandbox/readings.ts';
import { controlOf, type LedgerEffect } from '../testing/sandbox.ts';
import { startSandboxProcess } from '../testing/sandboxProcess.ts';
import { shipped } from './programs.ts';
import { endWithProof } from './run.ts';

type Heard = { readonly operation: string; readonly status: number; readonly key?: string };

/** The sandbox in a separate process, and its ledger: what truly happened. */
export type Service = ReturnType<typeof controlOf> & {
  readonly baseUrl: string;
  readonly token: string;
  /** Its Solana node, as a profile names it. */
  readonly node: {
    readonly rpcUrl: string;
    readonly genesisHash: string;
    readonly assets: Readonly<Record<string, string>>;
  };
  readonly wallet: string;
  /** Every request whose end it has shown, in order. */
  readonly heard: readonly Heard[];
  /** The effects since the last call of `fresh`. */
  effects(): Promise<LedgerEffect[]>;
  set(readings: Partial<Readings>): Promise<void>;
  /** Looks away from all that happened so far; readings and faults are as at first. */
  fresh(keys?: 'forgotten' | 'remembered'): Promise<void>;
  close(): Promise<void>;
};

export async function startService(env: Record<string, string>, dataDir: string): Promise<Service> {
  const { greeting, child, lines, end } = await startSandboxProcess(['--data', dataDir], env, shipped.bin);
  endWithProof(child);
  const { base_url: baseUrl, tokens, wallet, rpc_url: rpcUrl, genesis_hash: genesisHash, assets } = greeting;
  const control = controlOf(baseUrl);
  await control.money({ amount: '1000000' });
  return {
    ...control,
    ...ledgerOf(baseUrl, control),
    baseUrl,
    token: tokens.full,
    node: { rpcUrl, genesisHash, assets },
    wallet: wallet.address,
    heard: lines as unknown as Heard[],
    close: async () => void (await end('SIGKILL')),
  };
}

type OwnCalls = Pick<Service, 'effects' | 'fresh' | 'set'>;

function ledgerOf(baseUrl: string, control: ReturnType<typeof controlOf>): OwnCalls {
  let seen = 0;
  let isChanged = false;
  const effects = async (): Promise<LedgerEffect[]> => {
    const ledger = `${baseUrl}/control/ledger?after=${seen}`;
    // A service on a busy machine may close an idle connection just as it is used. A ledger can be read twice.
    const response = await fetch(ledger).catch(() => fetch(ledger));
    return ((await response.json()) as { effects: LedgerEffect[] }).effects;
  };
  return {
    effects,
    set: async (change) => {
      isChanged = true;
      await control.readings(change);
    },
    fresh: async (keys = 'forgotten') => {
      seen = Math.max(seen, ...(await effects()).map(({ seq }) => seq));
      if (isChanged) await control.readings(defaultReadings);
      isChanged = false;
      await control.clearFaults();
      if (keys === 'forgotten') await control.forgetKeys();
    },
  };
}
