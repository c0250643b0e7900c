// Walks the service's document section by section; each test is named after the sentence it checks.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rawRequest } from '../support/rawHttp.ts';
import { paths, type Reply, recipient, startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

let sandbox: TestSandbox;
let nowMs = Date.parse('2026-11-20T12:00:00Z');

beforeAll(async () => {
  sandbox = await startTestSandbox({ nowMs: () => nowMs });
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset());

const hello = { conversation_id: 'conv_demo', content: 'hello' };
const pay = { to_address: recipient, asset: 'SOL', amount: '1.5' };
const rows = [
  {
    type: 'action_row',
    components: [
      { type: 'button', label: 'Yes', style: 'success', custom_id: 'vote_yes' },
      { type: 'button', label: 'No', style: 'danger', custom_id: 'vote_no' },
    ],
  },
];

const send = (body: unknown, token?: string): Promise<Reply> => sandbox.post('message', body, token);
const transfer = (body: unknown, token?: string): Promise<Reply> => sandbox.post('transfer', body, token);
const without = (body: object, field: string): object =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== field));

const balanceOf = async (asset: string): Promise<string | undefined> =>
  (await sandbox.state()).wallet.balances.find((balance) => balance.asset === asset)?.amount;

async function expectInvalid(reply: Promise<Reply>, field: string): Promise<void> {
  const { status, json } = await reply;
  expect({ status, field: (json.error as { field?: string } | undefined)?.field }).toEqual({
    status: 400,
    field,
  });
  expect(await sandbox.ledger()).toEqual([]);
}

describe('2.1 Send-message request', () => {
  test.each(['conversation_id', 'content'])('%s: required, a string', async (field) => {
    await expectInvalid(send(without(hello, field)), field);
    for (const value of [null, 7, true, [], {}])
      await expectInvalid(send({ ...hello, [field]: value }), field);
  });

  test.each(['reply_to_message_id', 'idempotency_key'])('%s: a string, not required', async (field) => {
    for (const value of [null, 7, {}]) await expectInvalid(send({ ...hello, [field]: value }), field);
    expect((await send({ ...hello, [field]: 'some' })).status).toBe(200);
  });

  test('content: length 1 to 5000 characters', async () => {
    await expectInvalid(send({ ...hello, content: '' }), 'content');
    await expectInvalid(send({ ...hello, content: 'x'.repeat(5001) }), 'content');
    expect((await send({ ...hello, content: 'x' })).status).toBe(200);
    expect((await send({ ...hello, content: 'x'.repeat(5000) })).status).toBe(200);
    expect((await send({ ...hello, content: '🙂'.repeat(5000) })).status).toBe(200);
  });

  test('components: MessageComponent[], not required', async () => {
    for (const value of [null, 'rows', {}])
      await expectInvalid(send({ ...hello, components: value }), 'components');
    expect((await send({ ...hello, components: [] })).status).toBe(200);
  });

  test('reply_to_message_id: identifier of the message being replied to', async () => {
    const { json } = await send({ ...hello, reply_to_message_id: 'msg_1' });
    expect(json).toMatchObject({ message: { reply_to_message_id: 'msg_1' } });
  });
});

describe('2.2 Send-message response', () => {
  test('message: the created message; request_id: trace identifier', async () => {
    const { json, headers } = await send(hello);
    expect(headers.get('content-type')).toBe('application/json');
    expect(json).toEqual({
      message: { id: expect.stringMatching(/^msg_/), ...hello, created_at: '2026-11-20T12:00:00.000Z' },
      request_id: expect.stringMatching(/^req_/),
    });
  });
});

describe('2.3 MessageComponent', () => {
  const button = { type: 'button', label: 'Yes', style: 'success', custom_id: 'yes' };
  const withButton = (change: object): object => ({
    ...hello,
    components: [{ type: 'action_row', components: [{ ...button, ...change }] }],
  });

  test('row: type is "action_row", components an array of buttons', async () => {
    await expectInvalid(send({ ...hello, components: ['row'] }), 'components[0]');
    await expectInvalid(send({ ...hello, components: [{ components: [] }] }), 'components[0].type');
    await expectInvalid(
      send({ ...hello, components: [{ ...rows[0], type: 'column' }] }),
      'components[0].type',
    );
    await expectInvalid(send({ ...hello, components: [{ type: 'action_row' }] }), 'components[0].components');
  });

  test('button: type is "button"', async () => {
    await expectInvalid(send(withButton({ type: 'select' })), 'components[0].components[0].type');
  });

  test.each(['label', 'custom_id'])('button: %s is a string', async (field) => {
    const at = `components[0].components[0].${field}`;
    for (const value of [undefined, null, 7, ''])
      await expectInvalid(send(withButton({ [field]: value })), at);
  });

  test('the full set of allowed style values is not shown: any string is taken', async () => {
    await expectInvalid(send(withButton({ style: 3 })), 'components[0].components[0].style');
    expect((await send(withButton({ style: 'sparkling' }))).status).toBe(200);
  });
});

describe('2.4 Transfer request', () => {
  test.each(['to_address', 'asset', 'amount'])('%s: required, a string', async (field) => {
    await expectInvalid(transfer(without(pay, field)), field);
    for (const value of [null, 7, true, [], {}])
      await expectInvalid(transfer({ ...pay, [field]: value }), field);
  });

  test.each(['memo', 'idempotency_key'])('%s: a string, not required', async (field) => {
    for (const value of [null, 7, {}]) await expectInvalid(transfer({ ...pay, [field]: value }), field);
    expect((await transfer({ ...pay, [field]: 'some' })).status).toBe(200);
  });

  test('to_address: recipient wallet address', async () => {
    for (const value of ['', 'nobody', `${recipient}1`, recipient.replace('W', '0'), recipient.slice(4)]) {
      await expectInvalid(transfer({ ...pay, to_address: value }), 'to_address');
    }
    for (const program of [
      '11111111111111111111111111111111',
      'SysvarRent111111111111111111111111111111111',
    ]) {
      await expectInvalid(transfer({ ...pay, to_address: program }), 'to_address');
    }
  });

  test('asset: the literal "SOL", or another string naming a token', async () => {
    for (const value of ['sol', 'Sol', ' SOL', 'usdc', '', 'DOGE']) {
      await expectInvalid(transfer({ ...pay, asset: value }), 'asset');
    }
  });

  test('amount: decimal amount written as a string', async () => {
    const broken = [
      '',
      '0',
      '0.0',
      '-1',
      '+1',
      '1e3',
      '1,5',
      ' 1',
      '1 ',
      '.5',
      '1.',
      '01',
      '0x1',
      'NaN',
      '1.0000000001',
    ];
    for (const value of broken) await expectInvalid(transfer({ ...pay, amount: value }), 'amount');
    await expectInvalid(transfer({ ...pay, asset: 'USDC', amount: '1.0000001' }), 'amount');
    for (const value of ['1', '1.50', '0.123456789'])
      expect((await transfer({ ...pay, amount: value })).status).toBe(200);
    expect(await balanceOf('SOL')).toBe('97.376528211');
  });

  test('memo: optional annotation, kept on the chain', async () => {
    const memo = 'lunch, 午餐 🍜';
    await transfer({ ...pay, memo });
    expect(await sandbox.ledger()).toMatchObject([{ request: { memo } }]);
    await sandbox.reset();
    await expectInvalid(transfer({ ...pay, memo: 'x'.repeat(1200) }), 'memo');
  });
});

describe('2.5 Transfer response', () => {
  test('transfer_id: internal transfer identifier; status; signature: chain transaction signature', async () => {
    const { json } = await transfer(pay);
    expect(json).toEqual({
      transfer_id: expect.stringMatching(/^tr_/),
      status: 'confirmed',
      signature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/),
    });
  });
});

describe('3. States and transitions', () => {
  test('further status values beyond these two are not shown: any can be had', async () => {
    await sandbox.readings({ transfer_status: 'failed' });
    expect((await transfer(pay)).json.status).toBe('failed');
  });
});

describe('4. Endpoints', () => {
  test.each(['message', 'transfer'] as const)('method and path of %s: POST', async (operation) => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      const response = await fetch(sandbox.baseUrl + paths[operation], { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    const other = await fetch(`${sandbox.baseUrl}${paths[operation]}/more`, { method: 'POST' });
    expect(other.status).toBe(404);
  });

  test('messages: on network failures or 5xx, retry with the same idempotency_key to avoid duplicates', async () => {
    const message = { ...hello, idempotency_key: 'k' };
    await sandbox.faults({ kind: 'reset', when: 'after' }, { kind: 'reply', status: 503, when: 'before' });
    await expect(send(message)).rejects.toThrow();
    expect((await send(message)).status).toBe(503);
    expect((await send(message)).status).toBe(409);
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test('transfers: after network failures, always retry with the same idempotency_key to prevent duplicates', async () => {
    const wanted = { ...pay, idempotency_key: 'k' };
    await sandbox.faults({ kind: 'drop', when: 'after' }, { kind: 'cut', at: 5, when: 'after' });
    await expect(transfer(wanted)).rejects.toThrow();
    await expect(transfer(wanted)).rejects.toThrow();
    const reply = await transfer(wanted);
    expect(reply).toMatchObject({ status: 200, json: { signature: (await sandbox.ledger())[0]?.signature } });
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test('success status code of either endpoint is not shown: 204, which has neither a body nor its length', async () => {
    await sandbox.readings({ success_status: 204 });
    const body = JSON.stringify(hello);
    const head = `POST ${paths.message} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json`;
    const own = `Authorization: Bot ${sandbox.tokens.full}\r\nContent-Length: ${body.length}`;
    const { text } = await rawRequest(sandbox.baseUrl, [`${head}\r\n${own}\r\n\r\n${body}`]);
    expect(text).toMatch(/^HTTP\/1.1 204 /u);
    expect(text).not.toMatch(/content-length/iu);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test.each([200, 201, 202])('success status code of either endpoint is not shown: %i', async (status) => {
    await sandbox.readings({ success_status: status });
    expect([(await send(hello)).status, (await transfer(pay)).status]).toEqual([status, status]);
  });

  test.each([
    ['replay', 200, 1],
    ['conflict', 409, 1],
    ['ignore', 200, 2],
  ] as const)(
    'behaviour when a transfer repeats a key is not shown: %s',
    async (reading, status, effects) => {
      await sandbox.readings({ repeated_transfer_key: reading });
      await transfer({ ...pay, idempotency_key: 'k' });
      expect((await transfer({ ...pay, idempotency_key: 'k' })).status).toBe(status);
      expect(await sandbox.ledger()).toHaveLength(effects);
    },
  );
});

describe('5. Authentication', () => {
  const post = async (
    operation: 'message' | 'transfer',
    headers: Record<string, string>,
  ): Promise<number> => {
    const body = JSON.stringify(operation === 'message' ? hello : pay);
    const own = { 'Content-Type': 'application/json', ...headers };
    return (await fetch(sandbox.baseUrl + paths[operation], { method: 'POST', headers: own, body })).status;
  };

  test('Authorization: the scheme word Bot followed by a space and the bot token', async () => {
    expect(await post('message', { Authorization: `Bot ${sandbox.tokens.full}` })).toBe(200);
    expect(await post('transfer', { Authorization: `Bot ${sandbox.tokens.full}` })).toBe(200);
  });

  test.each(['message', 'transfer'] as const)(
    'a missing or invalid token yields 401: %s',
    async (operation) => {
      const { full } = sandbox.tokens;
      expect(await post(operation, {})).toBe(401);
      for (const value of [
        '',
        'Bot',
        'Bot ',
        full,
        `Bearer ${full}`,
        `bot ${full}`,
        `Bot  ${full}`,
        `Bot ${full}x`,
      ]) {
        expect([value, await post(operation, { Authorization: value })]).toEqual([value, 401]);
      }
      expect(await sandbox.ledger()).toEqual([]);
    },
  );

  test('send-message requires a send permission on the bot; without it the status is 403', async () => {
    expect((await send(hello, sandbox.tokens.no_send)).status).toBe(403);
    expect((await transfer(pay, sandbox.tokens.no_send)).status).toBe(200);
  });

  test('wallet transfer requires the wallet transfer scope; when it is disabled the status is 403', async () => {
    expect((await transfer(pay, sandbox.tokens.no_wallet)).status).toBe(403);
    expect((await send(hello, sandbox.tokens.no_wallet)).status).toBe(200);
  });
});

describe('6. Events', () => {
  test('conversation identifiers come from inbound events: the control interface adds them', async () => {
    expect((await send({ ...hello, conversation_id: 'conv_new' })).status).toBe(404);
    await sandbox.conversation('conv_new');
    expect((await send({ ...hello, conversation_id: 'conv_new' })).status).toBe(200);
  });
});

describe('7. Errors', () => {
  test('404 conversation not found', async () => {
    const { status, json } = await send({ ...hello, conversation_id: 'conv_nowhere' });
    expect({ status, error: json.error }).toMatchObject({
      status: 404,
      error: {
        code: 'conversation_not_found',
        message: 'There is no conversation "conv_nowhere"; there is conv_demo.',
      },
    });
  });

  test.each([
    ['SOL', '100', 'The wallet holds 100 SOL, too little for 100 SOL and the fee.'],
    ['SOL', '99.999999', 'The wallet holds 100 SOL, too little for 99.999999 SOL and the fee.'],
    ['SOL', '99999999999999999999', 'No wallet holds that much.'],
    ['USDC', '10000.000001', 'The wallet holds 10000 USDC, too little for 10000.000001.'],
  ])(
    "402 insufficient balance, by the VM's own verdict, fees and rent included: %s %s",
    async (asset, amount, message) => {
      const reply = await transfer({ ...pay, asset, amount, idempotency_key: 'k' });
      expect(reply).toMatchObject({
        status: 402,
        json: { error: { code: 'insufficient_balance', message } },
      });
      expect([await balanceOf('SOL'), await balanceOf('USDC')]).toEqual(['100', '10000']);
      await sandbox.money({ asset, amount: '1' });
      if (amount.length < 20)
        expect((await transfer({ ...pay, asset, amount, idempotency_key: 'k' })).status).toBe(200);
    },
  );

  test('a wallet may be emptied to the last lamport', async () => {
    expect((await transfer({ ...pay, amount: '99.999995' })).status).toBe(200);
    expect(await balanceOf('SOL')).toBe('0');
    const { status, json } = await transfer({ ...pay, asset: 'USDC' });
    expect([status, json.error]).toMatchObject([
      402,
      { message: 'The wallet holds 0 SOL, too little for the fee and for the recipient’s new account.' },
    ]);
  });

  test('an amount that leaves a new account without its rent is refused, as Solana does', async () => {
    await expectInvalid(transfer({ ...pay, amount: '0.00089087' }), 'amount');
    expect((await transfer({ ...pay, amount: '0.00089088' })).status).toBe(200);
    expect((await transfer({ ...pay, amount: '0.000000001' })).status).toBe(200);
  });

  test('a refused request does not use up its key', async () => {
    expect((await transfer({ ...pay, amount: '100', idempotency_key: 'k' })).status).toBe(402);
    expect((await transfer({ ...pay, amount: '1', idempotency_key: 'k' })).status).toBe(200);
  });

  test.each([
    ['nested', 'application/json', /^\{"error":\{"code":"invalid_token","message":".+"\},"request_id":"req_/],
    ['flat', 'application/json', /^\{"error":"invalid_token","message":".+","request_id":"req_/],
    ['text', 'text/plain; charset=utf-8', /^The bot token/],
    ['html', 'text/html; charset=utf-8', /^<!doctype html>/],
    ['empty', null, /^$/],
  ] as const)('shape of the error response body is not shown: %s', async (shape, contentType, body) => {
    await sandbox.readings({ error_body: shape });
    const reply = await send(hello, 'nobody');
    expect(reply.status).toBe(401);
    expect(reply.headers.get('content-type')).toBe(contentType);
    expect(reply.text).toMatch(body);
  });
});

describe('8. Limits', () => {
  test('exceeding rate limits yields 429 on both operations', async () => {
    await sandbox.readings({ rate_limit: { capacity: 2, per_second: 0.5 } });
    for (const post of [() => send(hello), () => transfer(pay)]) {
      expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
      const limited = await post();
      expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '2']);
      nowMs += 1999;
      expect((await post()).status).toBe(429);
      nowMs += 1;
      expect((await post()).status).toBe(200);
    }
    expect(await sandbox.ledger()).toHaveLength(6);
  });

  test.each([
    ['seconds', '1'],
    ['date', 'Fri, 20 Nov 2026 13:00:01 GMT'],
    ['none', null],
  ] as const)('Retry-After as %s', async (reading, value) => {
    nowMs = Date.parse('2026-11-20T13:00:00Z');
    await sandbox.readings({ retry_after: reading, rate_limit: { capacity: 1, per_second: 1 } });
    await send(hello);
    expect((await send(hello)).headers.get('retry-after')).toBe(value);
  });

  test('how long an idempotency_key is remembered is not shown', async () => {
    await sandbox.readings({ key_memory_ms: 60_000 });
    const message = { ...hello, idempotency_key: 'k' };
    await send(message);
    nowMs += 59_999;
    expect((await send(message)).status).toBe(409);
    nowMs += 1;
    expect((await send(message)).status).toBe(200);
    await sandbox.forgetKeys('other');
    expect((await send(message)).status).toBe(409);
    await sandbox.forgetKeys();
    expect((await send(message)).status).toBe(200);
    expect(await sandbox.ledger({ key: 'k' })).toHaveLength(3);
  });

  test('maximum number of rows or buttons in components is not shown: many are taken', async () => {
    const row = { ...rows[0], components: Array.from({ length: 40 }, () => rows[0]?.components[0]) };
    expect((await send({ ...hello, components: Array.from({ length: 40 }, () => row) })).status).toBe(200);
  });
});

describe('readings of what a client may not expect', () => {
  test('extra fields, omitted fields, another content type', async () => {
    await sandbox.readings({
      extra_fields: { trace: [1] },
      omit_fields: ['signature'],
      content_type: 'text/json',
    });
    const reply = await transfer(pay);
    expect(reply.json).toEqual({ transfer_id: expect.any(String), status: 'confirmed', trace: [1] });
    expect(reply.headers.get('content-type')).toBe('text/json');
  });

  test('fields of the request, of a repeated key those of the first', async () => {
    await sandbox.readings({ echo_fields: ['amount', 'memo'] });
    expect((await transfer(pay)).json).toMatchObject({ amount: pay.amount, status: 'confirmed' });
    const first = await transfer({ ...pay, amount: '0.25', idempotency_key: 'echo' });
    const second = await transfer({ ...pay, amount: '0.5', idempotency_key: 'echo' });
    expect([first.json.amount, second.json.amount, second.json.to_address]).toEqual([
      '0.25',
      '0.25',
      undefined,
    ]);
  });

  test('a success with an error inside', async () => {
    await sandbox.readings({ extra_fields: { error: { code: 'later' } } });
    expect(await send(hello)).toMatchObject({ status: 200, json: { message: {}, error: { code: 'later' } } });
  });

  test.each([
    ['as-repeat', 200],
    ['invalid', 400],
    ['conflict', 409],
    ['unprocessable', 422],
  ] as const)('a key that comes back with another body: %s', async (reading, status) => {
    await sandbox.readings({ other_body: reading });
    await transfer({ ...pay, idempotency_key: 'k' });
    expect((await transfer({ ...pay, amount: '2', idempotency_key: 'k' })).status).toBe(status);
    const reordered = { idempotency_key: 'k', amount: '1.5', asset: 'SOL', to_address: recipient };
    expect((await transfer(reordered)).status).toBe(200);
    expect(await sandbox.ledger()).toHaveLength(1);
  });

  test.each([
    ['bot', 1],
    ['token', 2],
  ] as const)('keys belong to the %s', async (reading, effects) => {
    await sandbox.readings({ key_scope: reading });
    await send({ ...hello, idempotency_key: 'k' });
    await send({ ...hello, idempotency_key: 'k' }, sandbox.tokens.no_wallet);
    expect(await sandbox.ledger()).toHaveLength(effects);
  });

  test.each([
    { success_status: 404 },
    { repeated_message_key: 'maybe' },
    { key_memory_ms: -1 },
    { content_type: 'a\r\nb: c' },
    { nothing: 1 },
  ])('a reading that does not exist is refused: %j', async (change) => {
    await expect(sandbox.readings(change as never)).rejects.toThrow(/400/);
  });
});
