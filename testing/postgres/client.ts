import { Client, type ClientConfig } from 'pg';

/** A connection that may lose its server at any moment: who asks something hears it, and nobody else must. */
export async function connected(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  client.on('error', () => {});
  await client.connect();
  return client;
}
