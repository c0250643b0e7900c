import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault, Operation as OperationName } from '../../src/sandbox/faults.ts';
import type { Effect } from '../../src/sandbox/ledger.ts';
import type { TokenName } from '../../src/sandbox/money.ts';
import type { Readings } from '../../src/sandbox/readings.ts';
import type { RequestLog } from '../../src/sandbox/request.ts';
import { type RunningSandbox, type SandboxSettings, startSandbox } from '../../src/sandbox/start.ts';

/** As in POST /control/faults. */
export type FaultSpec = Pick<Fault, 'kind'> & Partial<Fault> & { times?: number };

/** Any reply. Missing parts are what the service itself would say. */
type ReplySpec = Omit<FaultSpec, 'kind' | 'status'> & { status: number };

export type LedgerEffect = Omit<Effect, 'token' | 'atMs' | 'request'> & {
  token: TokenName;
  at: string;
  request: Record<string, unknown>;
};

export type SandboxState = {
  readonly faults: { readonly scripted: readonly unknown[] };
  wallet: RunningSandbox['wallet'];
  counts: { messages: number; transfers: number; transactions: number };
  lamports: { made: string; in_accounts: string; fees: string };
  supplies: Record<string, { supply: string; held: string }>;
  readings: Readings;
};

export type Reply = { status: number; headers: Headers; text: string; json: Record<string, unknown> };

export type TestSandbox = RunningSandbox & {
  dataDir: string;
  /** Every request so far, including control calls. */
  lines: RequestLog[];
  readings(change: Partial<Readings>): Promise<Readings>;
  faults(...faults: FaultSpec[]): Promise<void>;
  clearFaults(): Promise<void>;
  /** Makes the next reply (of `operation`, before or after its effect) exactly this. */
  script(reply: ReplySpec): Promise<void>;
  ledger(filter?: { kind?: OperationName; key?: string }): Promise<LedgerEffect[]>;
  state(): Promise<SandboxState>;
  money(give: { address?: string; asset?: string; amount: string }): Promise<void>;
  conversation(id: string): Promise<void>;
  forgetKeys(key?: string): Promise<void>;
  reset(): Promise<void>;
  /** Sends a request as documented, with the full token unless another is given. */
  post(operation: OperationName, body: unknown, token?: string): Promise<Reply>;
};

export const paths: Record<OperationName, string> = {
  message: '/api/bot/v1/messages/send',
  transfer: '/api/bot/v1/wallet/transfers',
};

/** Addresses whose keys exist; the second one has never been used. */
export const recipient = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
export const otherRecipient = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

/** A sandbox in this process. `close` removes its data folder. */
export async function startTestSandbox(settings: Partial<SandboxSettings> = {}): Promise<TestSandbox> {
  const own = settings.dataDir === undefined;
  const dataDir = settings.dataDir ?? (await mkdtemp(join(tmpdir(), 'botctl-sandbox-')));
  const lines: RequestLog[] = [];
  const onRequest = (line: RequestLog): void => {
    lines.push(line);
    settings.onRequest?.(line);
  };
  const running = await startSandbox({ port: 0, ...settings, dataDir, onRequest });
  const close = async (): Promise<void> => {
    await running.close();
    if (own) await rm(dataDir, { recursive: true, force: true });
  };
  return { ...running, ...controlOf(running.baseUrl), ...clientOf(running), dataDir, lines, close };
}

async function call<T>(baseUrl: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${baseUrl}/control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} /control${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** The control interface of any running sandbox, typed. */
export function controlOf(
  baseUrl: string,
): Omit<TestSandbox, keyof RunningSandbox | 'dataDir' | 'lines' | 'post'> {
  return {
    readings: (change) => call(baseUrl, 'POST', '/readings', change),
    faults: (...faults) => call(baseUrl, 'POST', '/faults', { faults }),
    clearFaults: () => call(baseUrl, 'DELETE', '/faults'),
    script: (reply) => call(baseUrl, 'POST', '/faults', { faults: [{ kind: 'reply', ...reply }] }),
    ledger: async (filter = {}) => {
      const query = new URLSearchParams(filter);
      return (await call<{ effects: LedgerEffect[] }>(baseUrl, 'GET', `/ledger?${query}`)).effects;
    },
    state: () => call(baseUrl, 'GET', ''),
    money: (give) => call(baseUrl, 'POST', '/money', give),
    conversation: (id) => call(baseUrl, 'POST', '/conversations', { id }),
    forgetKeys: (key) => call(baseUrl, 'POST', '/forget-keys', key === undefined ? {} : { key }),
    reset: () => call(baseUrl, 'POST', '/reset', {}),
  };
}

export function clientOf({
  baseUrl,
  tokens,
}: {
  readonly baseUrl: string;
  readonly tokens: { readonly full: string };
}): Pick<TestSandbox, 'post'> {
  return {
    post: async (operation, body, token = tokens.full) => {
      const response = await fetch(baseUrl + paths[operation], {
        method: 'POST',
        redirect: 'manual',
        headers: { Authorization: `Bot ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
    },
  };
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
