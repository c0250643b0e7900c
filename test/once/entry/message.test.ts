import { describe, expect, test } from 'vitest';
import { parseMessage } from '../../../src/once/entry/message.ts';
import { failureOf } from '../../support/failure.ts';

const plain = { conversation_id: 'conv_1', content: 'Hello' };
const yes = { type: 'button', label: 'Yes', custom_id: 'yes' };
const no = { type: 'button', label: 'No', custom_id: 'no' };

function row(...components: unknown[]) {
  return { type: 'action_row', components };
}

async function refusalOf(fields: unknown): Promise<string> {
  const failure = await failureOf(() => parseMessage(fields));
  expect(failure.code).toBe('bad-input');
  expect(failure.message).toMatch(/^The message is not valid: .*\.$/su);
  return failure.message;
}

describe('content is 1 to 5000 characters, counted as code points', () => {
  test.each([
    ['one character', 'x'],
    ['5000 characters', 'x'.repeat(5000)],
    ['5000 characters of two UTF-16 units each', '😀'.repeat(5000)],
    ['a blank', ' '],
  ])('%s are taken', (_what, content) => {
    expect(parseMessage({ ...plain, content }).wanted.request.content).toBe(content);
  });

  test.each([
    ['', 'content is empty'],
    ['x'.repeat(5001), 'content has 5001'],
    ['😀'.repeat(5001), 'content is far too long'],
    ['e\u0301'.repeat(2501), 'content has 5002'],
    ['x'.repeat(1_000_000), 'content is far too long'],
    ['half \ud83d', 'content has half a surrogate pair'],
    ['\ude00 half', 'content has half a surrogate pair'],
    ['\ude00\ud83d', 'content has half a surrogate pair'],
  ])('what is outside is refused: %#', async (content, problem) => {
    const words = await refusalOf({ ...plain, content });
    expect(words).toContain(problem);
    expect(words.length).toBeLessThan(300);
  });
});

describe('fields of a message', () => {
  test.each([
    ['no conversation', { content: 'x' }, 'conversation_id is missing'],
    ['an empty conversation', { ...plain, conversation_id: '' }, 'conversation_id is empty'],
    ['no content', { conversation_id: 'c' }, 'content is missing'],
    [
      'content that is a number',
      { ...plain, content: 5 },
      'content is not a string (it must be a string, in double',
    ],
    ['content that is null', { ...plain, content: null }, 'content is not a string'],
    ['an unknown field', { ...plain, colour: 'red' }, 'colour is not known'],
    ['a field named like a property of every object', { ...plain, toString: 'x' }, 'toString is not known'],
    [
      '__proto__',
      JSON.parse('{"conversation_id":"c","content":"x","__proto__":{}}'),
      '__proto__ is not known',
    ],
    ['components that are no list', { ...plain, components: {} }, 'components is not a list'],
    ['half a pair in a reply', { ...plain, reply_to_message_id: '\ud83d' }, 'reply_to_message_id has half'],
    ['a list instead of an object', [], 'the request is not an object'],
    ['nothing', undefined, 'the request is missing'],
  ])('%s is refused', async (_what, fields, problem) => {
    expect(await refusalOf(fields)).toContain(problem);
  });

  test('everything wrong is said at once', async () => {
    const words = await refusalOf({ content: '', colour: 1, components: [row()] });
    for (const problem of ['conversation_id', 'content', 'colour', 'components[0].components']) {
      expect(words).toContain(problem);
    }
  });

  test('the idempotency key of a payload is kept apart from the request', () => {
    const { wanted, payloadKey } = parseMessage({ ...plain, idempotency_key: 'k' });
    expect(payloadKey).toBe('k');
    expect(wanted.request).toEqual(plain);
  });
});

describe('components', () => {
  test('rows of buttons come through as they are, without a warning', () => {
    const components = [
      row({ ...yes, style: 'success' }, { ...no, style: 'danger' }, { ...no, custom_id: 'maybe' }),
    ];
    const { wanted } = parseMessage({ ...plain, components });
    expect(wanted).toEqual({ kind: 'message', request: { ...plain, components } });
  });

  test.each([
    [
      'a button without a label',
      [row({ ...yes, label: undefined })],
      'components[0].components[0].label is missing',
    ],
    ['an empty label', [row({ ...yes, label: '' })], 'components[0].components[0].label is empty'],
    [
      'a button without custom_id',
      [row(no, { type: 'button', label: 'x' })],
      'components[0].components[1].custom_id is missing',
    ],
    [
      'an empty custom_id',
      [row({ ...yes, custom_id: '' })],
      'components[0].components[0].custom_id is empty',
    ],
    ['an empty style', [row({ ...yes, style: '' })], 'components[0].components[0].style is empty'],
    [
      'an unknown field of a button',
      [row({ ...yes, url: 'x' })],
      'components[0].components[0].url is not known',
    ],
    ['an unknown field of a row', [{ ...row(yes), id: 1 }], 'components[0].id is not known'],
    ['a row without components', [{ type: 'action_row' }], 'components[0].components is missing'],
    ['an empty row', [row(yes), row()], 'components[1].components is empty'],
    ['a component without a type', [{ label: 'x' }], 'components[0].type is missing'],
    ['a component that is a text', ['x'], 'components[0] is not an object'],
    ['a component that is null', [null], 'components[0] is not an object'],
    [
      'half a pair in a label',
      [row({ ...yes, label: '\ud83d' })],
      'components[0].components[0].label has half',
    ],
    [
      'a fault two rows deep',
      [row(row({ type: 'button' }))],
      'components[0].components[0].components[0].label is missing',
    ],
  ])('%s is refused', async (_what, components, problem) => {
    expect(await refusalOf({ ...plain, components })).toContain(problem);
  });

  test.each([
    ['in one row', [row(yes, yes)]],
    ['across rows', [row(yes), row(no, yes)]],
    ['outside of rows', [row(yes), yes]],
  ])('a custom_id used twice %s is refused, once', async (_where, components) => {
    const words = await refusalOf({ ...plain, components });
    expect(words.match(/use the custom_id "yes" twice/gu)).toHaveLength(1);
  });

  test('types that the document does not show pass as they are', () => {
    const select = { type: 'select', options: [], placeholder: '', nested: { b: [1, null], a: false } };
    const components = [select, row(yes, { type: 'link', url: 'https://example.com' })];
    expect(parseMessage({ ...plain, components }).wanted.request.components).toEqual(components);
  });
});
