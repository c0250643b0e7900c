import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlOf, paths, recipient } from '../testing/sandbox.ts';
import { type Greeting, startSandboxProcess } from '../testing/sandboxProcess.ts';
import { runtime } from './measure/programs.ts';
import type { Measure } from './measure/table.ts';

const messages = 5_000;
const firstTransfers = 1_000;
const clients = 16;

export const measure: Measure = async (given) => {
  const transfers = given.number('transfers');
  const dataDir = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const begun = performance.now();
  const { greeting, child, end } = await startSandboxProcess(['--data', dataDir]);
  const startMs = performance.now() - begun;
  const post = (operation: keyof typeof paths, body: object) => postTo(greeting, agent, operation, body);
  const pay = (asset: string, amount: string) => (n: number) =>
    post('transfer', { to_address: recipient, asset, amount, idempotency_key: `${asset} ${n}` });
  const say = (n: number) =>
    post('message', { conversation_id: 'conv_demo', content: `message ${n}`, idempotency_key: `m${n}` });
  try {
    await controlOf(greeting.base_url).money({ amount: '1000' });
    const startMb = memoryMb(child.pid);
    const said = await perSecond(1, messages, say);
    const first = await perSecond(1, firstTransfers, pay('SOL', '0.001'));
    const last = await perSecond(
      firstTransfers + 1,
      Math.max(transfers - firstTransfers, 1),
      pay('SOL', '0.001'),
    );
    const diskMb = statSync(join(dataDir, 'sandbox.db')).size / 1e6;
    const tokens = await perSecond(1, firstTransfers, pay('USDC', '0.01'));
    const rate = (what: string, perS: number) => ({ what, figure: `${perS.toFixed(0)} a second` });
    return {
      about: `${clients} clients at once on loopback, ${transfers.toLocaleString('en')} transfers`,
      columns: [runtime()],
      lines: [
        { what: 'its start', figure: `${startMs.toFixed(0)} ms, ${startMb.toFixed(0)} MB` },
        rate('messages', said),
        rate(`the first ${firstTransfers.toLocaleString('en')} transfers`, first),
        rate('the other transfers', last),
        rate('transfers of USDC', tokens),
        {
          what: 'transfers, the others beside the first',
          figure: `${(last / first).toFixed(2)} ×`,
          value: last / first,
        },
        {
          what: 'in the end',
          figure: `${memoryMb(child.pid).toFixed(0)} MB of memory, ${diskMb.toFixed(0)} MB on the disk`,
        },
      ],
    };
  } finally {
    agent.destroy();
    await end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
};

async function postTo(
  { base_url, tokens }: Greeting,
  agent: Agent,
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

async function perSecond(first: number, count: number, work: (n: number) => Promise<void>): Promise<number> {
  const begun = performance.now();
  let next = first;
  const client = async (): Promise<void> => {
    while (next < first + count) await work(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return count / ((performance.now() - begun) / 1000);
}

function memoryMb(pid: number | undefined): number {
  const [, kb] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}
