// One of several processes that change the profiles at the same time: each line of its argument is a
// command, run through the built program's own main.
import { main, thisProcess } from '../../dist/main.js';

const context = thisProcess();
// Every run listens to the streams for errors; in one process they add up.
context.stdout.setMaxListeners(0);
context.stderr.setMaxListeners(0);
for (const line of process.argv[2].split('\n')) {
  const code = await main({ ...context, argv: [...line.split(' '), '--quiet'] });
  if (code !== 0) process.exitCode = code;
}
