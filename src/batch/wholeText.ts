import { isUtf8 } from 'node:buffer';
import { firstBadByte } from '../intent/jsonText.ts';
import { batchFailure } from './facts.ts';

/** How many bytes from the end belong to a character whose rest is still to come. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes.readUInt8(bytes.length - back);
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

function newlinesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

/** Bytes as text, never cut within a character, without a byte order mark; refused where they are not UTF-8. */
export async function* wholeText(chunks: AsyncIterable<Buffer>, source: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0);
  let linesBefore = 0;
  let hasBegun = false;
  const textOf = (bytes: Buffer): string => {
    if (!isUtf8(bytes))
      throw batchFailure('not-utf8', { source, line: linesBefore + firstBadByte(bytes).line });
    linesBefore += newlinesIn(bytes);
    const text = bytes.toString('utf8');
    const withoutMark = hasBegun ? text : text.replace(/^\ufeff/u, '');
    hasBegun = true;
    return withoutMark;
  };
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const cut = bytes.length - unfinishedBytes(bytes);
    rest = bytes.subarray(cut);
    if (cut > 0) yield textOf(bytes.subarray(0, cut));
  }
  if (rest.length > 0) yield textOf(rest);
}
