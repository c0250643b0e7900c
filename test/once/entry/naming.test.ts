import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  identityFor,
  isNamed,
  keyFor,
  type Naming,
  type NamingChoice,
  nameOf,
  namingFrom,
  type Scope,
} from '../../../src/once/entry/naming.ts';
import { failureOf } from '../../support/failure.ts';

const nothing: NamingChoice = {
  once: undefined,
  key: undefined,
  payloadKey: undefined,
  runFromEnv: undefined,
};

const chosen = (choice: Partial<NamingChoice>): Naming => namingFrom({ ...nothing, ...choice });

describe('which naming counts', () => {
  test.each<[string, Partial<NamingChoice>, Naming]>([
    ['nothing', {}, { by: 'nothing' }],
    ['--once', { once: 'a' }, { by: 'once', name: 'a' }],
    ['--idempotency-key', { key: 'a' }, { by: 'key', key: 'a' }],
    ['a payload’s key', { payloadKey: 'a' }, { by: 'key', key: 'a' }],
    ['--idempotency-key before a payload’s', { key: 'a', payloadKey: 'b' }, { by: 'key', key: 'a' }],
    ['BOTCTL_RUN', { runFromEnv: 'a' }, { by: 'run', name: 'a' }],
    ['--once before BOTCTL_RUN', { once: 'a', runFromEnv: 'b' }, { by: 'once', name: 'a' }],
    ['--idempotency-key before BOTCTL_RUN', { key: 'a', runFromEnv: 'b' }, { by: 'key', key: 'a' }],
    ['a payload’s key before BOTCTL_RUN', { payloadKey: 'a', runFromEnv: 'b' }, { by: 'key', key: 'a' }],
    ['a name of 512 bytes', { once: 'x'.repeat(512) }, { by: 'once', name: 'x'.repeat(512) }],
    ['a plain blank within a name', { once: 'a b' }, { by: 'once', name: 'a b' }],
    ['a name in another script', { once: 'février – 二月' }, { by: 'once', name: 'février – 二月' }],
  ])('%s', (_what, choice, naming) => {
    expect(chosen(choice)).toEqual(naming);
  });

  test.each<[string, Partial<NamingChoice>, string]>([
    ['--once and --idempotency-key', { once: 'a', key: 'b' }, '--once and --idempotency-key are given'],
    [
      '--once and a payload’s key',
      { once: 'a', payloadKey: 'b' },
      '--once and the payload’s idempotency_key are given',
    ],
    ['an empty --once', { once: '' }, '--once is empty'],
    ['a blank --once', { once: ' \t' }, '--once is empty'],
    ['an empty --idempotency-key', { key: '' }, '--idempotency-key is empty'],
    ['an empty key of a payload', { payloadKey: '' }, 'the payload’s idempotency_key is empty'],
    ['an empty BOTCTL_RUN', { runFromEnv: '' }, 'BOTCTL_RUN is empty'],
    ['a name with a newline', { once: 'a\n' }, '--once has U+000A, which is invisible (character 2)'],
    ['a key that differs by a joiner', { key: 'k\u200d1' }, '--idempotency-key has U+200D'],
    ['a payload’s key', { payloadKey: '\ufeffk' }, 'the payload’s idempotency_key has U+FEFF'],
    ['BOTCTL_RUN with a blank at its end', { runFromEnv: 'a ' }, 'BOTCTL_RUN starts or ends with a space'],
    ['a name of 513 bytes', { once: 'x'.repeat(513) }, '--once is longer than 512 bytes'],
  ])('%s is refused', async (_what, choice, problem) => {
    const failure = await failureOf(() => chosen(choice));
    expect(failure.code).toBe('usage');
    expect(failure.message).toContain(problem);
  });

  test('the name that is kept and shown', () => {
    expect([isNamed({ by: 'nothing' }), isNamed({ by: 'key', key: 'k' })]).toEqual([false, true]);
    expect(nameOf({ by: 'nothing' })).toBeUndefined();
    expect(nameOf({ by: 'key', key: 'k' })).toBe('k');
    expect(nameOf({ by: 'row', name: 'n', row: '1' })).toBe('n');
  });
});

const scope: Scope = { baseUrl: 'https://bots.example.com', kind: 'transfer' };
const body = '{"amount":"1.5","asset":"SOL","to_address":"9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"}';
const noChance = (): string => {
  throw new Error('a derived key is not random');
};

const keyOf = (naming: Naming, where = scope, canonical = body): string =>
  keyFor(naming, where, canonical, noChance);

describe('derived keys, written down: another release that changes one of them would send twice', () => {
  test.each<[Naming, Scope, string, string]>([
    [{ by: 'once', name: 'payday-2026-11' }, scope, body, '29995b72-660d-48c9-a8cc-d22ec2dfba04'],
    [{ by: 'run', name: 'payday-2026-11' }, scope, body, '6f09808d-f6b7-45df-9bd3-1d56d1ddcc48'],
    [{ by: 'row', name: 'payday-2026-11', row: '7' }, scope, body, '037b0b33-9c3f-40ed-a3c6-9b0c3914a06f'],
    [
      { by: 'once', name: 'payday-2026-11' },
      { ...scope, kind: 'message' },
      body,
      'ec8ae354-9079-4d69-b9e5-a91a982a6601',
    ],
    [
      { by: 'once', name: 'payday-2026-11' },
      { ...scope, baseUrl: 'sandbox' },
      body,
      'a086efc2-19ba-45e4-a326-c1b27f0c7084',
    ],
    [{ by: 'once', name: 'früh 😀' }, scope, body, 'ce33f5e7-96ca-4f13-be03-5e2a6244607c'],
    [
      { by: 'run', name: '42' },
      { ...scope, kind: 'message' },
      '{"content":"é","conversation_id":"c"}',
      'bc57dfd5-303a-4407-92b5-612268ec7f10',
    ],
  ])('%j', (naming, where, canonical, key) => {
    expect(keyOf(naming, where, canonical)).toBe(key);
  });

  test('and identities: another release that changes one would not know what it did', () => {
    const identity = (naming: Naming) =>
      identityFor(naming, scope, { bot: 'payer', tokenHash: undefined }, body);
    expect({
      nothing: identity({ by: 'nothing' }),
      once: identity({ by: 'once', name: 'n' }),
      run: identity({ by: 'run', name: 'n' }),
      key: identity({ by: 'key', key: 'n' }),
      row: identity({ by: 'row', name: 'n', row: '1' }),
    }).toEqual({
      nothing: 'fcbf0f5c3632f1653985c0a533a454fc54512c4711956aefd7d83b99081aa581',
      once: '2eac3d75ba46c2c7844465d8bcd253a1f8392c7c91d282ac7f766b29f0d608c6',
      run: 'ef8c3fc85a2635414cc67b4db9a648b58ae8fa870a56f19116783df0c3e621a2',
      key: 'b4b9c994ee213ecc316540fd802a151ace236578540b53d2b4ebabb4801d4acb',
      row: 'b9c45140b1f4ac320d780d4543f6426ec51b7e060da429cd7a721768f19aeebb',
    });
  });
});

const name = fc.string({ minLength: 1, maxLength: 40 });
const derived = fc.oneof(
  fc.record({ by: fc.constant('once' as const), name }),
  fc.record({ by: fc.constant('run' as const), name }),
  fc.record({ by: fc.constant('row' as const), name, row: name }),
);

describe('a key that is not derived', () => {
  test('is random for an unnamed entry, and as given for --idempotency-key', () => {
    expect(keyFor({ by: 'nothing' }, scope, body, () => 'random')).toBe('random');
    expect(keyOf({ by: 'key', key: 'Mine / as it is' })).toBe('Mine / as it is');
  });
});

describe('an identity', () => {
  const env = (tokenHash: string) => ({ bot: 'env', tokenHash });
  const profile = (bot: string) => ({ bot, tokenHash: undefined });

  test('of a named entry never depends on who speaks', () => {
    fc.assert(
      fc.property(derived, name, name, (naming, bot, tokenHash) => {
        expect(identityFor(naming, scope, { bot, tokenHash }, body)).toBe(
          identityFor(naming, scope, profile('other'), body),
        );
      }),
    );
  });

  test('of an unnamed one is the bot’s own, and for env the token’s own', () => {
    const identities = [profile('a'), profile('b'), env('1'), env('2'), profile('env')].map((bot) =>
      identityFor({ by: 'nothing' }, scope, bot, body),
    );
    expect(new Set(identities).size).toBe(5);
  });
});
