import { describe, expect, test } from 'vitest';
import type { Flight } from '../../src/wire/flight.ts';
import { withoutToken } from '../../src/wire/withoutToken.ts';

const flightOf = (body: string | Buffer, headers: Record<string, string> = {}): Flight => ({
  came: 'reply',
  status: 200,
  headers,
  body: Buffer.from(body as string),
  ended: 'whole',
});

const bodyOf = (flight: Flight): string =>
  flight.came === 'reply' ? Buffer.from(flight.body).toString('latin1') : '';

describe('a token that the service echoes', () => {
  test('is taken out wherever it stands, and every other byte stays', () => {
    const body = Buffer.concat([
      Buffer.from('\xff secret-token,', 'latin1'),
      Buffer.from('secret-tokensecret-token\0'),
    ]);
    const flight = withoutToken(flightOf(body, { 'x-a': 'Bot secret-token' }), 'secret-token');
    expect(bodyOf(flight)).toBe('\xff [token],[token][token]\0');
    expect(flight).toMatchObject({ headers: { 'x-a': 'Bot [token]' } });
  });

  test.each(['', '1', 'error'])(
    'that is as short as %j is left: taking it out would break the reply',
    (token) => {
      const body = '{"error":1,"transfer_id":"t1"}';
      expect(bodyOf(withoutToken(flightOf(body), token))).toBe(body);
    },
  );

  test('is taken out where JSON spells it otherwise', () => {
    const token = 'se/cr"et\\token';
    const spelled = ['se\\/cr\\"et\\\\token', '\\u0073e\\u002Fcr\\u0022et\\u005ctok\\u0065n'];
    for (const text of spelled) {
      const body = `{"error":"${text} is no token, se/cr neither"}`;
      expect(JSON.parse(body).error).toContain(token);
      expect(bodyOf(withoutToken(flightOf(body), token))).toBe(
        '{"error":"[token] is no token, se/cr neither"}',
      );
    }
  });

  test('is in no reply that never came', () => {
    const flight: Flight = { came: 'nothing', headersSent: true, trouble: 't' };
    expect(withoutToken(flight, 'secret-token')).toBe(flight);
  });
});
