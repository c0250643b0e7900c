import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openJournal } from '../../src/once/journal/file/openJournal.ts';
import { allOf } from '../support/journals.ts';
import { startLoopback } from '../support/loopback.ts';
import { payAda, SandboxHome, said, sendHello } from '../support/sandboxHome.ts';

let operator: SandboxHome;
beforeAll(async () => {
  operator = await SandboxHome.open();
});
afterEach(() => operator.sandbox.clearFaults());
afterAll(() => operator.close());

const mib = 1024 * 1024;
let serial = 0;

/** A command with a key of its own, and the reply that it will meet. */
async function meets(
  kind: 'message' | 'transfer',
  status: number,
  body: Buffer | string,
  flags: readonly string[] = [],
  headers: Record<string, string> = {},
) {
  serial += 1;
  const key = `hostile-${serial}`;
  const base64 = Buffer.from(body).toString('base64');
  await operator.sandbox.script({ status, body_base64: base64, headers, key });
  const argv = kind === 'message' ? sendHello : [...payAda, '--memo', key, '--repeat'];
  const ended = await operator.run([...argv, '--idempotency-key', key, ...flags]);
  // No bug, no stack, nothing that a terminal would obey.
  expect(ended.stderr).not.toMatch(/botctl itself failed|^\s+at /mu);
  expect(ended.stdout + ended.stderr).not.toMatch(unsafe);
  expect(ended.stdout).not.toMatch(/^::/mu);
  return { ...ended, key };
}

// All that moves the cursor, turns the reading direction or shows nothing; ends of lines aside.
const unsafe = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

async function stored(key: string): Promise<Uint8Array | undefined> {
  const journal = openJournal(operator.journal);
  try {
    const entry = (await allOf(journal.reads.select({ limit: 1000 }))).find((one) => one.key === key);
    return entry && (await journal.reads.decisiveAttempt(entry.id))?.reply;
  } finally {
    await journal.close();
  }
}

describe('a reply that is too long', () => {
  const long = JSON.stringify({ message: { id: 'm', padding: 'x'.repeat(2 * mib) } });

  async function answered(status: number, argv: readonly string[]) {
    const head = `HTTP/1.1 ${status} Long\r\nContent-Type: application/json\r\nContent-Length: ${long.length}\r\n\r\n`;
    const service = await startLoopback((socket) => socket.end(head + long));
    try {
      return await operator.apart(argv, { env: { BOTCTL_BASE_URL: `http://127.0.0.1:${service.port}` } });
    } finally {
      await service.close();
    }
  }

  test('and says yes is held, and what was read of it is kept', async () => {
    const ended = await answered(200, [...sendHello, '--idempotency-key', 'long-yes']);
    expect(ended.code).toBe(10);
    expect(ended.stderr.length).toBeLessThan(2000);
    const kept = Buffer.from((await stored('long-yes')) ?? []);
    expect(kept.length).toBe(mib);
    expect(long.startsWith(kept.toString())).toBe(true);
  });

  test('and says no is the no that it is', async () => {
    const ended = await answered(400, [...sendHello, '--idempotency-key', 'long-no', '--json']);
    expect(ended.code).toBe(2);
    expect(said(ended).outcome).toBe('rejected');
    expect(ended.stdout.length).toBeLessThan(5000);
  });
});

describe('a reply that is not what it should be', () => {
  test.each([
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ['NUL bytes', Buffer.from('{"message":{"id":"a\u0000b"}}')],
    ['text that a terminal would obey', '\u001b]0;owned\u0007\u001b[2J\u202e\u200b::error::x'],
  ])('is held and kept verbatim where it says yes: %s', async (_what, body) => {
    const ended = await meets('message', 200, body);
    expect(ended.code).toBe(10);
    expect(Buffer.from((await stored(ended.key)) ?? []).equals(Buffer.from(body))).toBe(true);
    const json = await meets('transfer', 500, body, ['--json']);
    expect(json.code).toBe(9);
    expect(said(json).error?.code).toBe('unknown');
  });

  test('nor HTTP at all is unknown', async () => {
    for (const headers of [{ 'X-Request-Id': 'a\u001bb' }, { 'Content-Length': 'x' }] as const) {
      expect((await meets('message', 200, '{}', ['--json'], headers)).code).toBe(9);
    }
  });

  test('is shown no deeper than anybody reads', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const yes = `{"message":{"id":"m","deep":${deep}}}`;
    for (const flags of [[], ['--json'], ['--quiet']])
      expect((await meets('message', 200, yes, flags)).code).toBe(0);
    const object = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(
      (
        await meets(
          'transfer',
          200,
          `{"transfer_id":"t","status":"confirmed","signature":"s","x":${object}}`,
          ['--json'],
        )
      ).code,
    ).toBe(0);
    expect((await meets('message', 400, `{"error":${object}}`, ['--json'])).code).toBe(2);
    expect((await meets('message', 200, `{"message":{"id":${object}}}`, ['--quiet'])).code).toBe(0);
  });

  test('changes no prototype', async () => {
    const body =
      '{"__proto__":{"error":"x"},"message":{"id":"m1","__proto__":{"id":"m2"},"constructor":{"prototype":{"x":1}}}}';
    const ended = await meets('message', 200, body, ['--json']);
    expect(said(ended)).toMatchObject({ outcome: 'accepted' });
    expect(ended.stdout).toContain('"id":"m1"');
    expect((await meets('message', 200, body, ['--quiet'])).stdout).toBe('m1\n');
  });
});

/** A text as services may repeat it. */
function spellingsOf(text: string): string[] {
  const each = (spell: (code: string) => string): string =>
    [...Buffer.from(text)].map((code) => spell(code.toString(16))).join('');
  return [text, each((code) => `%${code}`), each((code) => `&#x${code};`), each((code) => `\\u00${code}`)];
}

test.each([
  ['a message', 'message', 200, 0],
  ['a refused transfer', 'transfer', 403, 3],
] as const)(
  'the token that a service echoes to %s is neither shown nor journaled',
  async (_what, kind, status, code) => {
    const token = operator.sandbox.tokens.full;
    const [echo = '', ...spelled] = spellingsOf(`Bot ${token}`);
    const error = status === 200 ? null : { message: echo };
    const body = JSON.stringify({ error, message: { id: 'm', echo, spelled }, transfer_id: echo });
    const headers = { 'X-Request-Id': echo, 'X-Echo': spelled.join() };
    const ran = await meets(kind, status, body, ['--json', '--verbose'], headers);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toContain('[token]');
    const files = readdirSync(operator.home.path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    expect(files.length).toBeGreaterThan(0);
    for (const text of [ran.stdout, ran.stderr, ...files])
      for (const one of spellingsOf(token)) expect(text).not.toContain(one.slice(8, -4));
  },
);

describe('text that a terminal would obey, in every field', () => {
  const evil = 'a\u001b[31mb\u001b]8;;http://x\u0007c\u202ed\u200be\u0000f\u009b2Jg\r\n::notice::h\u2066i';

  test.each([[], ['--json'], ['--quiet'], ['--verbose']])('of a message %j', async (...flags) => {
    const body = JSON.stringify({
      message: { id: evil, [evil]: evil, author: { name: evil } },
      request_id: evil,
      [evil]: evil,
    });
    const ended = await meets('message', 200, body, flags);
    expect(ended.code).toBe(0);
    expect(Buffer.from((await stored(ended.key)) ?? []).toString()).toBe(body);
    if (flags[0] === '--json') {
      // Escaped on the way, and nothing lost: what a script parses is what the service said.
      expect(said(ended)).toMatchObject({
        message: { id: evil, [evil]: evil },
        request_id: evil.replace('\0', '\ufffd'),
      });
    }
  });

  test.each([[], ['--json'], ['--quiet'], ['--verbose']])('of a transfer %j', async (...flags) => {
    const own = `${evil}${flags.join()}`;
    const body = JSON.stringify({
      transfer_id: own,
      status: evil,
      signature: own,
      [evil]: evil,
      request_id: evil,
    });
    const ended = await meets('transfer', 200, body, flags);
    expect(ended.code).toBe(0);
    if (flags[0] === '--json')
      expect(said(ended).transfer).toMatchObject({ transfer_id: own, signature: own });
  });

  test.each([[], ['--json'], ['--quiet'], ['--verbose']])('of a refusal %j', async (...flags) => {
    const bodies = [
      { error: { code: evil, message: evil, detail: evil }, request_id: evil },
      { code: evil, message: evil },
      { error: evil },
    ];
    for (const body of bodies)
      expect((await meets('message', 400, JSON.stringify(body), flags)).code).toBe(2);
    expect((await meets('transfer', 402, evil, flags)).code).toBe(5);
  });

  test('of the history of all that', async () => {
    for (const flags of [[], ['--json'], ['--limit', '100', '--verbose']]) {
      const ended = await operator.run(['history', ...flags]);
      expect(ended.code).toBe(0);
      expect(ended.stdout).not.toMatch(unsafe);
    }
    const journal = openJournal(operator.journal);
    const ids = (await allOf(journal.reads.select({ limit: 8 }))).map(({ id }) => id);
    await journal.close();
    for (const id of ids) expect((await operator.run(['history', id])).stdout).not.toMatch(unsafe);
  });
});
