import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Mutex } from '../../../src/once/journal/mutex.ts';

test('a turn that begins within the first moment of another one does not end that one', async () => {
  const mutex = new Mutex();
  const order: string[] = [];
  let release = (): void => undefined;
  let inner: Promise<void> | undefined;
  const outer = mutex.alone(async () => {
    inner = mutex.alone(async () => undefined);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    order.push('outer');
  });
  await inner;
  const next = mutex.alone(async () => void order.push('next'));
  await setImmediate();
  release();
  await Promise.all([outer, next]);
  expect(order).toEqual(['outer', 'next']);
});
