import { findNodeAtLocation, parseTree, printParseErrorCode, visit } from 'jsonc-parser';
import { entryFailure, type TextFault } from './failures.ts';

/** Decodes UTF-8 without its byte order mark. If the bytes are not UTF-8, the error says at which byte. */
export function decodeUtf8(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw entryFailure('bad-text', { source, fault: { is: 'not-utf8', ...firstBadByte(bytes) } });
  }
}

export function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  // Decodes only a beginning. A sequence that is merely cut off at its end is not a fault yet.
  const readable = (length: number): string | undefined => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
    } catch {
      return undefined;
    }
  };
  let good = 0;
  for (let step = 2 ** Math.floor(Math.log2(bytes.length)); step >= 1; step /= 2)
    if (readable(good + step) !== undefined) good += step;
  const before = (readable(good) ?? '').split('\n');
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
}

const maxDepth = 64;

/** The longest key or column name: the time to compare names grows faster than their length. */
export const longestKey = 200;

// A double represents any 15 digits exactly.
const exactDigits = 15;
const maxNumberCharacters = 400;

/** Whether a number keeps its value when it is read. No value may change unnoticed. */
function isExact(value: number, written: string): boolean {
  if (!Number.isFinite(value) || written.length > maxNumberCharacters) return false;
  const digits = written
    .replace(/[eE].*$/u, '')
    .replace(/[-.]/gu, '')
    .replace(/^0+|0+$/gu, '');
  if (digits.length <= exactDigits) return value !== 0 || digits === '';
  return Number.isSafeInteger(value) && String(value) === written;
}

/** Strict JSON with positions: no comments, no trailing commas, no key twice in an object. */
export function parseJson(json: string, source: string): unknown {
  const read = readJson(json);
  if ('fault' in read) throw entryFailure('bad-text', { source, fault: read.fault });
  return read.value;
}

class Faulty extends Error {
  readonly fault: TextFault;

  constructor(fault: TextFault) {
    super(fault.is);
    this.fault = fault;
  }
}

/** The same, but a fault is returned, not thrown. */
export function readJson(json: string): { readonly value: unknown } | { readonly fault: TextFault } {
  try {
    visitStrictly(json);
    return { value: JSON.parse(json) };
  } catch (thrown) {
    return { fault: thrown instanceof Faulty ? thrown.fault : { is: 'not-json', line: 1, column: 1 } };
  }
}

/** The parser counts from 0, people from 1. */
function placeOf(line: number, column: number): { line: number; column: number } {
  return { line: line + 1, column: column + 1 };
}

function visitStrictly(json: string): void {
  const objects: Set<string>[] = [];
  let depth = 0;
  const deeper = (line: number, column: number): void => {
    depth += 1;
    if (depth > maxDepth)
      throw new Faulty({ is: 'too-deep', mostLevels: maxDepth, ...placeOf(line, column) });
  };
  visit(
    json,
    {
      onObjectBegin: (_offset, _length, line, column) => {
        deeper(line, column);
        objects.push(new Set());
      },
      onObjectEnd: () => {
        depth -= 1;
        objects.pop();
      },
      onArrayBegin: (_offset, _length, line, column) => deeper(line, column),
      onArrayEnd: () => {
        depth -= 1;
      },
      onObjectProperty: (property, _offset, _length, line, column) => {
        if (property.length > longestKey)
          throw new Faulty({ is: 'long-key', mostCharacters: longestKey, ...placeOf(line, column) });
        const seen = objects.at(-1);
        if (seen?.has(property)) {
          throw new Faulty({ is: 'key-twice', key: property, ...placeOf(line, column) });
        }
        seen?.add(property);
      },
      onLiteralValue: (value, offset, length, line, column) => {
        if (typeof value !== 'number' || isExact(value, json.slice(offset, offset + length))) return;
        throw new Faulty({ is: 'inexact-number', ...placeOf(line, column) });
      },
      onError: (code, _offset, _length, line, column) => {
        throw new Faulty({ is: 'syntax', error: printParseErrorCode(code), ...placeOf(line, column) });
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
}

/** The position of the value at this path in a valid JSON text; for a property, the position of its key. */
export function placeIn(json: string, path: readonly string[]): { line: number; column: number } {
  const root = parseTree(json);
  for (let depth = path.length; root !== undefined && depth > 0; depth -= 1) {
    const node = findNodeAtLocation(root, path.slice(0, depth));
    if (node === undefined) continue;
    const offset = node.parent?.type === 'property' ? node.parent.offset : node.offset;
    const before = json.slice(0, offset).split('\n');
    return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
  }
  return { line: 1, column: 1 };
}
