import { Client } from 'pg';
import { migrate } from '../../src/postgres/handshake.ts';

/** A server and a service to measure with. */
export type SharedScene = {
  readonly folder: string;
  readonly newDatabase: () => Promise<string>;
  /** What every command of ours is told. */
  readonly env: NodeJS.ProcessEnv;
};

/** The URL of an empty journal. */
export async function newJournal({ newDatabase }: Pick<SharedScene, 'newDatabase'>): Promise<string> {
  const url = await newDatabase();
  await withClient(url, (client) => migrate(client, 'botctl'));
  return url;
}

export async function withClient<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
