// Runs the built program once for each job in the file that is named, all in this process: with its real streams,
// as bin/botctl.js wires them. A line on both streams ends what each job wrote, and on stdout gives its exit code.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import { withLastId } from './lastId.mjs';

const { main, thisProcess } = createRequire(import.meta.url)('../../dist/main.js');
const { stdout, stderr, interrupts, clock, chance, terminal } = thisProcess();

for (const { argv: words, env, cwd, stdin } of JSON.parse(readFileSync(process.argv[2], 'utf8'))) {
  process.chdir(cwd);
  const argv = withLastId(words, env);
  const input = Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]);
  // What a run has claimed is kept with its interrupts.
  const own = { ...interrupts };
  const exit = await main({
    argv,
    env,
    stdin: input,
    stdout,
    stderr,
    interrupts: own,
    clock,
    chance,
    terminal,
  });
  process.stdout.write(`\n<ended ${exit}>\n`);
  process.stderr.write('\n<ended>\n');
}
process.exit(0);
