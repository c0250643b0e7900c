// npm run golden: plays test/golden/*.txt, and shows what differs. After `--`: --write rewrites them, --only send,batch
// takes those files alone, --dump FOLDER writes all that each run prints into files there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { foreignBin } from '../support/program.ts';
import { root } from '../support/root.ts';
import { Stage } from './stage.ts';

const { values } = parseArgs({
  options: { write: { type: 'boolean', default: false }, only: { type: 'string' }, dump: { type: 'string' } },
});
const texts = join(root, 'test/golden');
const names = readdirSync(texts)
  .filter((name) => name.endsWith('.txt'))
  // What is traced is done in this process: a program elsewhere cannot be.
  .filter((name) => foreignBin === undefined || !name.startsWith('traces'))
  .filter((name) => values.only?.split(',').includes(name.replace('.txt', '')) ?? true);

const played = mkdtempSync(join(tmpdir(), 'botctl-played-'));
const stage = await Stage.open();
let differing = 0;
try {
  for (const name of names) {
    const began = performance.now();
    const before = readFileSync(join(texts, name), 'utf8');
    if (values.dump !== undefined) {
      await dumpTo(values.dump, name, before);
      continue;
    }
    const after = await stage.play(before);
    if (after !== before) {
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
for (const one of stage.broken) process.stderr.write(`NOT PLAYED TO ITS END: ${one}\n`);
process.exit(stage.broken.length > 0 || (differing > 0 && !values.write) ? 1 : 0);

function showDifference(before: string, after: string): void {
  spawnSync('git', ['--no-pager', 'diff', '--no-index', before, after], { stdio: 'inherit' });
}

async function dumpTo(folder: string, name: string, text: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const [way, dumped] of await stage.dump(text))
    if (dumped !== '') writeFileSync(join(folder, name.replace('.txt', `.${way}.txt`)), dumped);
}
