import type { Home } from '../../../test/support/home.ts';
import { type CuttableProxy, startCuttableProxy } from '../../../test/support/postgres/cuttableProxy.ts';
import type { Side } from '../../../test/support/postgres/messages.ts';
import { type PostgresServer, startServer } from '../../../test/support/postgres/server.ts';
import type { Lane } from '../../lane.ts';
import type { Kept } from '../../look.ts';
import { run } from '../../run.ts';
import { shortened } from '../../told.ts';

/** Short, so that a killed runner is soon replaced; long enough for a busy machine to renew it. */
export const leaseMs = 1500;

/** One PostgreSQL server with a journal, and four machines that share it. */
export type Harbour = {
  /** The same service; its commands have the shared journal. */
  readonly lane: Lane;
  readonly server: PostgresServer;
  readonly proxy: CuttableProxy;
  /** Every message between the machines and the server, since the last look. */
  takeMessages(): { readonly from: Side; readonly message: Buffer }[];
  readonly homes: readonly [Home, Home, Home, Home];
  /** The URL of the journal at its server itself. */
  readonly url: string;
};

const settings = {
  shared_buffers: '16MB',
  max_connections: 60,
  // What is not committed yet is on no disk when the server is killed.
  wal_writer_delay: '10s',
};

export async function openHarbour(lane: Lane, program: string): Promise<Harbour> {
  const server = await startServer({ settings });
  const url = await server.newDatabase();
  const messages: { from: Side; message: Buffer }[] = [];
  const proxy = await startCuttableProxy(server.port, (from, message) => {
    messages.push({ from, message });
    return message;
  });
  const homes = fourMachines(lane);
  await layOut(server, url, homes[0], program);
  return {
    lane: sharing(lane, server, url, proxy.through(url)),
    server,
    proxy,
    takeMessages: () => messages.splice(0),
    homes,
    url,
  };
}

export function fourMachines({ home }: Pick<Lane, 'home'>): Harbour['homes'] {
  return [home(), home(), home(), home()];
}

/** The lane, with the journal at this URL for every command. It is read at the server itself, without botctl. */
export function sharing(lane: Lane, server: PostgresServer, url: string, through = url): Lane {
  return {
    ...lane,
    env: (home, baseUrl) => ({ ...lane.env(home, baseUrl), BOTCTL_JOURNAL: through }),
    kept: () =>
      server.query<Kept>('SELECT id, key, state, attempts FROM botctl.entries ORDER BY seq', [], url),
  };
}

/** Creates the journal's tables and rules as this program defines them. */
async function layOut(server: PostgresServer, url: string, home: Home, bin: string): Promise<void> {
  const ran = await run(bin, ['journal', 'migrate'], { env: { ...home.env, BOTCTL_JOURNAL: url } });
  if (ran.code !== 0) throw new Error(`the journal could not be made: ${shortened(ran)}`);
  const bytes = Buffer.from(String(leaseMs));
  await server.query(`UPDATE botctl.meta SET value = $1 WHERE name = 'lease-ms'`, [bytes], url);
}
