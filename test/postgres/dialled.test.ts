import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { dial } from '../../src/postgres/connection.ts';
import { freePort } from '../../testing/postgres/freePort.ts';

const at = (port: number) => ({ host: '127.0.0.1', port });

test('what was connected already says so once more to who asks for it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const dialled = dial(at((server.address() as { port: number }).port));
  onTestFinished(() => void dialled.destroy());
  await once(dialled, 'connect');
  await expect(once(dialled.connect(0), 'connect')).resolves.toEqual([]);
});

test('what was refused already interrupts nobody, and says so once more to who asks for it', async () => {
  const dialled = dial(at(await freePort()));
  await new Promise((resolve) => dialled.once('close', resolve));
  await expect(once(dialled.connect(0), 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
