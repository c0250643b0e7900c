import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { bytesOf, type Source } from '../../src/once/input.ts';
import { failureOf } from '../support/failure.ts';

const controller = (): AbortController => new AbortController();

function sourceOf(stdin: Readable, interrupted = controller().signal): Source {
  return { path: '-', name: 'stdin', stdin, interrupted };
}

describe('what is read', () => {
  test('comes piece by piece, and whole', async () => {
    const pieces: string[] = [];
    for await (const piece of bytesOf(sourceOf(Readable.from([Buffer.from('a'), 'é', Buffer.from('b')])))) {
      pieces.push(piece.toString());
    }
    expect(pieces).toEqual(['a', 'é', 'b']);
  });

  test('is not kept: nothing waits for the interrupt between two pieces', async () => {
    const { signal } = controller();
    const many = Readable.from(Array.from({ length: 100 }, () => Buffer.alloc(10)));
    for await (const _piece of bytesOf(sourceOf(many, signal))) {
      expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('can be left before its end: its stream is closed', async () => {
    const endless = new Readable({ read: () => endless.push('x') });
    for await (const _piece of bytesOf(sourceOf(endless))) break;
    expect(endless.destroyed).toBe(true);
  });
});

describe('an interrupt', () => {
  test('ends the reading of what never comes', async () => {
    const interrupts = controller();
    const silent = new Readable({ read: () => {} });
    const pieces = bytesOf(sourceOf(silent, interrupts.signal));
    const failure = failureOf(() => pieces.next());
    setImmediate(() => interrupts.abort());
    expect((await failure).code).toBe('interrupted');
    expect(silent.destroyed).toBe(true);
  });

  test('that came before is seen', async () => {
    const pieces = bytesOf(sourceOf(new Readable({ read: () => {} }), AbortSignal.abort()));
    expect((await failureOf(() => pieces.next())).message).toBe('Interrupted while stdin was being read.');
  });
});

// The proof asked for a batch of the file "\0", which Node refuses before there is a stream.
test('what cannot even be a path is named', async () => {
  const source = { ...sourceOf(Readable.from([])), path: 'a\0b', name: 'rows.csv' };
  expect(await failureOf(() => bytesOf(source).next())).toMatchObject({
    code: 'bad-file',
    message: expect.stringMatching(/^rows\.csv cannot be read: .*null bytes/u),
  });
});

test('what cannot be read is named', async () => {
  const pieces = bytesOf({ ...sourceOf(Readable.from([])), path: '/nowhere/file', name: '/nowhere/file' });
  const failure = await failureOf(() => pieces.next());
  expect(failure.code).toBe('bad-file');
  expect(failure.message).toContain('/nowhere/file cannot be read');
});
