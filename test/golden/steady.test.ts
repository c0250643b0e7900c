import { expect, test } from 'vitest';
import { Steady } from '../../golden/steady.ts';

test.each(['aacbdcedfdbe', '012345678901', '3f1c9a0b7d2e'])('the intent %s gets a number', (id) => {
  expect(new Steady({}).text(`botctl resume ${id} --retries 1`)).toBe('botctl resume <intent 1> --retries 1');
});
