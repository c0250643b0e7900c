// The single file starts here, as the program for Node starts with bin/botctl.js.
const { writeSync } = require('node:fs');
const main = require('./main.js');

const context = main.thisProcess();
const isOver = main.guardExit(context);
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
main.main(context).then((exit) => {
  isOver();
  process.exit(exit);
});
