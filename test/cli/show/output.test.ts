import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Output } from '../../../src/cli/show/display.ts';
import { failureOf } from '../../support/failure.ts';

function failing(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`it says ${code}`), { code })),
  });
}

describe('a stream that is written to', () => {
  test('a reader that went away closes it quietly', async () => {
    const output = new Output(failing('EPIPE'));
    expect(await output.write('a')).toBe('closed');
    expect(await output.write('b')).toBe('closed');
  });

  test('a disk that is full is a failure that says so', async () => {
    const failure = await failureOf(() => new Output(failing('ENOSPC')).write('a'));
    expect(failure.code).toBe('stdout-not-writable');
    expect(failure.message).toContain('the disk is full');
  });

  test('talk that cannot be written changes nothing', async () => {
    await expect(new Output(failing('ENOSPC')).say('a')).resolves.toBeUndefined();
  });

  test('a write is over only when it is really done', async () => {
    let done: () => void = () => {};
    const slow = new Writable({
      write: (_chunk, _encoding, written) => {
        done = written;
      },
    });
    let over = false;
    const writing = new Output(slow).write('a').then(() => {
      over = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toBe(false);
    done();
    await writing;
    expect(over).toBe(true);
  });
});
