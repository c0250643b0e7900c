// The single file starts here, as the program for Node starts with bin/botctl.js.
import { writeSync } from 'node:fs';
import { guardExit, main, thisProcess } from '../../src/main.ts';

const context = thisProcess();
const isOver = guardExit(context);
// Left to itself, Bun would exit with 1 whatever the guard says.
for (const event of ['uncaughtException', 'unhandledRejection'])
  process.on(event, (thrown) => {
    try {
      writeSync(2, `${thrown?.stack ?? thrown}\n`);
    } catch {
      // stderr is closed. The exit code still tells the caller.
    }
    process.exit(1);
  });
// Bytecode allows no await out here.
void main(context).then((exit) => {
  isOver();
  process.exit(exit);
});
