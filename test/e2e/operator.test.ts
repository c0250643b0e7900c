import { hostname, userInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Desk, payAda, type Said, sendHello } from '../helpers/desk.ts';
import { noTerminal, onTerminal } from '../helpers/terminal.ts';
import { message, posted, Workshop } from '../helpers/workshop.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await Desk.open();
});
afterEach(() => desk.close());

type Line = Said & { attempts?: unknown[]; decisions?: Record<string, unknown>[] };

async function list(...argv: string[]): Promise<Line[]> {
  const { stdout } = await desk.run(['history', '--json', ...argv]);
  return stdout.trimEnd() === ''
    ? []
    : stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
}

/** An intent of each state that an operator may find. */
async function mess(): Promise<{
  unknown: string;
  held: string;
  open: string;
  rejected: string;
  accepted: string;
}> {
  const ids: Record<string, string> = {};
  const make = async (state: string, argv: readonly string[]): Promise<void> => {
    const { intent, outcome } = await desk.json(argv);
    expect(outcome).toBe(state);
    ids[state] = intent?.id ?? '';
  };
  const { faults } = desk.sandbox;
  await faults({ kind: 'drop', when: 'before', operation: 'transfer' });
  await make('unknown', payAda);
  await faults({ kind: 'reply', status: 200, body: 'OK', when: 'after', operation: 'message' });
  await make('held', sendHello);
  await faults({ kind: 'reply', status: 429, operation: 'message', headers: { 'Retry-After': '60' } });
  await make('open', ['send', '--conversation', 'conv_demo', '--content', 'limited']);
  await make('rejected', ['send', '--conversation', 'conv_none', '--content', 'nowhere']);
  await make('accepted', ['send', '--conversation', 'conv_demo', '--content', 'there']);
  return ids as Awaited<ReturnType<typeof mess>>;
}

describe('history', () => {
  test('lists newest first, by state, by kind, and tells one whole', async () => {
    const ids = await mess();
    const all = await list();
    expect(all.map(({ intent }) => intent?.id)).toEqual([
      ids.accepted,
      ids.rejected,
      ids.open,
      ids.held,
      ids.unknown,
    ]);
    expect((await list('--state', 'held')).map(({ intent }) => intent?.id)).toEqual([ids.held]);
    expect((await list('--kind', 'transfer')).map(({ intent }) => intent?.id)).toEqual([ids.unknown]);
    expect(await list('--limit', '2')).toHaveLength(2);
    const [whole] = await list(ids.unknown);
    expect(whole).toMatchObject({ outcome: 'unknown', intent: { id: ids.unknown } });
    expect(JSON.stringify(whole)).toMatch(/"verdict":"unknown"/u);
    const human = await desk.run(['history', ids.held.slice(0, 4)]);
    expect(human.code).toBe(0);
    expect(human.stdout).toContain(ids.held);
  });

  test('refuses what it does not know', async () => {
    for (const argv of [
      ['--state', 'lost'],
      ['--kind', 'x'],
      ['--since', 'ever'],
      ['--limit', '0'],
    ]) {
      expect((await desk.run(['history', ...argv])).code).toBe(2);
    }
    await desk.run(sendHello);
    expect((await desk.run(['history', 'zzzz'])).code).toBe(2);
    expect((await desk.run(['history', 'ab'])).code).toBe(2);
  });
});

describe('resume', () => {
  test('--all takes what is unknown, leaves what is open and held, and tells of each', async () => {
    const ids = await mess();
    const ended = await desk.run(['resume', '--all', '--json']);
    expect(ended.code).toBe(0);
    expect(
      ended.stdout
        .trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Said).intent?.id),
    ).toEqual([ids.unknown]);
    expect((await list('--state', 'open')).map(({ intent }) => intent?.id)).toEqual([ids.open]);
    expect((await list('--state', 'held')).map(({ intent }) => intent?.id)).toEqual([ids.held]);
    expect(await desk.sandbox.ledger({ kind: 'transfer' })).toHaveLength(1);
    const none = await desk.run(['resume', '--all']);
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(none.stderr).toMatch(/nothing to resume/u);
  });

  test('--all --held takes the held too, with the same key, once a person says so', async () => {
    const ids = await mess();
    const unasked = await desk.run(['resume', '--all', '--held', '--json']);
    expect(unasked.code).toBe(11);
    expect((await list('--state', 'held')).map(({ intent }) => intent?.id)).toEqual([ids.held]);
    const ended = await desk.run(['resume', '--all', '--held', '--yes', '--json']);
    expect(ended.code).toBe(0);
    const [held] = await list(ids.held);
    // Its first request did it: the service knows the key.
    expect(held).toMatchObject({ outcome: 'accepted', duplicate: true });
    expect(await desk.sandbox.ledger({ key: held?.intent?.key ?? '' })).toHaveLength(1);
  });

  test.skipIf(noTerminal !== '')(`of a held one shows what it is before it asks${noTerminal}`, async () => {
    const { faults } = desk.sandbox;
    await faults({ kind: 'reply', status: 200, body: 'OK', when: 'after' });
    await faults({ kind: 'reply', status: 200, body: 'OK', when: 'after' });
    const seen: string[] = [];
    for (const words of [payAda, sendHello]) {
      const { intent } = await desk.json(words);
      const { shown } = await onTerminal(['resume', intent?.id ?? ''], [['[y/N] ', 'n\r']], desk.env);
      seen.push(shown.slice(0, shown.indexOf('[y/N]')));
      for (const value of Object.values(intent?.request ?? {})) expect(seen.at(-1)).toContain(value);
    }
    expect(
      seen
        .join('')
        .split('\r\n')
        .filter((line) => line.length > 80),
    ).toEqual([]);
  });

  test('of a held one needs its ID and a yes, and keeps who gave it', async () => {
    const ids = await mess();
    const refused = await desk.json(['resume', ids.held]);
    expect(refused).toMatchObject({ exit: 10, outcome: 'held', error: { code: 'held', retry: 'decide' } });
    expect(await desk.json(['resume', ids.held, '--yes'])).toMatchObject({ exit: 0, outcome: 'accepted' });
    const [whole] = await list(ids.held);
    expect(JSON.stringify(whole)).toContain('send-again');
    expect(JSON.stringify(whole)).toContain(`${userInfo().username}@${hostname()}`);
  });

  test('of an open one by its ID does it', async () => {
    const ids = await mess();
    expect(await desk.json(['resume', ids.open])).toMatchObject({ exit: 0, outcome: 'accepted' });
  });

  test('of what is over says so, and sends nothing', async () => {
    const ids = await mess();
    const before = desk.sandbox.lines.length;
    expect(await desk.json(['resume', ids.accepted])).toMatchObject({
      exit: 0,
      replayed: true,
      outcome: 'accepted',
    });
    expect(await desk.json(['resume', ids.rejected])).toMatchObject({ exit: 4, outcome: 'rejected' });
    await desk.run(['resolve', ids.unknown, '--did-not-happen', '--reason', 'looked']);
    const undone = await desk.run(['resume', ids.unknown]);
    expect(undone.code).toBe(2);
    expect(undone.stderr).not.toMatch(/it was done/u);
    expect(desk.sandbox.lines.length).toBe(before);
  });

  test('that is interrupted lets the flight land, leaves the rest, and is not all done', async () => {
    for (const amount of ['0.01', '0.02']) {
      await desk.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
      expect((await desk.run([...payAda.slice(0, 6), amount])).code).toBe(9);
    }
    await desk.sandbox.faults({ kind: 'stall', when: 'after', ms: 500 });
    const { child, ended } = desk.start(['resume', '--all', '--json']);
    await desk.effects(1);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Said);
    expect(code).toBe(11);
    expect(lines.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['accepted', undefined],
      ['unknown', 'interrupted'],
    ]);
    expect(await desk.sandbox.ledger()).toHaveLength(1);
  });

  test('says where the profile is gone or has moved, leaves the intent, and goes on to the next', async () => {
    const { tokens, baseUrl } = desk.sandbox;
    const profile = (name: string, url = baseUrl) => ({
      'base-url': url,
      token: { kind: 'env', variable: `TOKEN_${name}` },
    });
    const config = (profiles: Record<string, unknown>) => desk.home.writeConfig({ version: 1, profiles });
    const env = {
      BOTCTL_TOKEN: '',
      BOTCTL_BASE_URL: '',
      TOKEN_gone: tokens.full,
      TOKEN_moved: tokens.full,
      TOKEN_stays: tokens.full,
    };
    const { BOTCTL_TOKEN: _token, BOTCTL_BASE_URL: _url, ...bare } = desk.env;
    const asProfile = { ...bare, ...env };
    Reflect.deleteProperty(asProfile, 'BOTCTL_TOKEN');
    Reflect.deleteProperty(asProfile, 'BOTCTL_BASE_URL');
    const { botctl } = await import('../helpers/botctl.ts');
    const run = (argv: readonly string[]) =>
      botctl([...argv, '--json', '--retries', '0'], { env: asProfile });
    config({ gone: profile('gone'), moved: profile('moved'), stays: profile('stays') });
    const amounts = { gone: '0.01', moved: '0.02', stays: '0.03' };
    for (const [name, amount] of Object.entries(amounts)) {
      await desk.sandbox.faults({ kind: 'drop', when: 'before', operation: 'transfer' });
      expect((await run([...payAda.slice(0, 6), amount, '--profile', name])).code).toBe(9);
    }
    config({ moved: profile('moved', 'https://elsewhere.example'), stays: profile('stays') });
    const ended = await run(['resume', '--all']);
    expect(ended.code).toBe(11);
    const lines = ended.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Said);
    expect(lines.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['unknown', 'no-such-profile'],
      ['unknown', 'bot-moved'],
      ['accepted', undefined],
    ]);
    expect(await desk.sandbox.ledger()).toHaveLength(1);
    const one = await run(['resume', lines[0]?.intent?.id ?? '']);
    // What may have happened exits 9, whatever else is wrong.
    expect(one.code).toBe(9);
  });
});

describe('resolve', () => {
  test('keeps who, when and why, and the same command replays it', async () => {
    const ids = await mess();
    const before = Date.now();
    const ended = await desk.json([
      'resolve',
      ids.unknown,
      '--happened',
      '--signature',
      'sig-by-hand',
      '--reason',
      'seen on the chain',
    ]);
    expect(ended).toMatchObject({ exit: 0, outcome: 'resolved', transfer: { signature: 'sig-by-hand' } });
    const [whole] = await list(ids.unknown);
    const text = JSON.stringify(whole);
    for (const part of ['seen on the chain', `${userInfo().username}@${hostname()}`, 'sig-by-hand'])
      expect(text).toContain(part);
    const at = /"(\d{4}-[^"]+Z)"[^{}]*"reason"|"reason"[^{}]*"(\d{4}-[^"]+Z)"/u.exec(text);
    expect(Date.parse(at?.[1] ?? at?.[2] ?? '')).toBeGreaterThanOrEqual(before - 1000);
    const again = await desk.run([...payAda, '--quiet']);
    expect(again).toMatchObject({ code: 0, stdout: 'sig-by-hand\n' });
    expect(await desk.sandbox.ledger({ kind: 'transfer' })).toEqual([]);
  });

  test('as did-not-happen lets the same command do it with a new key', async () => {
    const ids = await mess();
    const [old] = await list(ids.unknown);
    await desk.run(['resolve', ids.unknown, '--did-not-happen', '--reason', 'not on the chain']);
    const done = await desk.json(payAda);
    expect(done).toMatchObject({ exit: 0, outcome: 'accepted', replayed: false });
    expect(done.intent?.key).not.toBe(old?.intent?.key);
  });

  test('needs one decision and a reason, and decides nothing that is proven', async () => {
    const ids = await mess();
    const wrong = [
      ['--happened'],
      ['--reason', 'x'],
      ['--happened', '--did-not-happen', '--reason', 'x'],
      ['--happened', '--reason', '  '],
      ['--did-not-happen', '--signature', 's', '--reason', 'x'],
    ];
    for (const argv of wrong) expect((await desk.run(['resolve', ids.unknown, ...argv])).code).toBe(2);
    for (const id of [ids.accepted, ids.rejected]) {
      expect(await desk.json(['resolve', id, '--did-not-happen', '--reason', 'x'])).toMatchObject({
        exit: 2,
        error: { code: 'not-allowed-now' },
      });
    }
    expect((await list(ids.unknown))[0]?.outcome).toBe('unknown');
  });

  test('is refused while a process lives that is sending it', async () => {
    await desk.sandbox.faults({ kind: 'stall', when: 'after', ms: null });
    const { child, ended } = desk.start(payAda);
    await desk.effects(1);
    const [sending] = await list();
    expect(sending?.outcome).toBe('sending');
    const argv = ['resolve', sending?.intent?.id ?? '', '--did-not-happen', '--reason', 'impatient'];
    expect(await desk.json(argv)).toMatchObject({ exit: 2, error: { code: 'not-allowed-now' } });
    child.kill('SIGKILL');
    await ended;
    expect(await desk.json([...argv.slice(0, 2), '--happened', '--reason', 'seen'])).toMatchObject({
      exit: 0,
      outcome: 'resolved',
    });
  });
});

describe('--dry-run of what was done before its window', () => {
  test('shows a new key to come, and not the old one', async () => {
    const shop = new Workshop();
    try {
      shop.clock.nowMs = Date.now() - 180_000;
      const ended = await shop.run(message(), [posted], { bot: 'env', token: 'token-1' });
      if (ended.is !== 'concluded') throw new Error(ended.is);
      shop.report(ended.intent.id);
      const dry = await desk.json(
        ['send', '--conversation', 'conv_1', '--content', 'Hello', '--dry-run', '--journal', shop.path],
        {
          env: { BOTCTL_TOKEN: 'token-1', BOTCTL_BASE_URL: 'https://bots.example' },
        },
      );
      expect(dry).toMatchObject({ rerun: 'new-after-done', found: ended.intent.id });
      expect(dry.intent?.key).toBeUndefined();
      expect(JSON.stringify(dry)).not.toContain(ended.intent.key);
    } finally {
      shop.remove();
    }
  });
});
