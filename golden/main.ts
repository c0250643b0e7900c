// npm run golden: plays golden/*.txt, and shows what differs. After `--`: --write rewrites them, --only send,batch
// takes those files alone, --scenario TEXT prints how those scenarios go now.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { foreignBin } from '../testing/program.ts';
import { root } from '../testing/root.ts';
import { Stage } from './stage.ts';

const { values } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    scenario: { type: 'string', default: '' },
  },
});
const texts = join(root, 'golden');
const only = values.only === '' ? undefined : values.only.split(',');
const all = readdirSync(texts).filter((name) => name.endsWith('.txt'));
// What is traced is done in this process: a program elsewhere cannot be.
const playable = all.filter((name) => foreignBin === undefined || !name.startsWith('traces'));
const names = playable.filter((name) => only?.includes(name.replace('.txt', '')) ?? true);
const isWhole = only === undefined && values.scenario === '' && availableParallelism() > 1;
process.exit(isWhole ? await playInTwo() : await play());

/** Two processes, each with its own services: largest files first, to whichever has less to do. */
async function playInTwo(): Promise<number> {
  const halves = [
    { bytes: 0, names: [] as string[] },
    { bytes: 0, names: [] as string[] },
  ];
  const sizes = names.map((name) => ({ name, bytes: statSync(join(texts, name)).size }));
  for (const { name, bytes } of sizes.sort((one, other) => other.bytes - one.bytes)) {
    const [half] = halves.sort((one, other) => one.bytes - other.bytes);
    half?.names.push(name.replace('.txt', ''));
    if (half !== undefined) half.bytes += bytes;
  }
  const ends = halves.map(async (half) => {
    const words = [
      fileURLToPath(import.meta.url),
      '--only',
      half.names.join(','),
      ...(values.write ? ['--write'] : []),
    ];
    const [code] = await once(spawn(process.execPath, words, { stdio: 'inherit' }), 'close');
    return Number(code ?? 1);
  });
  return Math.max(...(await Promise.all(ends)));
}

async function play(): Promise<number> {
  const played = mkdtempSync(join(tmpdir(), 'botctl-played-'));
  const stage = await Stage.open();
  let differing = 0;
  try {
    for (const name of names) {
      const began = performance.now();
      const before = readFileSync(join(texts, name), 'utf8');
      const after = await stage.play(before, values.scenario);
      if (values.scenario !== '') process.stdout.write(after);
      else if (after !== before) {
        differing += 1;
        writeFileSync(join(values.write ? texts : played, name), after);
        if (!values.write) showDifference(join(texts, name), join(played, name));
      }
      const what = after === before ? 'as it was' : values.write ? 'rewritten' : 'DIFFERS';
      process.stderr.write(`${name}: ${what}, ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
    }
  } finally {
    await stage.close();
    rmSync(played, { recursive: true });
  }
  return differing > 0 && !values.write ? 1 : 0;
}

function showDifference(before: string, after: string): void {
  spawnSync('git', ['--no-pager', 'diff', '--no-index', before, after], { stdio: 'inherit' });
}
