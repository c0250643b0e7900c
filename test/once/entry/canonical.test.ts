import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bodyBytes,
  canonicalBody,
  digestOf,
  type Fields,
  fingerprint,
  isWhole,
  type Json,
} from '../../../src/once/entry/wanted.ts';

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

describe('the canonical body', () => {
  test.each<[string, Fields, string]>([
    ['sorts its keys', { b: '1', a: '2' }, '{"a":"2","b":"1"}'],
    ['sorts nested keys', { a: [{ d: 1, c: { f: 1, e: 2 } }] }, '{"a":[{"c":{"e":2,"f":1},"d":1}]}'],
    ['keeps the order of lists', { a: ['b', 'a'] }, '{"a":["b","a"]}'],
    ['leaves out an empty text', { a: '', b: 'x' }, '{"b":"x"}'],
    ['leaves out an empty list', { a: [], b: 'x' }, '{"b":"x"}'],
    ['keeps false, zero and null', { a: false, b: 0, c: null }, '{"a":false,"b":0,"c":null}'],
    ['writes text as it is', { a: 'é😀"\n' }, '{"a":"é😀\\"\\n"}'],
    [
      'keeps what is empty inside a component that is not known',
      { components: [{ type: 'select', options: [], hint: '' }] },
      '{"components":[{"hint":"","options":[],"type":"select"}]}',
    ],
  ])('%s', (_what, request, spelled) => {
    expect(canonicalBody(request)).toBe(spelled);
  });

  test('keeps a key named __proto__ as a key', () => {
    const request = JSON.parse('{"z":[{"__proto__":{"x":1},"a":2}]}') as Fields;
    expect(canonicalBody(request)).toBe('{"z":[{"__proto__":{"x":1},"a":2}]}');
  });

  test('is one text for every order of the same fields', () => {
    const shuffled = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(shuffled);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, field]) => [name, shuffled(field)]),
      );
    };
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const request = value as Fields;
        expect(canonicalBody(shuffled(request) as Fields)).toBe(canonicalBody(request));
      }),
    );
  });
});

describe('the bytes that travel', () => {
  test('are the canonical body with its key, as UTF-8', () => {
    const request = { content: 'é', conversation_id: 'c', reply_to_message_id: '' };
    expect(asText(bodyBytes(request, 'k'))).toBe(
      '{"content":"é","conversation_id":"c","idempotency_key":"k"}',
    );
  });
});

describe('a body that was kept', () => {
  const request = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => value as Fields);

  test('is whole, whatever the request', () => {
    fc.assert(
      fc.property(request, fc.uuid(), (fields, key) => {
        const { idempotency_key: _key, ...own } = fields;
        expect(isWhole(bodyBytes(own, key), key, fingerprint(canonicalBody(own)))).toBe(true);
      }),
    );
  });

  test('is not, with any one bit flipped', () => {
    const own = { content: 'é and "more"', conversation_id: 'c' };
    const body = bodyBytes(own, 'key-1');
    for (let bit = 0; bit < 8 * body.length; bit += 1) {
      const flipped = Uint8Array.from(body);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isWhole(flipped, 'key-1', fingerprint(canonicalBody(own)))).toBe(false);
    }
  });
});

describe('a digest of fields', () => {
  test('is not the same for the same letters cut elsewhere', () => {
    const digests = [
      digestOf('d', ['ab', 'c']),
      digestOf('d', ['a', 'bc']),
      digestOf('d', ['abc']),
      digestOf('d', ['abc', '']),
      digestOf('d', ['', 'abc']),
      digestOf('d', ['2:ab1:c']),
      digestOf('d', ['1:a', 'bc']),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});
