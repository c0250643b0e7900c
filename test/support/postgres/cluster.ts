import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binaries, type Version } from './binaries.ts';
import { connected } from './client.ts';
import { serversFolder } from './folder.ts';
import { runAs } from './runAs.ts';

export const superuser = 'postgres';
/** The password of every server that this process starts. */
export const password = randomBytes(12).toString('hex');

/** How a superuser connects, over loopback TCP. */
export type Connection = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
};

const templates = new Map<Version, Promise<string>>();
let count = 0;

/** A folder for one server, with only the folder for its socket in it. */
export async function newServerFolder(): Promise<string> {
  const { path, user } = serversFolder();
  count += 1;
  const folder = join(path, String(count));
  await runAs(user, 'mkdir', ['-m', '700', folder]);
  return folder;
}

/** A new, empty cluster. initdb runs once, and its result is copied. */
export async function newCluster(version: Version): Promise<string> {
  const template = templates.get(version) ?? makeTemplate(version);
  templates.set(version, template);
  const folder = await newServerFolder();
  await runAs(serversFolder().user, 'cp', ['-Rp', await template, join(folder, 'data')]);
  return folder;
}

async function makeTemplate(version: Version): Promise<string> {
  const { path, user } = serversFolder();
  const bin = await binaries(version);
  const passwordFile = join(path, `password-${version}`);
  writeForServer(passwordFile, quicklyProven(password));
  const template = join(path, `template-${version}`);
  await runAs(user, join(bin, 'initdb'), [
    `--pgdata=${template}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    '--auth-host=scram-sha-256',
    '--auth-local=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  return template;
}

/**
 * What a server keeps of a password, made in one iteration: the usual 4096, of the server and of the client, are a third
 * of what a connection costs, and tests make thousands.
 */
function quicklyProven(secret: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(secret, salt, 1, 32, 'sha256');
  const keyOf = (what: string): Buffer => createHmac('sha256', salted).update(`${what} Key`).digest();
  const stored = createHash('sha256').update(keyOf('Client')).digest('base64');
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${keyOf('Server').toString('base64')}`;
}

/** A file that only the servers' user can read. */
export function writeForServer(path: string, text: string): void {
  const { user } = serversFolder();
  writeFileSync(path, text, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
}

/** A standby's cluster, copied from a running server as pg_basebackup does. */
export async function copyOfRunning(source: string, superuser: Connection): Promise<string> {
  const folder = await newServerFolder();
  const data = join(folder, 'data');
  const client = await connected(superuser);
  await client.query(`SELECT pg_backup_start('standby', true)`);
  await copyMoving(source, data);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  writeForServer(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  writeForServer(join(data, 'standby.signal'), '');
  rmSync(join(data, 'postmaster.pid'));
  for (const slot of readdirSync(join(data, 'pg_replslot'))) {
    rmSync(join(data, 'pg_replslot', slot), { recursive: true });
  }
  return folder;
}

/** Files may disappear while they are copied. The log that the copy replays has what they held. */
async function copyMoving(source: string, target: string): Promise<void> {
  try {
    await runAs(serversFolder().user, 'cp', ['-Rp', source, target]);
  } catch (error) {
    const troubles = String(error).match(/^.*cp: .*$/gmu) ?? [];
    if (!troubles.every((line) => line.includes('No such file'))) throw error;
  }
}
