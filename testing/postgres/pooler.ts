import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { atPort } from './atPort.ts';
import { newServerFolder, password, superuser, writeForServer } from './cluster.ts';
import { type CuttableProxy, startCuttableProxy } from './cuttableProxy.ts';
import { serversFolder } from './folder.ts';
import { freePort } from './freePort.ts';
import { serverEnv } from './runAs.ts';
import type { PostgresServer } from './server.ts';

export type Pooler = {
  /** The same database through the pooler. */
  through(url: string): string;
  close(): Promise<void>;
};

/** The path of a real PgBouncer, or undefined: tests that need it are then skipped, and say so. */
export const pgbouncer = (process.env.PATH ?? '')
  .split(delimiter)
  .concat('/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin')
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => existsSync(path));

export const withoutPgbouncer = pgbouncer === undefined ? ' (skipped: there is no pgbouncer here)' : '';

/** PgBouncer in front of that server. In transaction mode each transaction may get another connection. */
export async function startPooler(
  server: PostgresServer,
  mode: 'transaction' | 'session' | 'statement' = 'transaction',
): Promise<Pooler> {
  if (pgbouncer === undefined) throw new Error('there is no pgbouncer on this machine');
  const folder = await newServerFolder();
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeForServer(users, `"${superuser}" "${password}"\n`);
  writeForServer(settings, settingsOf(server, port, mode, users, join(folder, 'pgbouncer.log')));
  const { user, watch, unwatch } = serversFolder();
  const child = spawn(pgbouncer, [settings], {
    ...user,
    cwd: '/',
    env: serverEnv,
    detached: true,
    stdio: 'ignore',
  });
  child.unref();
  const gone = new Promise<void>((done) => child.once('exit', () => done()));
  const pid = child.pid as number;
  watch(pid);
  void gone.then(() => unwatch(pid));
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}: see ${folder}`);
    await after(5);
  }
  return {
    through: (url) => atPort(url, port),
    close: async () => {
      child.ref();
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function settingsOf(server: PostgresServer, port: number, mode: string, users: string, log: string): string {
  return `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 4
ignore_startup_parameters = extra_float_digits
logfile = ${log}
`;
}

/** Imitates a pooler on machines without one: the server receives another word than the client sent. */
export function startPretendPooler(server: PostgresServer): Promise<CuttableProxy> {
  return startCuttableProxy(server.port, (from, message) => {
    const at = from === 'client' ? message.indexOf(word) : -1;
    if (at < 0) return message;
    const changed = Buffer.from(message);
    changed.fill('x', at + word.length, at + word.length + 32);
    return changed;
  });
}

const word = "SET botctl.line = '";

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
