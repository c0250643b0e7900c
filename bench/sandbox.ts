// The sandbox as a client meets it: HTTP on loopback, each effect committed with an fsync.
// npm run bench -- sandbox [TRANSFERS]
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlOf, paths, recipient } from '../testing/sandbox.ts';
import { type Greeting, startSandboxProcess } from '../testing/sandboxProcess.ts';

const transfers = Number(process.argv[2] ?? 100_000);
const messages = 5_000;
const clients = 16;
const agent = new Agent({ keepAlive: true, maxSockets: clients });

async function post(
  { base_url, tokens }: Greeting,
  operation: keyof typeof paths,
  body: object,
): Promise<void> {
  const headers = { Authorization: `Bot ${tokens.full}`, 'Content-Type': 'application/json' };
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(base_url + paths[operation], { method: 'POST', agent, headers }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode ?? 0));
    });
    sent.on('error', reject).end(JSON.stringify(body));
  });
  if (status !== 200) throw new Error(`${operation}: ${status}`);
}

async function perSecond(count: number, work: (n: number) => Promise<void>): Promise<number> {
  const started = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await work(next);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return Math.round(count / ((performance.now() - started) / 1000));
}

async function memoryMb(pid: number | undefined): Promise<number> {
  const { readFileSync } = await import('node:fs');
  const resident = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(resident) / 1024);
}

const dataDir = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
const started = performance.now();
const sandbox = await startSandboxProcess(['--data', dataDir]);
const { greeting, child } = sandbox;
console.log(`started in                 ${Math.round(performance.now() - started)} ms`);
console.log(`memory at start            ${await memoryMb(child.pid)} MB`);
const before = performance.now();
await post(greeting, 'transfer', { to_address: recipient, asset: 'SOL', amount: '0.001', memo: 'first' });
console.log(`first transfer             ${Math.round(performance.now() - before)} ms`);
await controlOf(greeting.base_url).money({ amount: '1000' });

const spoken = await perSecond(messages, (n) =>
  post(greeting, 'message', {
    conversation_id: 'conv_demo',
    content: `message ${n}`,
    idempotency_key: `m${n}`,
  }),
);
console.log(`messages                   ${spoken} /s (${messages}, ${clients} clients)`);

const pay = (first: number) => (n: number) =>
  post(greeting, 'transfer', {
    to_address: recipient,
    asset: 'SOL',
    amount: '0.001',
    memo: `payment ${first + n}`,
    idempotency_key: `t${first + n}`,
  });
for (const [from, to] of [
  [0, Math.min(1_000, transfers)],
  [1_000, transfers],
] as const) {
  if (to <= from) continue;
  const paid = await perSecond(to - from, pay(from));
  const bytes = statSync(join(dataDir, 'sandbox.db')).size;
  console.log(`transfers up to ${String(to).padEnd(10)} ${paid} /s`);
  console.log(
    `memory at ${String(to).padEnd(16)} ${await memoryMb(child.pid)} MB, ${Math.round(bytes / 1e6)} MB on disk`,
  );
}
const tokens = await perSecond(1_000, (n) =>
  post(greeting, 'transfer', {
    to_address: recipient,
    asset: 'USDC',
    amount: '0.01',
    idempotency_key: `u${n}`,
  }),
);
console.log(`transfers of USDC          ${tokens} /s`);
agent.destroy();
await sandbox.end('SIGTERM');
rmSync(dataDir, { recursive: true, force: true });
