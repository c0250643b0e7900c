import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';

/**
 * Runs this very program again in a session of its own, where there is no terminal to ask on: what tests, proof and
 * bench start would otherwise ask the person who started them. Returns at once where there is none.
 */
export async function leaveTerminal() {
  if (!hasTerminal()) return;
  const words = [...process.execArgv, ...process.argv.slice(1)];
  const child = spawn(process.execPath, words, { stdio: 'inherit', detached: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.exitCode === null && process.kill(-child.pid, signal));
  const [code, signal] = await new Promise((resolve) => child.once('close', (...end) => resolve(end)));
  process.exit(code ?? (signal === 'SIGINT' ? 130 : 1));
}

function hasTerminal() {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
