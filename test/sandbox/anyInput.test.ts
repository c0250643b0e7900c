import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { methods } from '../../src/sandbox/node.ts';
import { imbalances } from '../support/killRounds.ts';
import { otherRecipient, paths, recipient, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

/** Right, nearly right, or anything at all. */
const or = <T>(...right: T[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...right) },
    fc.string(),
    fc.jsonValue(),
    fc.constant(undefined),
  );

const nearly: Record<keyof typeof paths, fc.Arbitrary<unknown>> = {
  message: fc.record({
    conversation_id: or('conv_demo', 'conv_test'),
    content: fc.oneof(fc.string({ unit: 'grapheme' }), or('hello')),
    components: or(
      undefined,
      [],
      [{ type: 'action_row', components: [{ type: 'button', label: 'a', custom_id: 'b' }] }],
    ),
    reply_to_message_id: or(undefined),
    idempotency_key: or('a', 'b', undefined),
  }),
  transfer: fc.record({
    to_address: or(recipient, otherRecipient, '11111111111111111111111111111111'),
    asset: or('SOL', 'USDC'),
    amount: fc.oneof(
      or('1', '0.5', '0.000001', '18446744073709551615', '1e3'),
      fc.double().map(String),
      fc.bigInt().map(String),
    ),
    memo: fc.oneof(or(undefined, ''), fc.string({ unit: 'binary', maxLength: 600 })),
    idempotency_key: or('a', 'b', undefined),
  }),
};

/** Played first: among what is only nearly right none may be. */
const right: Record<keyof typeof paths, object> = {
  message: { conversation_id: 'conv_demo', content: 'hello' },
  transfer: { to_address: recipient, asset: 'SOL', amount: '0.5' },
};

test.each(['message', 'transfer'] as const)(
  'whatever comes in is answered, and only a success has an effect: %s',
  async (operation) => {
    const send = async (body: string | Uint8Array): Promise<number> => {
      const headers = { Authorization: `Bot ${sandbox.tokens.full}`, 'Content-Type': 'application/json' };
      const response = await fetch(sandbox.baseUrl + paths[operation], { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    };
    const bodies = fc.oneof(
      { weight: 4, arbitrary: nearly[operation].map((value) => JSON.stringify(value)) },
      fc.json(),
      fc.uint8Array({ maxLength: 200 }),
    );
    const seen = new Map<number, number>();
    let before = (await sandbox.state()).counts;
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const status = await send(body);
        seen.set(status, (seen.get(status) ?? 0) + 1);
        expect([200, 400, 402, 404, 409]).toContain(status);
        const state = await sandbox.state();
        const made = state.counts.messages + state.counts.transfers - before.messages - before.transfers;
        expect(made).toBeLessThanOrEqual(status === 200 ? 1 : 0);
        before = state.counts;
        expect(imbalances(state)).toEqual([]);
      }),
      { numRuns: 80, examples: [[JSON.stringify(right[operation])]] },
    );
    expect([...seen.keys()].sort()).toEqual(expect.arrayContaining([200, 400]));
    expect((await fetch(`${sandbox.baseUrl}/control`)).status).toBe(200);
  },
);

test('whatever is asked of the node is answered in the words of JSON-RPC', async () => {
  const signature = String((await sandbox.post('transfer', right.transfer)).json.signature);
  const config = { commitment: 'confirmed', encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 };
  const { USDC: mint } = sandbox.node.assets;
  const param = or<unknown>(signature, recipient, [signature], config, { limit: 2 }, { mint }, null, 165);
  const call = fc.record({
    id: or<string | number>(1, 'a'),
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...Object.keys(methods)) },
      fc.constant('toString'),
    ),
    params: fc.oneof({ weight: 8, arbitrary: fc.array(param, { maxLength: 3 }) }, fc.jsonValue()),
  });
  const body = fc.oneof({ weight: 6, arbitrary: call.map((value) => JSON.stringify(value)) }, fc.json());
  const seen = { answers: 0, errors: 0 };
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const headers = { 'Content-Type': 'application/json' };
      const reply = await fetch(sandbox.node.rpcUrl, { method: 'POST', headers, body: text });
      expect(reply.status).toBe(200);
      const said = (await reply.json()) as object;
      expect(Object.keys(said)).toEqual(['jsonrpc', 'id', 'error' in said ? 'error' : 'result']);
      seen['error' in said ? 'errors' : 'answers'] += 1;
    }),
    { numRuns: 120 },
  );
  expect(Math.min(seen.answers, seen.errors)).toBeGreaterThan(12);
});
