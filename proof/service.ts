import { once } from 'node:events';
import { defaultReadings, type Readings } from '../src/sandbox/readings.ts';
import { startOf } from '../testing/program.ts';
import { controlOf, type LedgerEffect } from '../testing/sandbox.ts';
import { shipped } from './programs.ts';
import { launch } from './run.ts';

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

type Greeting = {
  base_url: string;
  tokens: { full: string };
  wallet: { address: string };
  rpc_url: string;
  genesis_hash: string;
  assets: Record<string, string>;
};

export async function startService(env: Record<string, string>, dataDir: string): Promise<Service> {
  const words = [...startOf(shipped.bin), 'sandbox', '--json', '--data', dataDir];
  const child = launch(words, env);
  const heard: Heard[] = [];
  const {
    base_url: baseUrl,
    tokens,
    wallet,
    ...node
  } = await new Promise<Greeting>((resolve, reject) => {
    let rest = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.map((text) => JSON.parse(text))) {
        if ('base_url' in line) resolve(line);
        else heard.push(line);
      }
    });
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
  child.stderr?.resume();
  const control = controlOf(baseUrl);
  await control.money({ amount: '1000000' });
  return {
    ...control,
    ...ledgerOf(baseUrl, control),
    baseUrl,
    token: tokens.full,
    node: { rpcUrl: node.rpc_url, genesisHash: node.genesis_hash, assets: node.assets },
    wallet: wallet.address,
    heard,
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'close');
    },
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
