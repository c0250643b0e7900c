import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { type Chain, loadChain } from './chain.ts';
import { readingsOf } from './controlState.ts';
import { openLedger } from './dataFolder.ts';
import { deriveFrom } from './derived.ts';
import { fateOf, randomOf, setRandom } from './fate.ts';
import { createSite, createWebsocketSite } from './http.ts';
import type { Ledger } from './ledger.ts';
import { listenSteadily } from './listen.ts';
import { type Balance, balancesOf } from './money.ts';
import { type NodeFacts, nodeFacts } from './nodeFacts.ts';
import { LivePages } from './page/live.ts';
import { defaultReadings, type Readings } from './readings.ts';
import type { RequestLog } from './requestLog.ts';
import { WebsocketHub } from './rpc/websocket.ts';
import type { Service } from './service.ts';

export type SandboxSettings = {
  dataDir: string;
  /** 0: any free one. */
  port: number;
  /** The one to take where any would do and it is free. */
  steadyPort?: number;
  /** Also at the port after its own, where @solana/web3.js 1 looks for the node's websocket. */
  nextPortToo?: boolean;
  seed?: string | number;
  faultRate?: number;
  onRequest?: (logged: RequestLog) => void;
  /** How long a client may take to say its request. */
  requestTimeoutMs?: number;
  nowMs?: () => number;
  randomBytes?: (count: number) => Buffer;
  lockWaitMs?: number;
  loadChain?: () => Chain;
};

export type RunningSandbox = {
  baseUrl: string;
  tokens: { full: string; no_send: string; no_wallet: string };
  conversations: string[];
  wallet: { address: string; balances: Balance[] };
  node: NodeFacts;
  /** Settings in the data folder that a caller may have forgotten, a sentence each. */
  notes: string[];
  close(): Promise<void>;
};

/** The Bot API on a loopback port, over one data folder that other processes may be serving too. */
export async function startSandbox(settings: SandboxSettings): Promise<RunningSandbox> {
  const random = settings.randomBytes ?? randomBytes;
  const nowMs = settings.nowMs ?? Date.now;
  const ledger = openLedger(settings.dataDir, {
    seed: settings.seed,
    random,
    waitMs: settings.lockWaitMs,
  });
  const derived = deriveFrom(ledger.facts.get('secret') ?? '');
  if (settings.faultRate !== undefined) {
    const dice = { seed: String(settings.seed ?? 'botctl'), rate: settings.faultRate };
    ledger.atomically(() => setRandom(ledger, dice.rate > 0 ? dice : null));
  }
  const service: Service = {
    ledger,
    derived,
    readings: () => readingsOf(ledger),
    nowMs,
    requestId: () => `req_${random(10).toString('hex')}`,
    loadChain: settings.loadChain ?? loadChain,
  };
  const closing = new AbortController();
  const underway = new Set<Promise<void>>();
  const fate = fateOf(ledger);
  const site = {
    service,
    fate,
    closing: closing.signal,
    underway,
    websockets: new WebsocketHub(service, fate, closing.signal),
    live: new LivePages(service, closing.signal),
    requestTimeoutMs: settings.requestTimeoutMs ?? 30_000,
    onRequest: (logged: Omit<RequestLog, 'at'>) => settings.onRequest?.({ at: new Date(nowMs()), ...logged }),
  };
  const server = createSite(site);
  const beside = settings.nextPortToo ? createWebsocketSite(site) : undefined;
  const listener = await listenSteadily(server, beside, settings).catch((error: unknown) => {
    ledger.close();
    throw error;
  });
  return {
    baseUrl: `http://127.0.0.1:${listener.port}`,
    tokens: derived.tokens,
    conversations: ledger.conversations.list(),
    wallet: { address: derived.wallet.address, balances: balancesOf(ledger, derived.wallet.address) },
    node: nodeFacts(`http://127.0.0.1:${listener.port}`, service),
    notes: [...folderNotes(settings.dataDir), ...notesOf(ledger, settings)],
    close: async () => {
      closing.abort();
      await listener.stop();
      await Promise.allSettled(underway);
      try {
        // Dice asked for by a flag end with it; dice set by a control call stay.
        if (settings.faultRate !== undefined) ledger.atomically(() => setRandom(ledger, null));
      } finally {
        ledger.close();
      }
    },
  };
}

const othersMayWrite = 0o022;
const onlyTheirOwn = 0o1000;

/** Of a folder that was there before: it is left as it is. */
function folderNotes(folder: string): string[] {
  const { mode } = statSync(folder);
  const isOpen = process.platform !== 'win32' && (mode & othersMayWrite) !== 0 && (mode & onlyTheirOwn) === 0;
  return isOpen ? [`Other users can change what is in ${folder} (mode ${(mode & 0o777).toString(8)}).`] : [];
}

function notesOf(ledger: Ledger, settings: SandboxSettings): string[] {
  const changed = Object.entries(readingsOf(ledger)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultReadings[name as keyof Readings]),
  );
  const notes = changed.map(([name, value]) => `The reading ${name} is set to ${JSON.stringify(value)}.`);
  const waiting = ledger.faults.list().length;
  if (waiting > 0) notes.push(`Scripted faults are waiting: ${waiting}.`);
  const dice = randomOf(ledger);
  if (dice !== undefined && settings.faultRate === undefined)
    notes.push(`Random faults are on, at a rate of ${dice.rate}.`);
  return notes;
}
