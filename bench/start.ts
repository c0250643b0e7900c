// Start-up of the built program against bare Node: npm run bench -- start
import { spawnSync } from 'node:child_process';
import { botctlPath as botctl } from '../testing/program.ts';

const pairs = 41;

function elapsedMs(words: readonly string[]): number {
  const begun = performance.now();
  spawnSync(process.execPath, words, { stdio: 'ignore' });
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Start-up against bare Node. Measured in pairs, so that a busy machine slows both sides of a ratio. */
function compare(words: readonly string[]): { ms: number; ratio: number } {
  const taken: number[] = [];
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const bareMs = elapsedMs(['-e', '0']);
    const ms = elapsedMs(words);
    taken.push(ms);
    ratios.push(ms / bareMs);
  }
  return { ms: median(taken), ratio: median(ratios) };
}

elapsedMs([botctl, '--version']);
for (const words of [['--version'], ['--help'], ['config', 'list']]) {
  const { ms, ratio } = compare([botctl, ...words]);
  const target = words[0] === '--version' ? ' (target 1.20)' : '';
  console.log(
    `botctl ${words.join(' ').padEnd(12)} ${ms.toFixed(1)} ms, ${ratio.toFixed(2)} × node -e 0${target}`,
  );
}
