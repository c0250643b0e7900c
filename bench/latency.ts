// npm run bench -- latency [--round-trip MS] [--rounds N] [--nodes] [--check] [--markdown]
// A send over https through a network of its own, delayed both ways, beside what others send with. Linux, as root.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { withMarked } from '../scripts/marked.ts';
import { otherNodes } from '../scripts/otherNodes.ts';
import { makeCertificates } from '../testing/certificates.ts';
import {
  drawLatency,
  type LatencyFigures,
  latencyMarkdown,
  missedLatencyMarks,
} from './measure/latencyTables.ts';
import { fetchScript, presentPeers } from './measure/peers.ts';
import { addProfile, botctl, homeIn } from './measure/stage.ts';
import { type Row, timeRows } from './measure/timing.ts';

const { values } = parseArgs({
  options: {
    'round-trip': { type: 'string', default: '20' },
    rounds: { type: 'string', default: '21' },
    nodes: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
});

/** Runs this again in the network. */
async function enterNetwork(): Promise<number> {
  const certificates = makeCertificates();
  const needed = process.getuid?.() === 0 && existsSync('/dev/net/tun') && existsSync('/usr/bin/python3');
  if (certificates === undefined || !needed) {
    console.log(
      'Skipped: a delayed network takes root on Linux, /dev/net/tun, /usr/bin/python3, ip and openssl.',
    );
    return 0;
  }
  // They are fetched where there is a network to fetch from.
  if (values.nodes) await otherNodes();
  const folder = mkdtempSync(join(tmpdir(), 'botctl-bench-'));
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificates.authority);
  const service = [process.execPath, resolve('bench/measure/secureLoopback.mjs')];
  const again = [
    process.execPath,
    ...process.argv.slice(1, 2),
    'bench/marks',
    'latency',
    ...process.argv.slice(2),
  ];
  const oneWayMs = String(Number(values['round-trip']) / 2);
  const { key, cert } = certificates.good;
  try {
    const { status } = spawnSync(
      '/usr/bin/python3',
      [resolve('bench/measure/delayedNetwork.py'), oneWayMs, ...service, '--', ...again],
      { stdio: 'inherit', env: { ...process.env, KEY: key, CERT: cert, BENCH_FOLDER: folder } },
    );
    return status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder: string, port: string): Promise<void> {
  const origin = `https://localhost:${port}`;
  const url = `${origin}/api/bot/v1/messages/send`;
  const secure = { authority: join(folder, 'authority.pem'), address: '10.77.0.1' };
  const env = homeIn(join(folder, 'home'), false);
  addProfile(origin, env);
  const peers = presentPeers({ url, secure, env });
  // A certificate authority of one's own would make Node 20 read all that it trusts before it runs anything: for
  // what is on this machine, as this service is by its name, none is needed.
  const trusting = { ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
  const nodes = [process.execPath, ...(values.nodes ? await otherNodes() : [])];
  const own = nodes.flatMap((node): Row[] => {
    const { name, ...script } = fetchScript(node, url, trusting);
    const version = versionOf(node);
    return [
      {
        name: sendOn(version),
        command: (run) => [node, botctl, ...sending(`${version} ${run}`)],
        env: trusting,
      },
      { name: `${name}, Node ${version}`, ...script },
    ];
  });
  const timings = timeRows([...own, ...peers.present], Number(values.rounds));
  const figures: LatencyFigures = {
    roundTripMs: Number(values['round-trip']),
    rounds: Number(values.rounds),
    timings,
    absent: peers.absent,
  };
  console.log(drawLatency(figures));
  const missed = missedLatencyMarks(figures);
  for (const one of missed) console.log(one);
  if (values.check && missed.length > 0) process.exitCode = 1;
  if (!values.markdown) return;
  const page = 'docs/performance.md';
  writeFileSync(page, withMarked(readFileSync(page, 'utf8'), 'latency', latencyMarkdown(figures)));
}

function versionOf(node: string): string {
  return spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1);
}

function sendOn(version: string): string {
  return `botctl send, Node ${version}`;
}

function sending(content: string): string[] {
  return ['send', '--conversation', 'conv_demo', '--content', content];
}

const { BENCH_PORT: port, BENCH_FOLDER: folder } = process.env;
if (port === undefined || folder === undefined) process.exitCode = await enterNetwork();
else await measure(folder, port);
