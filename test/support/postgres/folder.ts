import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type User = { readonly uid?: number; readonly gid?: number };

export type ServersFolder = {
  readonly path: string;
  /** The user that the servers run as: PostgreSQL refuses to run as root. */
  readonly user: User;
  /** Makes sure that a postmaster ends with this process, however that ends. */
  watch(pid: number): void;
  unwatch(pid: number): void;
};

const prefix = 'botctl-postgres-';

/** Reads `+ PID` and `- PID` until this process is gone, then ends the remaining servers and removes the folder. */
const watchdog = `
pids=' '
while read -r sign pid; do
  case $sign in
    +) pids="$pids$pid " ;;
    -) pids="\${pids%% $pid *} \${pids#* $pid }" ;;
  esac
done
for pid in $pids; do kill -QUIT $pid; kill -CONT $pid; done
for pid in $pids; do
  turns=0
  while kill -0 $pid && [ $turns -lt 100 ]; do sleep 0.1; turns=$((turns + 1)); done
  kill -KILL $pid
done
rm -rf "$1"
`;

let made: ServersFolder | undefined;

/** This process's folder for servers. It is removed, with them, when the process ends. */
export function serversFolder(): ServersFolder {
  made ??= makeFolder();
  return made;
}

function makeFolder(): ServersFolder {
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const user = notRoot();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  const dog = startWatchdog(path);
  return {
    path,
    user,
    watch: (pid) => void dog.stdin?.write(`+ ${pid}\n`),
    unwatch: (pid) => void dog.stdin?.write(`- ${pid}\n`),
  };
}

function startWatchdog(path: string): ChildProcess {
  const dog = spawn('/bin/sh', ['-c', watchdog, 'sh', path], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  dog.unref();
  (dog.stdin as unknown as { unref(): void }).unref();
  return dog;
}

/** Who runs the tests, or `nobody` in the place of root. */
export function notRoot(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
