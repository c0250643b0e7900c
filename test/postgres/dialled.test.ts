import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Dialled } from '../../src/postgres/connection.ts';
import { freePort } from '../../testing/postgres/freePort.ts';

const at = (port: number) => ({ server: { is: 'host', host: '127.0.0.1' }, port }) as const;

test('what was connected already says so once more to who asks for it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const dialled = new Dialled(at((server.address() as { port: number }).port));
  onTestFinished(() => void dialled.destroy());
  await once(dialled, 'connect');
  await expect(once(dialled.connect(), 'connect')).resolves.toEqual([]);
});

test('what was refused already interrupts nobody, and says so once more to who asks for it', async () => {
  const dialled = new Dialled(at(await freePort()));
  await new Promise((resolve) => dialled.once('close', resolve));
  await expect(once(dialled.connect(), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
