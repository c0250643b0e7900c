import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { binaries, type Version } from './binaries.ts';
import { serversFolder } from './folder.ts';
import { processes } from './processes.ts';
import { serverEnv } from './runAs.ts';

export type Settings = Readonly<Record<string, string | number | boolean>>;

export type Postmaster = {
  readonly pid: number;
  /** Waits until it is gone; returns at once if it is. */
  end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  /** Like a power failure: it and its children have no time to react. */
  kill(): Promise<void>;
};

const startWithinMs = 60_000;

/** Starts a server in its folder and waits until it accepts connections. */
export async function startPostmaster(
  version: Version,
  folder: string,
  settings: Settings,
): Promise<Postmaster> {
  const { user, watch, unwatch } = serversFolder();
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'a');
  const child = spawn(
    join(await binaries(version), 'postgres'),
    [
      '-D',
      join(folder, 'data'),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...user, cwd: '/', env: serverEnv, detached: true, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  child.unref();
  await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error))]);
  const pid = child.pid as number;
  watch(pid);
  child.once('exit', () => unwatch(pid));
  await untilReady(child, folder, logFile);
  return {
    pid,
    end: async (signal) => endChild(child, () => process.kill(pid, signal)),
    kill: () => endChild(child, () => killFamily(pid, folder)),
  };
}

async function untilReady(child: ChildProcess, folder: string, logFile: string): Promise<void> {
  const giveUp = performance.now() + startWithinMs;
  while (statusIn(folder, child.pid as number) !== 'ready') {
    if (isGone(child) || performance.now() > giveUp) {
      child.kill('SIGQUIT');
      throw new Error(`the server did not start: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
    }
    await after(5);
  }
}

/** The state in the postmaster's file, if the file belongs to this postmaster. */
function statusIn(folder: string, pid: number): string | undefined {
  const lines = pidFile(folder);
  return lines[0] === String(pid) ? lines[7]?.trim() : undefined;
}

function pidFile(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

async function endChild(child: ChildProcess, act: () => void): Promise<void> {
  if (isGone(child)) return;
  child.ref();
  const gone = once(child, 'exit');
  act();
  await gone;
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function killFamily(pid: number, folder: string): void {
  // Stopped first, so that it cannot start more children after they are listed.
  process.kill(pid, 'SIGSTOP');
  const children = processes().filter(({ parent }) => parent === pid);
  for (const one of [...children.map((process) => process.pid), pid]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch {
      // It was already gone.
    }
  }
  const segment = pidFile(folder)[6]?.trim().split(/\s+/u)[1];
  // Only a restart of this server would remove the segment otherwise.
  if (segment !== undefined) spawnSync('ipcrm', ['-m', segment]);
}
