import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fetchScript, presentPeers } from './peers.ts';
import { botctl, homeIn, type Stage } from './stage.ts';
import { median, type Row, type Timing, timeRows } from './timing.ts';

type Scene = {
  readonly stage: Stage;
  /** A journal of very many intents. */
  readonly journal: string;
  readonly intents: number;
  readonly node: string;
  readonly rounds: number;
};

export type Figures = {
  readonly nodeVersion: string;
  readonly rounds: number;
  readonly intents: number;
  readonly timings: readonly Timing[];
  readonly absent: readonly string[];
  readonly firstSandboxMs: number;
  readonly memory: { readonly sendMiB: number; readonly nodeMiB: number };
};

const sending = ['send', '--conversation', 'conv_demo', '--content'];
const paying = ['--sandbox', 'transfer', '--to', '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM'];

/** Everything of one Node, in one run. */
export function measure(scene: Scene): Figures {
  const { stage, node, rounds, intents } = scene;
  const url = `${stage.baseUrl}/api/bot/v1/messages/send`;
  const { present, absent } = presentPeers({ url, env: stage.env });
  const firstSandboxMs = median([1, 2, 3].map(() => firstSandbox(scene)));
  return {
    nodeVersion: spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim(),
    rounds,
    intents,
    timings: timeRows([...ownRows(scene), fetchScript(node, url, stage.env), ...present], rounds),
    absent,
    firstSandboxMs,
    memory: memoryOf(scene),
  };
}

function ownRows({ stage: { env, baseUrl }, journal, node }: Scene): Row[] {
  const row = (name: string, words: (run: number) => string[], more: NodeJS.ProcessEnv = {}): Row => ({
    name,
    command: (run) => [node, botctl, ...words(run)],
    env: { ...env, ...more },
  });
  const token = { BOTCTL_TOKEN: 'bench_token_0123456789', BOTCTL_BASE_URL: baseUrl };
  return [
    { name: 'node -e 0', command: () => [node, '-e', '0'], env },
    row('botctl --version', () => ['--version']),
    row('botctl --help', () => ['--help']),
    row('botctl send', () => [...sending, fresh()]),
    row('botctl send, token in the environment', () => [...sending, fresh()], token),
    row('botctl send, replayed', () => [...sending, 'the same', '--once', 'bench']),
    row('botctl history --limit 20', () => ['history', '--limit', '20'], {
      BOTCTL_JOURNAL: journal,
    }),
    row('botctl --sandbox transfer', (run) => [...paying, '--asset', 'SOL', '--amount', `0.1${run}1`]),
  ];
}

let made = 0;

/** A text that no other run has sent. */
function fresh(): string {
  made += 1;
  return `message ${process.pid} ${made}`;
}

/** The very first command of a newcomer: the service and its chain are made by it. */
function firstSandbox({ stage, node }: Scene): number {
  const env = homeIn(mkdtempSync(join(stage.folder, 'newcomer-')), stage.asIs);
  const begun = performance.now();
  const { status, stderr } = spawnSync(node, [botctl, ...paying, '--asset', 'SOL', '--amount', '1.5'], {
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`first transfer in the sandbox: ${stderr}`);
  return performance.now() - begun;
}

function memoryOf(scene: Scene): Figures['memory'] {
  const runs = [1, 2, 3, 4, 5];
  return {
    sendMiB: median(runs.map(() => peakMiB(scene, [botctl, ...sending, fresh()]))),
    nodeMiB: median(runs.map(() => peakMiB(scene, ['-e', '0']))),
  };
}

function peakMiB({ stage, node }: Scene, words: readonly string[]): number {
  const told = join(stage.folder, 'peak');
  const { status, stderr } = spawnSync(node, ['--require', resolve('bench/measure/peak.cjs'), ...words], {
    env: { ...process.env, ...stage.env, BENCH_PEAK: told },
  });
  if (status !== 0) throw new Error(`peak memory: ${stderr}`);
  return Number(readFileSync(told, 'utf8')) / 1024;
}
