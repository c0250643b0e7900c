import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeFolder } from '../../../../src/machine/disk.ts';
import { highestOf, Mark, markPath, noRowNumbers } from '../../../../src/once/journal/file/mark.ts';
import { newPath } from '../../../../testing/journals.ts';

const forty = { intents: 20, attempts: 20, decisions: 0 };

let path: string;
beforeEach(() => {
  path = newPath();
  makeFolder(dirname(path));
});

function newMark(numbers = noRowNumbers): Mark {
  Mark.adoptDraft(path, Mark.draft(path, numbers));
  return openedMark();
}

function openedMark(): Mark {
  const found = Mark.open(path, 'r+');
  if (found.is !== 'mark') throw new Error(found.is);
  return found.mark;
}

describe('a mark', () => {
  test('says from the first what it was made for', () => {
    expect(newMark(forty).highest).toEqual(forty);
    expect(Mark.look(path)).toEqual(forty);
  });

  test('is not replaced by the draft of another', () => {
    const mark = newMark(forty);
    Mark.draft(path, noRowNumbers);
    Mark.adoptDraft(path, mark.id);
    expect(Mark.look(path)).toEqual(forty);
  });

  // Commits that are 64 apart share a slot.
  const number = fc.constantFrom(0, 1, 2, 64, 65, 128);
  const numbers = fc.record({ intents: number, attempts: number, decisions: number });

  test('says all that two processes raised it to, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(1), numbers)), (raises) => {
        const marks = [newMark(), openedMark()] as const;
        let highest = noRowNumbers;
        for (const [which, given] of raises) {
          const mark = marks[which] ?? marks[0];
          mark.raise(given);
          highest = highestOf(highest, given);
          expect(highestOf(mark.highest, given)).toEqual(mark.highest);
        }
        expect(Mark.look(path)).toEqual(highest);
        for (const mark of marks) mark.close();
      }),
    );
  });

  test('with any byte flipped says less, or nothing, and never more', () => {
    newMark(forty);
    const whole = readFileSync(markPath(path));
    const said = new Set<string>();
    for (let at = 0; at < whole.length; at += 1) {
      const hurt = Buffer.from(whole);
      hurt.writeUInt8(hurt.readUInt8(at) ^ 0xff, at);
      writeFileSync(markPath(path), hurt);
      said.add(JSON.stringify(Mark.look(path)));
    }
    expect([...said].sort()).toEqual(['damaged', noRowNumbers, forty].map((one) => JSON.stringify(one)));
    expect(whole.length).toBe(40 + 64 * 32 + 16);
  });

  test.each([
    ['of another version', (bytes: Buffer) => bytes.write('botctl mark 2')],
    ['of a file that is no mark', (bytes: Buffer) => bytes.fill(0, 0, 16)],
  ])('%s is not read', (_what, change) => {
    newMark(forty);
    const bytes = readFileSync(markPath(path));
    change(bytes);
    Buffer.from(hash('sha256', bytes.subarray(0, 32)), 'hex').copy(bytes, 32, 0, 8);
    writeFileSync(markPath(path), bytes);
    expect(Mark.look(path)).toBe('damaged');
  });

  test('is no folder', () => {
    mkdirSync(markPath(path));
    expect(Mark.look(path)).toBe('damaged');
  });

  test('counts on where a slot is torn, whatever that slot said', () => {
    const mark = newMark(forty);
    const whole = readFileSync(markPath(path));
    const slot = whole.subarray(40 + 41 * 32, 40 + 42 * 32);
    slot.fill(0x01);
    writeFileSync(markPath(path), whole);
    mark.raise({ ...forty, intents: 21 });
    expect(Mark.look(path)).toEqual({ ...forty, intents: 21 });
  });

  test('writes no base that it has already', () => {
    newMark(forty).noteBase(7);
    const found = Mark.open(path, 'r');
    if (found.is !== 'mark') throw new Error(found.is);
    const { mark } = found;
    expect(() => mark.noteBase(8)).toThrow('EBADF');
    mark.noteBase(7);
    mark.close();
  });

  test('takes a torn base for none', () => {
    newMark(forty).noteBase(7);
    expect(openedMark().base).toBe(7);
    const whole = readFileSync(markPath(path));
    whole.writeUInt8(9, whole.length - 16);
    writeFileSync(markPath(path), whole);
    expect(openedMark().base).toBe(0);
  });
});
