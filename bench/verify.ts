// npm run bench -- verify [TRANSFERS]: `verify --all` against the sandbox's node, rate off: requests a transfer, memory.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home } from '../testing/home.ts';
import { program, programWords } from '../testing/program.ts';
import { controlOf, recipient } from '../testing/sandbox.ts';
import { startSandboxProcess } from '../testing/sandboxProcess.ts';
import { type WholeRun, wholeRun } from './measure/wholeRun.ts';

const transfers = Number(process.argv[2] ?? 10_000);
const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
const home = new Home();
const sandbox = await startSandboxProcess(['--data', join(folder, 'sandbox')]);
const { base_url: baseUrl, tokens, wallet, ...node } = sandbox.greeting;
const control = controlOf(baseUrl);
await control.money({ amount: '100000' });
await control.readings({ slot_ms: 0 });

/** Between botctl and the node: counts what is asked. */
let requests = 0;
const agent = new Agent({ keepAlive: true });
const counter = createServer((incoming, reply) => {
  requests += 1;
  const { method = 'POST', headers } = incoming;
  const outgoing = request(node.rpc_url, { method, headers, agent }, (answer) => {
    reply.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(reply);
  });
  incoming.pipe(outgoing);
}).listen(0, '127.0.0.1');
await once(counter, 'listening');
const { port } = counter.address() as AddressInfo;

home.writeConfig({
  ...{ version: 1, 'in-use': 'payer' },
  profiles: {
    payer: {
      ...{ 'base-url': baseUrl, token: { kind: 'stored', secret: tokens.full } },
      'rpc-url': [{ kind: 'stored', secret: `http://127.0.0.1:${port}/rpc` }],
      ...{ cluster: node.genesis_hash, wallet: wallet.address, assets: node.assets },
    },
  },
});

type Measured = WholeRun & { readonly requests: number };

async function measured(words: readonly string[]): Promise<Measured> {
  const before = requests;
  const ran = await wholeRun(program, [...programWords, ...words], home.env);
  return { ...ran, requests: requests - before };
}

function line(what: string, { seconds, code, peakMb, requests: asked }: Measured, of: number): void {
  const each = of === 0 ? '' : `, ${(asked / of).toFixed(3)} requests a transfer`;
  console.log(
    `${what.padEnd(34)} exit ${code}, ${seconds.toFixed(1)} s, ${asked} requests${each}, peak ${peakMb.toFixed(0)} MB`,
  );
}

try {
  for (const [name, rows] of [
    ['few', Math.ceil(transfers / 10)],
    ['all', transfers],
  ] as const) {
    const file = join(folder, `${name}.csv`);
    const lines = Array.from({ length: rows }, (_, n) => `${name}${n},${recipient},SOL,0.0${10_000 + n}`);
    writeFileSync(file, `id,to_address,asset,amount\n${lines.join('\n')}\n`);
    await measured(['batch', 'transfer', file, '--once', name, '--yes', '--concurrency', '16']);
    line(`verify --all of ${rows}`, await measured(['verify', '--all']), rows);
  }
  line('again, all proven', await measured(['verify', '--all']), 0);
} finally {
  await sandbox.end('SIGINT');
  agent.destroy();
  counter.close();
  rmSync(folder, { recursive: true, force: true });
  home.remove();
}
