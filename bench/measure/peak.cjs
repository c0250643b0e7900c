// Required before a program: writes its peak memory in KiB to the file that BENCH_PEAK names.
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  let peak;
  try {
    // What getrusage tells begins with the parent's peak, which is not this program's.
    peak = /VmHWM:\s+(\d+)/u.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  } catch {}
  writeFileSync(process.env.BENCH_PEAK, String(peak ?? process.resourceUsage().maxRSS));
});
