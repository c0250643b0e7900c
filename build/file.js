// The single file starts here, as the program for Node starts with bin/botctl.js.
const main = require('./main.js');

const context = main.thisProcess();
const isOver = main.guardExit(context);
main.main(context).then((exit) => {
  isOver();
  process.exit(exit);
});
