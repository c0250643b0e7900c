import { Client, type ClientConfig } from 'pg';

/** A connection that may lose its server at any moment. Pending queries fail; the rest of the test must not. */
export async function connected(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  client.on('error', () => {});
  await client.connect();
  return client;
}
