import { describe, expect, test } from 'vitest';
import { differenceFrom, takenBy } from '../../../src/cli/say/intent.ts';
import { bodyBytes, type Fields, type Wanted } from '../../../src/once/intent/wanted.ts';
import type { Intent } from '../../../src/once/journal/journal.ts';

const paid = { to_address: 'ADA', asset: 'SOL', amount: '0.5' };
const said = { conversation_id: 'conv_a', content: 'Hello' };

function found(request: Fields, kind: Wanted['kind'] = 'transfer'): Intent {
  return { id: 'a1b2c3d4e5f6', kind, state: 'accepted', body: bodyBytes(request, 'the-key') } as Intent;
}

function transfer(request: object): Wanted {
  return { kind: 'transfer', request: { ...paid, ...request }, warnings: [] };
}

function message(request: object): Wanted {
  return { kind: 'message', request: { ...said, ...request }, warnings: [] };
}

describe('a name that stands for something else', () => {
  test.each<[string, object, string]>([
    ['amount', { amount: '0.6' }, 'a different amount (it was 0.5 SOL, now 0.6 SOL)'],
    ['asset', { asset: 'USDC' }, 'a different amount (it was 0.5 SOL, now 0.5 USDC)'],
    ['recipient', { to_address: 'BOB' }, 'a different recipient (it was ADA, now BOB)'],
    ['memo', { memo: 'rent' }, 'a different memo (it was none, now "rent")'],
  ])('shows the %s of a transfer, old and new', (_field, request, words) => {
    expect(differenceFrom(found(paid), transfer(request))).toBe(`, with ${words}`);
  });

  test.each<[string, object, string]>([
    ['text', { content: 'Bye' }, 'a different text (it was "Hello", now "Bye")'],
    ['conversation', { conversation_id: 'conv_b' }, 'a different conversation (it was conv_a, now conv_b)'],
    [
      'message to reply to',
      { reply_to_message_id: 'msg_1' },
      'a different message to reply to (it was none, now msg_1)',
    ],
    [
      'buttons',
      { components: [{ type: 'button', label: 'Yes', custom_id: 'y' }] },
      'different buttons (it was none, now [{"type":"button","label":"Yes","custom_id":"y"}])',
    ],
  ])('shows the %s of a message, old and new', (_field, request, words) => {
    expect(differenceFrom(found(said, 'message'), message(request))).toBe(`, with ${words}`);
  });

  test('shows every field that differs, and what has the name', () => {
    expect(takenBy(found(paid), transfer({ amount: '1', to_address: 'BOB' }))).toBe(
      'is taken by transfer a1b2c3d4e5f6 (accepted), with a different amount (it was 0.5 SOL, now 1 SOL) and a different recipient (it was ADA, now BOB)',
    );
  });

  test('says nothing of a difference if there is none', () => {
    expect(takenBy(found(paid), transfer({}))).toBe('is taken by transfer a1b2c3d4e5f6 (accepted)');
  });

  test('shows two long texts from shortly before the place where they differ', () => {
    const long = 'x'.repeat(3000);
    const old = found({ ...said, content: `${long} old end` }, 'message');
    expect(differenceFrom(old, message({ content: `${long} new end` }))).toBe(
      `, with a different text (it was …${'x'.repeat(19)} old end", now …${'x'.repeat(19)} new end")`,
    );
  });

  test('does not need a stored request that can be read', () => {
    const damaged = { ...found(paid), body: new Uint8Array([1]) };
    expect(differenceFrom(damaged, transfer({}))).toBe(', with a different amount, recipient or text');
  });
});
