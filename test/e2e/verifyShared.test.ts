import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { botctl } from '../../testing/botctl.ts';
import { newSharedJournal } from '../../testing/postgres/newJournal.ts';
import { sharedServer } from '../../testing/postgres/server.ts';
import { otherRecipient } from '../../testing/sandbox.ts';
import { payAda, type Said, SandboxHome, said } from '../../testing/sandboxHome.ts';

type Told = Said & { chain: { verdict: string; reasons: string[] }; exit: number | null };

/** The sandbox's node, which shows a transaction only when so many ask for it. */
async function nodeForAll(url: string, askers: number): Promise<string> {
  const asked = new EventEmitter();
  const all = once(asked, 'by all');
  let left = askers;
  const server = createServer(async (request, reply) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('getTransaction')) {
      left -= 1;
      if (left === 0) asked.emit('by all');
      await all;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', body, headers });
    reply.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`;
}

test('of two processes that see the same payment at once, one has it', async () => {
  const operator = await SandboxHome.open();
  onTestFinished(() => operator.close());
  const { sandbox, home } = operator;
  const { node } = sandbox;
  const secret = await nodeForAll(node.rpcUrl, 2);
  const payer = {
    ...{ 'base-url': sandbox.baseUrl, token: { kind: 'stored', secret: sandbox.tokens.full } },
    'rpc-url': [{ kind: 'stored', secret }],
    ...{ cluster: node.genesisHash, wallet: node.wallet, assets: node.assets },
  };
  home.writeConfig({ version: 1, 'in-use': 'payer', profiles: { payer } });
  const env = { ...home.env, BOTCTL_JOURNAL: await newSharedJournal(await sharedServer()) };
  const run = async (...words: string[]): Promise<Told> => {
    const ran = await botctl([...words, '--json'], { env });
    return { ...(said(ran) as Told), exit: ran.code };
  };
  await sandbox.readings({ slot_ms: 0, extra_fields: { to_address: otherRecipient } });
  const held: string[] = [];
  for (const name of ['a', 'b']) {
    const { intent } = await run(...payAda, '--once', name, '--retries', '0');
    held.push(intent?.id ?? '');
    // The service answers the second with the payment of the first.
    await sandbox.readings({ reply_signature: 'previous' });
  }
  const both = await Promise.all(held.map((id) => run('verify', id)));
  expect(both.map(({ exit, chain: { verdict, reasons } }) => [exit, verdict, ...reasons]).sort()).toEqual([
    [0, 'proven'],
    [10, 'contradicted', 'claimed'],
  ]);
  const now = await Promise.all(held.map((id) => run('history', id)));
  expect(now.map(({ outcome }) => outcome).sort()).toEqual(['held', 'resolved']);
});
