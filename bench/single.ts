import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { makeVariedJournal } from './measure/longJournal.ts';
import { fetching, fetchScript, presentPeers, python3 } from './measure/peers.ts';
import { type Measured, programsToMeasure } from './measure/programs.ts';
import { homeIn, type Stage, setStage } from './measure/stage.ts';
import { besideLine, type Line, type Measure } from './measure/table.ts';
import { median, type Row, timeRows } from './measure/timing.ts';

type Scene = Measured & {
  readonly stage: Stage;
  /** A journal of very many entries. */
  readonly journal: string;
  readonly rounds: number;
};

const to = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const paying = ['transfer', '--to', to, '--asset', 'SOL', '--amount'];

export const measure: Measure = async (given) => {
  const programs = await programsToMeasure(given);
  const entries = given.number('entries');
  const rounds = given.number('rounds');
  const stage = await setStage();
  try {
    const journal = join(stage.folder, 'long.db');
    await makeVariedJournal(journal, entries);
    const lines = programs.flatMap((program) =>
      linesOf({ ...program, stage, journal, rounds }).map((line) => ({ ...line, column: program.column })),
    );
    return {
      about: `Whole processes, medians of ${rounds} rounds; × is the time of \`node -e 0\` in the same round; the journal that history lists has ${entries.toLocaleString('en')} entries`,
      columns: programs.map(({ column }) => column),
      lines,
    };
  } finally {
    stage.end();
  }
};

function linesOf(scene: Scene): Line[] {
  const { stage, node, rounds } = scene;
  const url = `${stage.baseUrl}/api/bot/v1/messages/send`;
  const { present, absent } = presentPeers({ url, env: stage.env });
  const rows = [...ownRows(scene), fetchScript(node, url, stage.env), ...present];
  const timings = timeRows(rows, rounds);
  const firstMs = median([1, 2, 3].map(() => firstSandbox(scene)));
  return [
    ...timings.map(({ name, medianMs, ratio, cpuRatio }) => ({
      what: name,
      figure: `${medianMs.toFixed(0)} ms, ${ratio.toFixed(2)} ×`,
      more: `CPU ${cpuRatio?.toFixed(2) ?? '?'} ×`,
      value: ratio,
    })),
    ...absent.map((what) => ({ what, figure: 'absent' })),
    besideLine('botctl send', fetching, timings),
    { what: 'botctl --sandbox transfer, the first ever', figure: `${firstMs.toFixed(0)} ms` },
    ...memoryLines(scene),
  ];
}

function ownRows({ stage: { env, baseUrl }, journal, node, start }: Scene): Row[] {
  const row = (name: string, words: () => string[], more: NodeJS.ProcessEnv = {}): Row => ({
    name,
    command: () => [...start, ...words()],
    env: { ...env, ...more },
  });
  const token = { BOTCTL_TOKEN: 'bench_token_0123456789', BOTCTL_BASE_URL: baseUrl };
  return [
    { name: 'node -e 0', command: () => [node, '-e', '0'], env },
    row('botctl --version', () => ['--version']),
    row('botctl --help', () => ['--help']),
    row('botctl send', newSend),
    row('botctl send, token in the environment', newSend, token),
    row('botctl transfer', () => [...paying, newAmount()]),
    row('botctl transfer, replayed', () => [...paying, '0.5', '--once', 'bench']),
    row('botctl history', () => ['history'], { BOTCTL_JOURNAL: journal }),
    row('botctl --sandbox transfer', () => ['--sandbox', ...paying, newAmount()]),
  ];
}

let made = 0;

/** A text that no other run has sent. */
function newSend(): string[] {
  made += 1;
  return ['send', '--conversation', 'conv_demo', '--content', `message ${process.pid} ${made}`];
}

/** An amount that no other run has paid. */
function newAmount(): string {
  made += 1;
  return `0.1${made}1`;
}

/** The very first command of a newcomer: the service and its chain are made by it. */
function firstSandbox({ stage, start: [program, ...words] }: Scene): number {
  const env = homeIn(mkdtempSync(join(stage.folder, 'newcomer-')));
  const begun = performance.now();
  const { status, stderr } = spawnSync(program, [...words, '--sandbox', ...paying, '1.5'], {
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`first transfer in the sandbox: ${stderr}`);
  return performance.now() - begun;
}

/** Runs a program and says its peak in KiB. A small parent: a child's peak begins with its parent's. */
const peakScript = `import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)`;

function memoryLines(scene: Scene): Line[] {
  const what = 'peak memory of a send';
  if (spawnSync(python3, ['--version']).status !== 0) return [{ what, figure: `${python3} is absent` }];
  const peak = (words: () => readonly string[]): number =>
    median([1, 2, 3, 4, 5].map(() => peakMiB(scene, words())));
  const sendMiB = peak(() => [...scene.start, ...newSend()]);
  const nodeMiB = peak(() => [scene.node, '-e', '0']);
  const value = sendMiB / nodeMiB;
  return [{ what, figure: `${sendMiB.toFixed(0)} MiB, ${value.toFixed(2)} ×`, value }];
}

function peakMiB({ stage }: Scene, words: readonly string[]): number {
  const { status, stdout, stderr } = spawnSync(python3, ['-c', peakScript, ...words], {
    env: { ...process.env, ...stage.env },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`peak memory: ${stderr}`);
  return Number(stdout) / 1024;
}
