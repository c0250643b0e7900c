// What a policy may say, and where it says something else.
import { describe, expect, test } from 'vitest';
import { unitsOf } from '../../src/once/entry/amount.ts';
import type { Failure } from '../../src/once/failures.ts';
import { readPolicy } from '../../src/policy/readPolicy.ts';
import { failureOf } from '../support/failure.ts';

const ada = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const bob = '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z';

const textOf = (written: object): string =>
  JSON.stringify({ schema: 'botctl-policy/1', limits: {}, ...written });

const refusal = (text: string): Promise<Failure> => failureOf(() => readPolicy(text, 'p.json'));

test('all that it says is read', () => {
  expect(
    readPolicy(
      textOf({
        limits: { SOL: { transfer: '5', day: '20' }, USDC: { day: '0.5' }, EURC: {} },
        recipients: { ada, bob },
        only_recipients: true,
        approve_above: { SOL: '1', usdc: '2' },
      }),
      'p.json',
    ),
  ).toEqual({
    source: 'p.json',
    limits: new Map([
      [
        'SOL',
        {
          transfer: unitsOf('5'),
          day: unitsOf('20'),
          approveAbove: unitsOf('1'),
        },
      ],
      ['USDC', { day: unitsOf('0.5'), approveAbove: unitsOf('2') }],
      ['EURC', {}],
    ]),
    recipients: new Map([
      ['ada', ada],
      ['bob', bob],
    ]),
    onlyRecipients: true,
  });
});

test('its $schema is for an editor, and changes nothing', () => {
  expect(readPolicy(textOf({ $schema: 'botctl-policy-1.schema.json' }), 'p.json')).toEqual(
    readPolicy(textOf({}), 'p.json'),
  );
});

test('what it leaves out limits nothing', () => {
  expect(readPolicy(textOf({}), 'p.json')).toEqual({
    source: 'p.json',
    limits: new Map(),
    recipients: new Map(),
    onlyRecipients: false,
  });
});

const bad = ['0', '-1', '1.', '01', '1e3', ' 1', '0.0000000001', ''];

describe('is refused, and the field is named', () => {
  test.each<[string, object, string]>([
    ['another schema', { schema: 'botctl' }, 'schema is not "botctl-policy/1"'],
    ['a newer schema', { schema: 'botctl-policy/2' }, 'schema is not "botctl-policy/1"'],
    ['a schema like a newer one', { schema: 'x/botctl-policy/2' }, 'schema is not'],
    ['a key that is not known', { limit: {} }, 'limit is not known (the fields are schema, limits'],
    ['a key in the place of a missing one', { limits: undefined, limit: {} }, 'limit is not known'],
    ['no limits', { limits: undefined }, 'limits is missing'],
    ['limits that are none', { limits: [] }, 'limits is not an object'],
    ['limits of an asset that are none', { limits: { SOL: '5' } }, 'limits.SOL is not an object'],
    [
      'a limit that is not known',
      { limits: { SOL: { hour: '1' } } },
      'limits.SOL.hour is not known (the fields are transfer and day',
    ],
    [
      'a limit as a number',
      { limits: { SOL: { day: 5 } } },
      'limits.SOL.day is not a string in double quotes',
    ],
    ['recipients in a list', { recipients: [ada] }, 'recipients is not an object'],
    ['a yes as text', { only_recipients: 'yes' }, 'only_recipients is not true or false'],
    ['a limit above as a number', { approve_above: { SOL: 1 } }, 'approve_above.SOL is not a string'],
    ['a second spelling of SOL', { limits: { SOL: {}, sol: {} } }, 'limits.sol is SOL in another spelling'],
    [
      'an asset twice',
      { limits: { usdc: {}, EURC: {}, USDC: {} } },
      'limits.USDC is usdc in another spelling',
    ],
    [
      'an asset twice above',
      { approve_above: { SOL: '1', Sol: '1' } },
      'approve_above.Sol is SOL in another',
    ],
    ['a limit above of what has no limits', { approve_above: { USDC: '1' } }, 'has no line in limits'],
    ['an asset without a name', { limits: { '': {} } }, 'is not an asset'],
    ['an asset with a blank at its end', { limits: { 'USDC ': {} } }, 'is not an asset'],
    ['an asset with what is invisible', { limits: { 'US\u200bDC': {} } }, 'is not an asset'],
    ['an asset with an invisible letter', { limits: { 'USDC\u3164': {} } }, 'is not an asset'],
    ['more decimals than sol has', { limits: { sol: { day: '0.0000000001' } } }, 'has 10 decimals'],
    ['an asset with a control character', { limits: { 'US\u0007DC': {} } }, 'is not an asset'],
    ['a recipient whose name is none', { recipients: { ada, '@bob': bob } }, 'recipients.@bob is not a name'],
    [
      'a recipient whose address is none',
      { recipients: { ada, bob: 'bob' } },
      'recipients.bob is 3 bytes long (it must be a wallet address)',
    ],
  ])('%s', async (_what, written, says) => {
    const failure = await refusal(textOf(written));
    expect(failure.code).toBe('policy-damaged');
    expect(failure.message).toContain(says);
  });

  test.each(bad)('an amount of %j, in whichever limit of whichever asset it stands', async (amount) => {
    const good = { transfer: '1', day: '1' };
    for (const limit of Object.keys(good))
      for (const asset of ['SOL', 'USDC']) {
        const written = { limits: { SOL: good, USDC: good, [asset]: { ...good, [limit]: amount } } };
        if (asset === 'USDC' && amount === '0.0000000001') continue;
        expect((await refusal(textOf(written))).message).toContain(`limits.${asset}.${limit} `);
      }
    for (const asset of ['SOL', 'USDC']) {
      if (asset === 'USDC' && amount === '0.0000000001') continue;
      const above = { SOL: '1', USDC: '1', [asset]: amount };
      expect(
        (await refusal(textOf({ limits: { SOL: {}, USDC: {} }, approve_above: above }))).message,
      ).toContain(`approve_above.${asset} `);
    }
  });

  test('what is no JSON, or no object', async () => {
    expect((await refusal('{')).message).toMatch(/line 1, column 2: /u);
    expect((await refusal('[]')).message).toContain('column 1: is not an object');
    expect((await refusal('null')).message).toContain('column 1: is not an object');
  });

  test('with its line and column', async () => {
    const text = '{\n  "schema": "botctl-policy/1",\n  "limits": {\n    "SOL": { "day": "0" }\n  }\n}';
    expect((await refusal(text)).message).toContain('line 4, column');
  });
});
