// npm run test:nodes [-- VITEST ARGUMENTS]: runs the whole test suite on each later Node.
import { spawnSync } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fetchTooOldNode, isKnownPlatform, otherNodes } from './otherNodes.ts';

if (!isKnownPlatform) {
  console.log(
    `Skipped: the packages with other Nodes are for linux-x64, and this is ${process.platform}-${process.arch}.`,
  );
}
// For the test that a too old Node is refused.
await fetchTooOldNode();
for (const node of await otherNodes()) {
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  console.log(`\n== Node ${stdout.trim()} ==`);
  const { status } = spawnSync(
    node,
    [resolve('node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
    {
      stdio: 'inherit',
      // `node` in the tests is this Node too.
      env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
    },
  );
  if (status !== 0) process.exitCode = 1;
}
