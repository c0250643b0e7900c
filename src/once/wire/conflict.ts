import { isThing, type RawReply, readReply, wordsOf } from './flight.ts';

/** What a 409 says about its cause. */
export type ConflictWords = 'none' | 'repetition' | 'under-way' | 'other';

const whole = (words: string): string => `(?<!\\p{L})(?:${words})(?!\\p{L})`;

const underWay = new RegExp(
  whole(
    'in progress|processing|being processed|outstanding|still running|in flight|(?<!already |already been )in use',
  ),
  'u',
);

const otherWords =
  `different|another|other|separate|modif\\p{L}*|chang\\p{L}*|payload|parameters|custom id|label|action row|
  fail\\p{L}*|error\\p{L}*|reject\\p{L}*|declin\\p{L}*|expired|timed out|nothing|
  not (?:posted|sent|created|done|made|processed)`.replace(/\n\s*/gu, '');

/** "Not sent again" is a repetition, "a different body and cannot be used again" is not: `again` counts within three words. */
const other = new RegExp(`${whole(otherWords)}(?!(?: \\p{L}+){0,3} ${whole('again|twice')})`, 'u');

const repeated = new RegExp(
  whole(
    'duplicat\\p{L}*|already (?:been )?(?:used|in use|sent|posted|processed|received|exists|created|completed)',
  ),
  'u',
);

const beside = new RegExp(whole('key|idempot\\p{L}*|request|message'), 'u');

/** What a 409 means by all its words except the entry's own key. The first list with a matching word decides. */
export function conflictWords(reply: RawReply, key: string): ConflictWords {
  // A key may be a word, or a letter that occurs in words.
  const escaped = key.replace(/[\^$\\.*+?()[\]{}|/]/gu, '\\$&');
  const ownKey = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'gu');
  // RFC 9457: about:blank says no more than the status.
  const texts = textsIn(reply).map((text) => text.replace(ownKey, '\0').replace(/about:blank/giu, ' '));
  const words = texts.flatMap((text) => text.split(clauseEnd).map(inWords)).join(' ; ');
  if (underWay.test(words)) return 'under-way';
  if (other.test(words)) return 'other';
  if (repeated.test(words) && beside.test(words)) return 'repetition';
  return texts.some(saysMore) ? 'other' : 'none';
}

// The end of a clause: words on both sides do not count together. A sign between letters is no end: code.in.parts.
const clauseEnd = /[^\p{L}\p{N}\s](?=\s|$)|(?<=\s)[^\p{L}\p{N}\s]|[\n\r]/u;

/** The words of a text, without the status's own name. */
const inWords = (text: string): string =>
  wordsOf(text)
    .filter((word) => word !== 'conflict')
    .join(' ');

/** Whether it has a word besides the status's name. Numbers, paths, times and ids are not words. */
function saysMore(text: string): boolean {
  return text.split(/[\s_\0]+/u).some((one) => !/[\d/]/u.test(one) && inWords(one) !== '');
}

/** All texts of a JSON reply, or the text of a page, without the service's id of the request. */
export function textsIn(reply: RawReply): string[] {
  const { requestId } = readReply(reply);
  const body = new TextDecoder().decode(reply.body);
  const texts: string[] = [];
  try {
    // Not by recursion: a reply may be nested deeper than the stack.
    const left: unknown[] = [JSON.parse(body)];
    while (left.length > 0) {
      const next = left.pop();
      if (typeof next === 'string' && next !== requestId) texts.push(next);
      if (isThing(next)) for (const one of Object.values(next).reverse()) left.push(one);
    }
    return texts;
  } catch {
    return [body.replace(/<[^<>]*>/gu, ' ; ')];
  }
}
