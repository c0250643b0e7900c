import { type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';
import { Failure } from '../errors.ts';

const mendIt = 'Mend the file and run the command again.';

function fault(source: string, what: string, line: number, column: number): Failure {
  return new Failure('bad-file', `${source}, line ${line}, column ${column}: ${what}. Nothing was sent.`, {
    hint: mendIt,
  });
}

/** UTF-8 bytes as text; where they are none, says at which byte. A byte order mark is skipped. */
export function decodeUtf8(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const { line, column } = firstBadByte(bytes);
    throw fault(source, 'the bytes are not valid UTF-8', line, column);
  }
}

function firstBadByte(bytes: Uint8Array): { line: number; column: number } {
  const readable = new TextDecoder('utf-8').decode(bytes);
  // What could not be decoded differs from the bytes once it is encoded again.
  const again = Buffer.from(readable);
  const skipped = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let at = 0;
  while (at < again.length && again[at] === bytes[at + skipped]) at += 1;
  const before = new TextDecoder('utf-8').decode(bytes.subarray(skipped, skipped + at)).split('\n');
  return { line: before.length, column: [...(before.at(-1) ?? '')].length + 1 };
}

function words(code: ParseErrorCode): string {
  return printParseErrorCode(code)
    .replace(/([a-z])([A-Z])/gu, '$1 $2')
    .toLowerCase();
}

const maxDepth = 64;

/** Strict JSON with positions: no comments, no trailing commas, no key given twice in an object. */
export function parseJson(json: string, source: string): unknown {
  const objects: Set<string>[] = [];
  let depth = 0;
  const deeper = (_offset: number, _length: number, line: number, column: number): void => {
    depth += 1;
    if (depth > maxDepth)
      throw fault(source, `it is nested deeper than ${maxDepth} levels`, line + 1, column + 1);
  };
  visit(
    json,
    {
      onObjectBegin: (...where) => {
        deeper(where[0], where[1], where[2], where[3]);
        objects.push(new Set());
      },
      onObjectEnd: () => {
        depth -= 1;
        objects.pop();
      },
      onArrayBegin: (...where) => deeper(where[0], where[1], where[2], where[3]),
      onArrayEnd: () => {
        depth -= 1;
      },
      onObjectProperty: (property, _offset, _length, line, column) => {
        const seen = objects.at(-1);
        if (seen?.has(property)) {
          throw fault(source, `the key "${property}" is given twice in one object`, line + 1, column + 1);
        }
        seen?.add(property);
      },
      onError: (code, _offset, _length, line, column) => {
        throw fault(source, `not JSON (${words(code)})`, line + 1, column + 1);
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
  try {
    return JSON.parse(json);
  } catch {
    throw fault(source, 'not JSON', 1, 1);
  }
}
