import { EventEmitter, once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { nodeBeside } from '../support/nodeBeside.ts';
import { newSharedJournal } from '../support/postgres/newJournal.ts';
import { sharedServer } from '../support/postgres/server.ts';
import { otherRecipient } from '../support/sandbox.ts';
import { type Exited, payAda, SandboxHome } from '../support/sandboxHome.ts';

type Told = Exited & { chain: { verdict: string; reasons: string[] } };

/** The sandbox's node, which shows a transaction only when so many ask for it. */
async function nodeForAll(url: string, askers: number): Promise<string> {
  const asked = new EventEmitter();
  const all = once(asked, 'by all');
  let left = askers;
  const beside = await nodeBeside(async (request, reply) => {
    const body = Buffer.concat(await request.toArray()).toString();
    if (body.includes('getTransaction')) {
      left -= 1;
      if (left === 0) asked.emit('by all');
      await all;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', body, headers });
    reply.writeHead(answer.status, headers).end(await answer.text());
  });
  return `${beside}/rpc`;
}

test('of two processes that see the same payment at once, one has it', async () => {
  const operator = await SandboxHome.openWithNode();
  onTestFinished(() => operator.close());
  const { sandbox, env } = operator;
  env.NODE = await nodeForAll(sandbox.node.rpcUrl, 2);
  env.BOTCTL_JOURNAL = await newSharedJournal(await sharedServer());
  const run = async (...words: string[]) => (await operator.jsonApart(words)) as Told;
  await sandbox.readings({ slot_ms: 0, extra_fields: { to_address: otherRecipient } });
  const held: string[] = [];
  for (const name of ['a', 'b']) {
    const { entry } = await run(...payAda, '--once', name, '--repeat', '--max-wait', '0s');
    held.push(entry?.id ?? '');
    // The service answers the second with the payment of the first.
    await sandbox.readings({ reply_signature: 'previous' });
  }
  const both = await Promise.all(held.map((id) => run('verify', id)));
  expect(both.map(({ exit, chain: { verdict, reasons } }) => [exit, verdict, ...reasons]).sort()).toEqual([
    [0, 'proven'],
    [9, 'undecided', 'anothers'],
  ]);
  const now = await Promise.all(held.map((id) => run('history', id)));
  expect(now.map(({ outcome }) => outcome).sort()).toEqual(['held', 'resolved']);
});
