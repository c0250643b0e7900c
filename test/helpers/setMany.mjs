// One of several processes that change the profiles at the same time: each line of its argument is a
// command, run through the built program's own main.
import { main, realWorld } from '../../dist/main.js';

const world = realWorld();
// Every run listens to the streams for errors; in one process they add up.
world.stdout.setMaxListeners(0);
world.stderr.setMaxListeners(0);
for (const line of process.argv[2].split('\n')) {
  const code = await main({ ...world, argv: [...line.split(' '), '--quiet'] });
  if (code !== 0) process.exitCode = code;
}
